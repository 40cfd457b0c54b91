"""Real fakes that stand in at a seam."""
