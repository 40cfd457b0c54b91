"""Tests of corpus/store."""
