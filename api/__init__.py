"""HTTP: one router a resource."""
