"""What the Evidence page is made of."""
