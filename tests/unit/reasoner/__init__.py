"""The reasoners."""
