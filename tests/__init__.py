"""Tests: unit mirrors the tree; contracts, integration and fakes beside it."""
