"""One ranked list for one query: keyword or vector; and their fusion."""
