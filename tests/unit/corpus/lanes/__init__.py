"""Tests of the lanes."""
