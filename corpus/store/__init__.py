"""The truth: documents, versions, chunks and vectors in SQLite."""
