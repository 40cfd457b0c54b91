"""Documents in, hits out."""
