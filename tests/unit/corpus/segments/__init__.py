"""Segments: the immutable parts of a partition."""
