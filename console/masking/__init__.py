"""Masking policies: which values of which columns are told to whom. See docs/masking.md."""
