"""Tests of policy/."""
