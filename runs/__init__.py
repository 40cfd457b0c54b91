"""One ask over the compiled graph, and what is kept of it."""

import graph  # noqa: F401  # sets what langgraph reads at its first import, which the modules of this room cause
