"""Commits: what writers prepared becomes visible, atomically."""

from core.commit.table_commit import Clock, TableCommit

__all__ = ["Clock", "TableCommit"]
