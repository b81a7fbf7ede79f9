"""What the Solve page is made of."""
