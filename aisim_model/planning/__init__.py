"""What a deployment row carries beyond one request: does it fit, its load, its cost, which row is best."""
