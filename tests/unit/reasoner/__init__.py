"""Tests of reasoner/."""
