"""Tests of endpoints/."""
