"""A continuous refresh: the rows that a table has got since go through the definition, and are added.

The first refresh is one of the whole, of one snapshot of the source. From there on a stream of Spark reads
what was committed after it, writes it, and ends when it has come to the latest. Its checkpoint and the
commits in the table agree on which batches are in, so each change counts once, whenever a run dies.

How far it has come is worth nothing once the definition or a view in it is another one, the materialized
table was rolled back or written by somebody else, or the source was rolled back, overwritten, or has lost
snapshots that were not read: then it is refreshed as a whole, and starts anew (`refresh_progress.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NoReturn, TypeAlias

from pyspark.sql import DataFrame
from pyspark.sql.streaming.query import StreamingQuery

from core.errors import InvalidRequestError, UnsupportedError
from core.identifier import Identifier
from core.options import (
    CONSUMER_ID,
    INCREMENTAL_BETWEEN,
    INCREMENTAL_BETWEEN_TIMESTAMP,
    SCAN_BOUNDED_WATERMARK,
    SCAN_FALLBACK_BRANCH,
    SNAPSHOT_IGNORE_EMPTY_COMMIT,
    STREAMING_READ_SNAPSHOT_DELAY,
)
from core.snapshot import Snapshot
from core.table import Table
from spark_jobs.datasource.address import options_of
from spark_jobs.datasource.options import UNTIL
from spark_jobs.jobs.refresh_progress import KILLED, Progress, State, after, why_not_followed
from spark_jobs.jobs.steps import Outcome, Run, standing
from spark_jobs.jobs.verified import added_entries
from spark_jobs.lake import Lake, Reads
from spark_jobs.plans import SOURCE, kind_of, nodes_of

_ROW_BY_ROW = frozenset(
    {
        "DataSourceV2Relation", "Filter", "Generate", "LocalRelation", "OneRowRelation", "Project",
        "SubqueryAlias", "View",
    }
)  # fmt: skip
_OF_STREAMS = (
    CONSUMER_ID, INCREMENTAL_BETWEEN, INCREMENTAL_BETWEEN_TIMESTAMP, SCAN_BOUNDED_WATERMARK,
    SCAN_FALLBACK_BRANCH, STREAMING_READ_SNAPSHOT_DELAY,
)  # fmt: skip
"""Options of a source that would have it read otherwise than as a whole, or from elsewhere on."""

Replace: TypeAlias = Callable[[Run, Lake, str, DataFrame], Outcome]


def refreshed(run: Run, lake: Lake, query: str, why_anew: str | None, replace: Replace) -> Outcome:
    """The refresh of a continuous table, as a whole if there is a reason to.

    Raises:
        UnsupportedError: a definition that cannot be followed row by row; names what it holds.
        NotFoundError: the source was rolled back while it was read.
    """
    name = run.table.identifier
    checked = lake.query(query, name)
    check_columns(checked, run.table)
    source = check_followed(run, lake, checked)
    progress = Progress(run.work.checkpoint)
    state = None if why_anew is not None else progress.read()
    seen = source.snapshots.latest()  # a stream reads up to this, and no more
    if state is not None:
        is_same = state.get("views", {}) == lake.said
        why_anew = (
            why_not_followed(source, seen, state) if is_same else "a view in the definition has changed"
        )
        state = state if why_anew is None else None
    if state is not None and progress.is_done(state, seen):
        return _outcome(run.table, [], lake)  # no stream is started for nothing
    if state is None or seen is None:
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
    tables = list(dict.fromkeys(str(named.base) for named in lake.opened))
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
    for option in _OF_STREAMS:
        if source.schema.options.keys() & {option.key, *option.old_keys}:
            _refuse(f"a source with the option {option.key}", found=tables[0])
    return source


def _refuse(feature: str, **fields: object) -> NoReturn:
    raise UnsupportedError(
        "a continuous refresh follows the rows that one append table gets, each for itself: refresh the "
        "table as a whole",
        feature=feature,
        **fields,
    )


def check_columns(frame: DataFrame, table: Table) -> None:
    """`InvalidRequestError` if the definition has other columns than the table."""
    if sorted(map(str.lower, frame.columns)) != sorted(map(str.lower, table.schema.field_names)):
        raise InvalidRequestError(
            "the definition has other columns than the table",
            columns=", ".join(table.schema.field_names),
            found=", ".join(frame.columns),
        )


def _anew(run: Run, lake: Lake, query: str, source: Table, progress: Progress, replace: Replace) -> Outcome:
    latest = source.snapshots.latest()
    pinned = {} if latest is None else {"scan.snapshot-id": str(latest.id)}
    frame = lake.query(query, run.table.identifier, Reads(pinned))
    if latest is None:
        frame = frame.where("false")  # a first commit may come between
    progress.forget()  # before the commit: what was read before it must not be added again
    made = replace(run, lake, query, frame)
    progress.keep(
        {
            "query": query,
            "views": dict(lake.said),
            "name": run.spec.job_id,
            "source_snapshot": 0 if latest is None else latest.id,
            "source_identity": None if latest is None else latest.reference,
            "latest": made.snapshots[-1].reference if made.snapshots else standing(run.table),
            "streams": False,
        }
    )
    return made


def _followed(run: Run, lake: Lake, query: str, seen: Snapshot, progress: Progress, state: State) -> Outcome:
    first = state["source_snapshot"] + 1
    start = {"scan.mode": "from-snapshot", "scan.snapshot-id": str(first)}
    start[UNTIL] = str(seen.id)  # what comes after it nobody has looked at yet
    frame = lake.query(query, run.table.identifier, Reads(start, streams=True))
    progress.keep({**state, "streams": True, "reading": seen.reference})
    run.reporter.progress("write", 0, 1, "steps")
    where = options_of(run.spec.catalog, str(run.table.identifier))
    stream = (
        frame.writeStream.format(SOURCE)
        .options(**where)
        .option(SNAPSHOT_IGNORE_EMPTY_COMMIT.key, "false")  # each batch leaves its trace in the table
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
    made = [one for one in after(table, state["latest"]) if one.commit_user == str(stream.id)]
    why_not = progress.why_not_in(table, state)
    if why_not is None or (why_not == KILLED and not _has_read(stream)):
        latest = made[-1].reference if made else state["latest"]
        read = {"seen": seen.id, "seen_identity": seen.reference}
        progress.keep({**state, **read, "streams": True, "latest": latest, "batch": progress.batch(state)})
    else:  # nothing is noted, so that the next refresh finds the same
        run.reporter.log(f"the next refresh will be one of the whole: {why_not}", "warning")
    return _outcome(table, made, lake)


def _outcome(table: Table, made: Sequence[Snapshot], lake: Lake) -> Outcome:
    entries = [added_entries(table, snapshot) for snapshot in made]
    metrics = {
        "rows_written": sum(int(entry.numpy("row_count").sum()) for entry in entries),
        "files_written": sum(len(entry) for entry in entries),
        "bytes_written": sum(int(entry.numpy("file_size").sum()) for entry in entries),
    }
    return Outcome(made, metrics, {"tables": list(lake.read)})


def _has_read(stream: StreamingQuery) -> bool:
    """Whether a batch of this run had rows of the source: one that had none leaves no trace in the table."""
    return any(batch["numInputRows"] > 0 for batch in stream.recentProgress)
