"""What every call to an OpenAI-compatible endpoint has in common, whichever room makes it."""
