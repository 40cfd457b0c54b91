"""Text to vectors behind one Protocol."""
