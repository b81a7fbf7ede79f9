"""What the Model page is made of."""
