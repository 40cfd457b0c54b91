"""Tests of graph/."""
