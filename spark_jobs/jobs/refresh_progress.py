"""How far the refreshes of a continuous table have come, and whether its stream can go on from there.

What is noted is believed only as far as the tables bear it out: a refresh may have been killed before it
noted anything, and since then anybody may have rolled back, overwritten or changed the table or its source.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow.compute as _pc

from core.errors import NotFoundError, UnsupportedError
from core.io.open import absolute_path
from core.options import DELETION_VECTORS_ENABLED
from core.snapshot import CommitKind, Snapshot
from core.table import Table

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time

State = Mapping[str, Any]
_STATE, _STREAM = "refresh.json", "stream-"
_SAME_ROWS = (CommitKind.COMPACT, CommitKind.ANALYZE)
KILLED = "a refresh ended before it noted what it had added, and that is not in the table"


class Progress:
    """What the refreshes of one table have noted: a file, and a checkpoint of Spark beside it."""

    def __init__(self, folder: str) -> None:
        """`UnsupportedError` for a folder that is none of this machine's."""
        place = absolute_path(folder)
        if "://" in place:
            raise UnsupportedError(
                "a refresh keeps how far it has come in a folder",
                feature="a checkpoint in a store",
                path=folder,
            )
        self.folder = Path(place)

    def read(self) -> State | None:
        """What the last refresh has left; None if there was none, or it left nothing whole."""
        try:
            found = json.loads((self.folder / _STATE).read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError):
            return None
        return found if isinstance(found, dict) else None

    def forget(self) -> None:
        """The next refresh is one of the whole."""
        (self.folder / _STATE).unlink(missing_ok=True)
        for stream in self.folder.glob(f"{_STREAM}*"):
            shutil.rmtree(stream, ignore_errors=True)

    def keep(self, state: State) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        whole = self.folder / f"{_STATE}.new"
        with whole.open("w", encoding="utf-8") as file:
            json.dump(dict(state), file)
            file.flush()
            os.fsync(file.fileno())
        whole.replace(self.folder / _STATE)

    def stream(self, state: State) -> Path:
        """Where its stream has its checkpoint."""
        return self.folder / f"{_STREAM}{state['name']}"

    def batch(self, state: State) -> int | None:
        """The last batch that Spark takes for done; None before the first."""
        done = (self.stream(state) / "commits").glob("[0-9]*")
        return max((int(file.name) for file in done if file.name.isdecimal()), default=None)

    @staticmethod
    def is_done(state: State, latest: Snapshot | None) -> bool:
        """Whether there is nothing to read of a source that stands at this snapshot."""
        read = state.get("seen", state["source_snapshot"])
        return "reading" not in state and read == (latest.id if latest else 0)

    def why_anew(self, table: Table, query: str, *, by_force: bool) -> str | None:
        """Why the table is to be refreshed as a whole, as far as it can be told from it alone."""
        state = self.read()
        if by_force:
            return "it was asked for"
        if state is None:
            return "nothing says which changes the rows hold"
        if state["query"] != query:
            return "the definition has changed"
        if state["streams"] and not (self.stream(state) / "metadata").exists():
            return "the checkpoint of its stream is gone"
        return self.why_not_in(table, state)

    def why_not_in(self, table: Table, state: State) -> str | None:
        """Why the rows of the table are not those that its refreshes have made; None if they are."""
        if not is_in_history(table, state["latest"]):
            return "the table was rolled back since its last refresh"
        user, since = self._user(state), list(after(table, state["latest"]))
        if any(made.commit_kind not in _SAME_ROWS and made.commit_user != user for made in since):
            return "somebody else has written to the table since its last refresh"
        last = self.batch(state)
        if last == state.get("batch"):
            return None
        is_there = any(made.commit_user == user and made.commit_identifier == last for made in since)
        return None if is_there else KILLED

    def _user(self, state: State) -> str | None:
        """The commit user of its stream, which is the query's id; None if there is no stream yet."""
        try:
            found = json.loads((self.stream(state) / "metadata").read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError):
            return None
        return str(found["id"])


def after(table: Table, reference: str | None) -> Iterator[Snapshot]:
    """The snapshots after one that is in the table's history, oldest first."""
    first = int(reference.partition("~")[0]) + 1 if reference else 1
    return (table.snapshots.get(i) for i in table.snapshots.ids() if i >= first)


def is_in_history(table: Table, reference: str | None) -> bool:
    """Whether the snapshot is there: not rolled back, nor expired, which it is only if others commit."""
    if reference is None:
        return True
    try:
        return table.snapshots.get(int(reference.partition("~")[0])).reference == reference
    except NotFoundError:
        return False


def why_not_followed(source: Table, latest: Snapshot | None, state: State) -> str | None:
    """Why a stream cannot go on over the source, up to this snapshot; None if it can."""
    seen = state.get("seen", state["source_snapshot"])
    earliest = source.snapshots.earliest_id()
    if (earliest is None and seen) or (earliest is not None and earliest > max(seen, 1)):
        return "the source has lost snapshots since the one that was read last"
    known = [state.get("seen_identity", state["source_identity"]), state.get("reading")]
    if not all(is_in_history(source, reference) for reference in known):
        return "the source was rolled back"
    before = source.snapshots.get(seen) if seen else None
    for number in range(seen + 1, 0 if latest is None else latest.id + 1):
        snapshot = source.snapshots.get(number)
        if (why := _why_not_added(source, before, snapshot)) is not None:
            return why
        before = snapshot
    return None


def _why_not_added(source: Table, before: Snapshot | None, snapshot: Snapshot) -> str | None:
    """Why a commit did more than add rows; None if it did not. A stream shows what was added, and no more."""
    if snapshot.commit_kind in _SAME_ROWS:
        return None
    if snapshot.commit_kind is not CommitKind.APPEND:
        return "the source was overwritten"
    delta = source.manifests.open_entries(source.manifests.delta_manifests(snapshot))
    vectors = source.options.get(DELETION_VECTORS_ENABLED)
    had = None if before is None else before.index_manifest
    if len(delta.live().deletes()) or (vectors and snapshot.index_manifest != had):
        return "rows of the source were deleted"
    if delta.column("write_cols").null_count < len(delta):
        return "the source has files with columns of rows, which a stream does not put together"
    ids = delta.column("first_row_id")
    first = 0 if before is None else before.next_row_id or 0
    if pc.any(pc.less(ids, first)).as_py():
        return "rows of the source were written anew"
    return None
