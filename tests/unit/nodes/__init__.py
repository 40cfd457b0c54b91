"""Tests of nodes/."""
