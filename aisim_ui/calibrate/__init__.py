"""What the Calibrate page is made of."""
