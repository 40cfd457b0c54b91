"""Rerankers: what reads question and passage together, or compares their vectors, after fusion."""
