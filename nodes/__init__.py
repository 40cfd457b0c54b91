"""One file a node of the graph."""
