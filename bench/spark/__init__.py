"""Spark with our connector beside Spark with the newest Paimon's own."""
