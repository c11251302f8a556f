"""Commits: what writers prepared becomes visible, atomically."""

from core.commit.clock import Clock
from core.commit.home import DIRECTORY, TableHome
from core.commit.lock import CommitLock
from core.commit.notes import CommitNotes, new_commit_user
from core.commit.table_commit import TableCommit

__all__ = ["DIRECTORY", "Clock", "CommitLock", "CommitNotes", "TableCommit", "TableHome", "new_commit_user"]
