"""Pure rules: budget, stop reasons, ledger, citations, drift."""
