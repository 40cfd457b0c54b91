"""The bodies that come in and go out, as OpenAPI shows them."""
