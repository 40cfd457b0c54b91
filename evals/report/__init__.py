"""One page about a measurement, that needs no network, no script and nothing beside it; and a short summary of it."""
