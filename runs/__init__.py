"""One ask over the compiled graph, and what is kept of it."""
