"""What the Deployments page is made of."""
