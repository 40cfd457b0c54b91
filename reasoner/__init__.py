"""The thinking behind the nodes."""
