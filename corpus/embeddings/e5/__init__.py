"""The embedded model, multilingual-e5-small."""

from corpus.embeddings.e5.embedder import MOST_TOKENS, E5Embedder

__all__ = ["MOST_TOKENS", "E5Embedder"]
