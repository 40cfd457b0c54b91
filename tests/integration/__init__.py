"""Rooms together."""
