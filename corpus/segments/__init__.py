"""Immutable parts of a partition: built from rows of the store, merged with each other, kept in one file."""
