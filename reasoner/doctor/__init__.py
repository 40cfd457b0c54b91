"""A chat model examined step by step, by the code that asks use."""
