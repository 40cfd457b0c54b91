"""Tests of the evals room."""
