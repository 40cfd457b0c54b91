"""Tests of corpus/embeddings."""
