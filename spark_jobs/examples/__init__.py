"""Pipelines to run, to read and to begin one's own with."""
