"""Whole runs as they are expected to go, kept as text."""
