"""Tests of corpus/ingest."""
