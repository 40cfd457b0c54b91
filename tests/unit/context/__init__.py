"""Tests of context/."""
