"""Measured operating points of whole deployments beside the models: how far off each one's times are."""
