"""Many streams against a real server that is killed and restarted meanwhile, and what is left of them afterwards."""
