"""What every implementation of a Protocol must hold."""
