"""Time of one pass of a worker: rival models side by side."""
