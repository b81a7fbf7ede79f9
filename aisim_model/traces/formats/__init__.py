"""The trace formats that are known by their columns, one module each."""
