"""Tests of the runs room."""
