"""`write` to a format table: new files, beside those that are there or in their place.

Tasks write files that nobody sees; the driver names them. There are no snapshots by which a second run could
tell that the first has done it: it writes again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import pyarrow as pa

from core.errors import InvalidRequestError
from core.format_table import FormatTable, WrittenFile
from core.jobs import PathSource, WriteJob, WriteMode
from spark_jobs.crossing import large_values_measured
from spark_jobs.failures import carrying_errors
from spark_jobs.jobs.sources import read_source
from spark_jobs.jobs.steps import Job, Outcome, Run
from spark_jobs.jobs.verified import not_true, sizes_of
from spark_jobs.progress import reporting
from spark_jobs.transforms import fitted


@dataclass(frozen=True, slots=True)
class FilesWritten(Outcome):
    """With the files that were made."""

    files: Sequence[WrittenFile] = ()


_OF_SNAPSHOTS = ("row_kind_column", "merge_schema")


def table_of(run: Run) -> FormatTable:
    assert run.format_table is not None
    return run.format_table


def _plan(run: Run) -> dict[str, Any]:
    """Raises `InvalidRequestError` and `UnsupportedError` for what plain files do not hold, by name."""
    table, work = table_of(run), run.work
    check_asked(work)
    table.new_write()  # names what its files would not hold
    source = work.source.path if isinstance(work.source, PathSource) else work.source.sql
    return {
        "location": table.location,
        "format": str(table.kind),
        "mode": work.mode.value,
        "replaces": _replaced(table, work),
        "source": source,
    }


def check_asked(work: WriteJob) -> None:
    """`InvalidRequestError` for what only tables with snapshots have."""
    for name in _OF_SNAPSHOTS:
        if getattr(work, name):
            raise InvalidRequestError("a format table has no such writes", field=name)


def _replaced(table: FormatTable, work: WriteJob) -> str | None:
    if work.mode is not WriteMode.OVERWRITE:
        return None
    if work.static_partition is None and table.schema.partition_keys:
        return "exactly the partitions that get new rows"
    return ", ".join(f"{key}={value}" for key, value in (work.static_partition or {}).items()) or "all files"


def _apply(run: Run, plan: dict[str, Any]) -> Outcome:
    spark, table, work = run.executors.spark, table_of(run), run.work
    frame, fit = fitted(read_source(spark, work.source), table.schema, None)
    with reporting(spark.sparkContext, run.reporter, "write", "tasks"), large_values_measured(frame):
        collected = frame.mapInArrow(partial(_task, table), "file string").collect()
    files = [WrittenFile(**json.loads(row["file"])) for row in collected]
    run.reporter.progress("commit", 0, 1, "commits")
    commit = table.new_commit()
    replaced = 0
    if work.mode is WriteMode.OVERWRITE:
        dynamic = work.static_partition is None and table.schema.partition_keys
        replaced = commit.overwrite(files, None if dynamic else work.static_partition or {})
    else:
        commit.append(files)
    run.reporter.progress("commit", 1, 1, "commits")
    metrics = {
        "rows_written": sum(file.record_count for file in files),
        "files_written": len(files),
        "bytes_written": sum(file.file_size for file in files),
        "files_replaced": replaced,
    }
    return FilesWritten(metrics=metrics, details={"fit": fit.to_json()}, files=files)


def _task(table: FormatTable, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """In an executor: write the batches of one task, give back its files."""
    with carrying_errors():
        write = table.new_write()
        try:
            for batch in batches:
                write.write(batch)
            files = write.prepare_commit()
        except BaseException:
            write.abort()
            raise
    yield pa.RecordBatch.from_pydict({"file": [json.dumps(asdict(file)) for file in files]})


def _verify(run: Run, plan: dict[str, Any], outcome: Outcome) -> dict[str, Any]:
    """Every file has its name and is whole."""
    assert isinstance(outcome, FilesWritten)
    found = sizes_of(table_of(run).io, [file.path for file in outcome.files])
    for file in outcome.files:
        size = found.get(file.path)
        if size != file.file_size:
            not_true(
                "a new file is missing, or not whole", path=file.path, expected=file.file_size, found=size
            )
    return {"files_present": len(outcome.files)}


WRITE_FILES = Job(plan=_plan, apply=_apply, verify=_verify, has_table=False, commits=False)
