"""What the Traffic page is made of."""
