"""What `gapseek doctor` finds, in a shape that chat models, embedders, rerankers and folders have in common."""
