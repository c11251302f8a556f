"""Committing what executors made, and cleaning up where that is safe."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from core.commit import TableCommit
from core.errors import CommitConflictError, InvalidRequestError, UnsupportedError
from core.snapshot import Snapshot
from core.write import CommitMessage

_NOTHING_WAS_MADE = (CommitConflictError, InvalidRequestError, UnsupportedError)


def commit_or_abort(
    commit: TableCommit, messages: Sequence[CommitMessage], act: Callable[[], list[Snapshot]]
) -> list[Snapshot]:
    """The snapshots that `act` makes of the messages.

    If the commit was refused, the messages' files are deleted. After any other end, an
    interrupt above all, the snapshot may be there: files that turn out to belong to none
    are found by the clean-up of orphans.
    """
    try:
        return act()
    except _NOTHING_WAS_MADE:
        commit.abort(messages)
        raise
