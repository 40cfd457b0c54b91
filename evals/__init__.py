"""Question sets, metrics, the runner and the bench."""
