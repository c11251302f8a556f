"""Registered warehouses, their credentials, and the statistics of their tables."""
