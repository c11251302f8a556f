"""People, their roles and their API tokens."""
