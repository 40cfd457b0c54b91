"""The rerankers, each by itself."""
