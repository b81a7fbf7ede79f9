"""What the Handoff page is made of."""
