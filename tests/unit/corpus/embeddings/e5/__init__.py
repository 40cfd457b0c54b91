"""Tests of corpus/embeddings/e5."""
