"""A lock around the creation of a snapshot, for stores whose creation is not atomic. Spec: 08, 2.1."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Protocol


class CommitLock(Protocol):
    """A lock that all writers of a table take, those of other engines included.

    Where writers overwrite (`lock.enabled` of a catalog on an object store), a conditional
    request of ours is not enough: one of theirs that has looked just before would replace it.
    Without a lock a commit relies on `FileIO.create`, of whose racing callers one wins.
    """

    def held(self) -> AbstractContextManager[None]:
        """The lock, taken while the context is open.

        To open it raises `StorageError` if the lock is not granted in time: nothing has been
        written then. To close it raises nothing, as the snapshot may be there: a lock that cannot
        be given back runs out by itself.
        """
        ...
