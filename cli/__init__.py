"""The `gapseek` command. What it asks goes over HTTP: to the server that owns the data folder, or to one it starts."""
