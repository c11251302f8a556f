"""Spark jobs over `core`: the driver plans and commits, executors read, merge and write."""
