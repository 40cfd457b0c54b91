"""The state machine: nodes, edges and what stands behind the Protocols."""

import os

# Read by langgraph when it is first imported, so it stands before any import of it: states hold plain types only.
os.environ.setdefault("LANGGRAPH_STRICT_MSGPACK", "true")
