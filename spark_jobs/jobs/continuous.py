"""A continuous refresh: the rows that a table has got since go through the definition, and are added.

The first refresh is one of the whole, of one snapshot of the source. From there on a stream of Spark reads
what was committed after it, writes it, and ends when it has come to the latest. Its checkpoint and the
commits in the table agree on which batches are in, so each change counts once, whenever a run dies.

How far it has come is worth nothing once the definition is another one, the materialized table was rolled
back, or the source was rolled back, overwritten, or has lost snapshots that were not read: then it is
refreshed as a whole, and starts anew.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NoReturn, TypeAlias

from pyspark.sql import DataFrame

from core.errors import NotFoundError, UnsupportedError
from core.identifier import Identifier
from core.io.open import absolute_path
from core.snapshot import CommitKind, Snapshot
from core.table import Table
from spark_jobs.datasource.address import options_of
from spark_jobs.jobs.steps import Outcome, Run
from spark_jobs.jobs.verified import added_entries
from spark_jobs.lake import Lake
from spark_jobs.plans import SOURCE, kind_of, nodes_of

_STATE, _STREAM = "refresh.json", "stream-"
_ROW_BY_ROW = frozenset(
    {
        "DataSourceV2Relation", "Filter", "Generate", "LocalRelation", "OneRowRelation", "Project",
        "SubqueryAlias", "View",
    }
)  # fmt: skip
Replace: TypeAlias = Callable[[Run, Lake, str, DataFrame], Outcome]


class Progress:
    """How far the refreshes of one table have come: a file, and a checkpoint of Spark beside it."""

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

    def read(self) -> Mapping[str, Any] | None:
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

    def keep(self, state: Mapping[str, Any]) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        whole = self.folder / f"{_STATE}.new"
        with whole.open("w", encoding="utf-8") as file:
            json.dump(dict(state), file)
            file.flush()
            os.fsync(file.fileno())
        whole.replace(self.folder / _STATE)

    def stream(self, state: Mapping[str, Any]) -> Path:
        return self.folder / f"{_STREAM}{state['name']}"

    def why_anew(self, table: Table, query: str, *, by_force: bool) -> str | None:
        """Why the table is to be refreshed as a whole; None if its stream can go on."""
        state = self.read()
        if by_force:
            return "it was asked for"
        if state is None:
            return "nothing says which changes the rows hold"
        if state["query"] != query:
            return "the definition has changed"
        if not _is_in_history(table, state["latest"]):
            return "the table was rolled back since its last refresh"
        if state["streams"] and not (self.stream(state) / "metadata").exists():
            return "the checkpoint of its stream is gone"
        return None


def refreshed(run: Run, lake: Lake, query: str, why_anew: str | None, replace: Replace) -> Outcome:
    """The refresh of a continuous table, as a whole if there is a reason to.

    Raises:
        UnsupportedError: a definition that cannot be followed row by row; names what it holds.
        NotFoundError: the source was rolled back while it was read.
    """
    name = run.table.identifier
    checked = lake.query(query, name)
    source = check_followed(run, lake, checked)
    progress = Progress(run.work.checkpoint)
    state = None if why_anew is not None else progress.read()
    seen = source.snapshots.latest()  # a stream reads this, and perhaps more
    if state is not None and (why_anew := _why_not_followed(source, seen, state)) is not None:
        state = None
    if state is None:
        run.reporter.log(f"the table is refreshed as a whole: {why_anew}")
        return _anew(run, lake, query, source, progress, replace)
    return _followed(run, lake, query, seen, progress, state)


def check_followed(run: Run, lake: Lake, frame: DataFrame) -> Table:
    """The one table that the definition reads row by row.

    Raises:
        UnsupportedError: it does more than that, or the table's changes are not additions alone.
    """
    plan = frame._jdf.queryExecution().analyzed()
    kinds = [kind_of(node) for node in nodes_of(plan)]
    for kind in kinds:
        if kind not in _ROW_BY_ROW:
            _refuse(f"{kind} in the definition")
    tables = list(lake.read)
    for named in lake.opened:
        if named != named.base:
            _refuse("a branch or a system table as the source", found=str(named))
    if kinds.count("DataSourceV2Relation") != 1 or len(tables) != 1:
        _refuse("a definition over anything but one table", found=", ".join(tables))
    source = run.catalog.get_table(Identifier.parse(tables[0]))
    if not isinstance(source, Table):
        _refuse("a source without snapshots", found=tables[0])
    if source.schema.primary_keys:
        _refuse("a source with a primary key, whose rows change and go", found=tables[0])
    return source


def _refuse(feature: str, **fields: object) -> NoReturn:
    raise UnsupportedError(
        "a continuous refresh follows the rows that one append table gets, each for itself: refresh the "
        "table as a whole",
        feature=feature,
        **fields,
    )


def _anew(run: Run, lake: Lake, query: str, source: Table, progress: Progress, replace: Replace) -> Outcome:
    latest = source.snapshots.latest()
    pinned = {} if latest is None else {"scan.snapshot-id": str(latest.id)}
    frame = lake.query(query, run.table.identifier, options=pinned)
    if latest is None:
        frame = frame.where("false")  # a first commit may come between
    progress.forget()  # before the commit: what was read before it must not be added again
    made = replace(run, lake, query, frame)
    after = run.table_now().snapshots.latest()
    progress.keep(
        {
            "query": query,
            "name": run.spec.job_id,
            "source_snapshot": 0 if latest is None else latest.id,
            "source_identity": None if latest is None else latest.reference,
            "latest": after.reference if after else None,
            "streams": False,
        }
    )
    return made


def _followed(
    run: Run, lake: Lake, query: str, seen: Snapshot | None, progress: Progress, state: Mapping[str, Any]
) -> Outcome:
    first = state["source_snapshot"] + 1
    start = {"scan.mode": "from-snapshot", "scan.snapshot-id": str(first)}
    frame = lake.query(query, run.table.identifier, options=start, streams=True)
    progress.keep({**state, "streams": True})
    run.reporter.progress("write", 0, 1, "steps")
    where = options_of(run.spec.catalog, str(run.table.identifier))
    stream = (
        frame.writeStream.format(SOURCE)
        .options(**where)
        .option("checkpointLocation", progress.stream(state).as_uri())
        .outputMode("append")
        .trigger(availableNow=True)
        .start()
    )
    try:
        stream.awaitTermination()
    finally:
        stream.stop()
    run.reporter.progress("write", 1, 1, "steps")
    table = run.table_now()
    made = _since(table, state["latest"], str(stream.id))
    after = table.snapshots.latest()
    looked_at: dict[str, Any] = {} if seen is None else {"seen": seen.id, "seen_identity": seen.reference}
    progress.keep({**state, **looked_at, "streams": True, "latest": after.reference if after else None})
    entries = [added_entries(table, snapshot) for snapshot in made]
    metrics = {
        "rows_written": sum(int(entry.numpy("row_count").sum()) for entry in entries),
        "files_written": sum(len(entry) for entry in entries),
        "bytes_written": sum(int(entry.numpy("file_size").sum()) for entry in entries),
    }
    return Outcome(made, metrics, {"tables": list(lake.read)})


def _since(table: Table, reference: str | None, user: str) -> list[Snapshot]:
    """The snapshots of a stream after one that was the latest, oldest first."""
    first = int(reference.partition("~")[0]) + 1 if reference else 1
    found = [table.snapshots.get(i) for i in table.snapshots.ids() if i >= first]
    return [snapshot for snapshot in found if snapshot.commit_user == user]


def _is_in_history(table: Table, reference: str | None) -> bool:
    """Whether a snapshot is still there, or has expired: then all after it came on top."""
    if reference is None:
        return True
    number = int(reference.partition("~")[0])
    try:
        return table.snapshots.get(number).reference == reference
    except NotFoundError:
        earliest = table.snapshots.earliest_id()
        return earliest is not None and earliest > number


def _why_not_followed(source: Table, latest: Snapshot | None, state: Mapping[str, Any]) -> str | None:
    """Why a stream cannot go on over the source, up to this snapshot; None if it can."""
    seen = state.get("seen", state["source_snapshot"])
    if not _is_in_history(source, state.get("seen_identity", state["source_identity"])):
        return "the source was rolled back"
    earliest = source.snapshots.earliest_id()
    if (earliest is None and seen) or (earliest is not None and earliest > seen + 1):
        return "the source has lost snapshots that were not read"
    new = range(seen + 1, 0 if latest is None else latest.id + 1)
    if any(source.snapshots.get(number).commit_kind is CommitKind.OVERWRITE for number in new):
        return "the source was overwritten"  # a stream passes over both what that took and what it gave
    return None
