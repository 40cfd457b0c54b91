"""What the corpus stands on, examined step by step: embeddings, a reranker, the data folder."""
