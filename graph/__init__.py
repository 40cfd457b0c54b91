"""The state machine: nodes, edges and what stands behind the Protocols."""
