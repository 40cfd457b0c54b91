"""Tests of the corpus room."""
