"""Tests of corpus/ingest/convert."""
