"""A served model: what its config.json says of KV bytes, parameters and sizes."""
