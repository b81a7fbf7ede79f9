"""Deployment rows side by side: outcomes, ranking, rivals, what matters most."""
