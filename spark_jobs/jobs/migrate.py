"""`migrate`: take the data files of a folder over into a new append table, batches of files a task."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import unquote
from uuid import NAMESPACE_URL, uuid5

from core.binary import BinaryRow, encode_row
from core.commit import TableCommit
from core.datafile.file_format import FileFormat
from core.datafile.foreign import foreign_fields
from core.errors import AlreadyExistsError, InvalidRequestError, NotFoundError, PaimonError
from core.io import FileIO, FileStatus, file_io_for
from core.io.open import absolute_path
from core.jobs import MigratedFormat
from core.options import FILE_FORMAT
from core.partition import parse_value
from core.table import Table
from core.types import DataField, parse_type
from core.write import decode_messages, encode_message
from core.write.adopt import ForeignFile, adopt_file, check_columns
from spark_jobs.committing import commit_or_abort
from spark_jobs.jobs.steps import Job, Outcome, Run, committed_before
from spark_jobs.jobs.verified import Facts, added_entries, made_snapshots
from spark_jobs.jobs.write import is_source_file

_NULL = "__HIVE_DEFAULT_PARTITION__"
_BATCH_BYTES, _BATCH_FILES = 512 << 20, 100  # of one task
_CHECKED_FILES = 1000  # of one task, which reads footers alone


@dataclass(frozen=True, slots=True)
class MigrationPlan:
    """What the table will be, and of what."""

    root: str
    format: FileFormat
    fields: tuple[DataField, ...]
    partition_keys: tuple[str, ...]
    files: tuple[FileStatus, ...]

    @property
    def columns(self) -> tuple[DataField, ...]:
        """Those of the files."""
        return self.fields[: len(self.fields) - len(self.partition_keys)]

    @property
    def size(self) -> int:
        """Bytes."""
        return sum(file.size for file in self.files)


@dataclass(frozen=True, slots=True)
class _Check:
    """Looks in an executor at what columns files have, before anything of the table is made."""

    columns: tuple[DataField, ...]
    io: FileIO

    def __call__(self, files: Sequence[ForeignFile]) -> None:
        for file in files:
            check_columns(self.io, file, self.columns)


@dataclass(frozen=True, slots=True)
class _Adopt:
    """Takes files over in an executor; their messages come back encoded."""

    table: Table
    io: FileIO

    def __call__(self, files: Sequence[ForeignFile]) -> list[bytes]:
        return [encode_message(adopt_file(self.table, self.io, file)) for file in files]


def _plan(run: Run) -> MigrationPlan:
    root = absolute_path(run.work.path)
    io = file_io_for(root)
    listed = [file for file in io.list_files(root, recursive=True) if is_source_file(root, file.path)]
    file_format, files = _chosen(root, listed, run.work.format)
    keys = tuple(run.work.partition_keys or _keys_of(root, files[0].path))
    for file in files:
        if _keys_of(root, file.path) != keys:
            raise InvalidRequestError(
                "a file does not lie in folders of the partition keys", path=file.path, expected=keys
            )
    types = {key: run.work.partition_types.get(key, "STRING") for key in keys}
    columns = foreign_fields(io, files[0].path, file_format)
    both = sorted({field.name for field in columns} & set(keys))
    if both:
        raise InvalidRequestError("a key of the folders is a column of the files, too", column=both[0])
    fields = (*columns, *(DataField(0, key, parse_type(types[key])) for key in keys))
    plan = MigrationPlan(root, file_format, fields, keys, files)
    for file in files:
        _partition(plan, file.path)
    return plan


def _chosen(
    root: str, listed: Sequence[FileStatus], asked: MigratedFormat | None
) -> tuple[FileFormat, tuple[FileStatus, ...]]:
    """The format of the folder, and its files."""
    if asked is not None:
        found = {FileFormat(asked.value): tuple(listed)}
    else:
        by_suffix = {
            kind: tuple(file for file in listed if file.path.endswith(f".{kind.value}"))
            for kind in map(FileFormat, MigratedFormat)
        }
        found = {kind: files for kind, files in by_suffix.items() if files}
    if len(found) > 1:
        raise InvalidRequestError(
            "the folder holds files of several formats: name one, and move the others away",
            field="migrate.format",
            path=root,
            found=", ".join(kind.value for kind in found),
        )
    for kind, files in found.items():
        if files:
            return kind, files
    known = ", ".join(kind.value for kind in MigratedFormat)
    raise NotFoundError("there is no file of a known format in the folder", path=root, formats=known)


def _keys_of(root: str, path: str) -> tuple[str, ...]:
    folders = path.removeprefix(f"{root}/").split("/")[:-1]
    return tuple(folder.partition("=")[0] for folder in folders)


def _partition(plan: MigrationPlan, path: str) -> BinaryRow:
    """The partition that the folders of a file spell."""
    folders = path.removeprefix(f"{plan.root}/").split("/")[:-1]
    texts = [unquote(folder.partition("=")[2]) for folder in folders]
    types = [field.type for field in plan.fields[len(plan.fields) - len(plan.partition_keys) :]]
    try:
        values: list[Any] = [
            None if text == _NULL else parse_value(kind, text)
            for kind, text in zip(types, texts, strict=True)
        ]
    except InvalidRequestError as error:
        raise InvalidRequestError(error.what, **error.fields, path=path) from error
    return encode_row(types, values)


def _create(run: Run, plan: MigrationPlan) -> tuple[Table, bool]:
    """The table, and whether it was made now; an interrupted run's, without a snapshot, is gone on with."""
    database = run.spec.table.partition(".")[0]
    run.catalog.create_database(database, ignore_if_exists=True)
    is_new = not run.catalog.table_exists(run.spec.table)
    table = run.catalog.create_table(
        run.spec.table,
        plan.fields,
        partition_keys=plan.partition_keys,
        options={FILE_FORMAT.key: plan.format.value, **run.work.options, "bucket": "-1"},
        ignore_if_exists=True,
    )
    same = [(f.name, f.type) for f in table.schema.fields] == [(f.name, f.type) for f in plan.fields]
    if not same or table.snapshots.latest_id() is not None:
        raise AlreadyExistsError("there is another table of this name", table=run.spec.table)
    return table, is_new


@contextmanager
def _gone_if_it_fails(run: Run, table: Table, is_new: bool) -> Iterator[None]:
    """A new table goes again when its files cannot be taken over, unless somebody has committed to it."""
    try:
        yield
    except PaimonError:
        if is_new and table.snapshots.latest_id() is None:
            run.catalog.drop_table(run.spec.table)
        raise


def _apply(run: Run, plan: MigrationPlan) -> Outcome:
    suffix = plan.format.value
    files = [
        ForeignFile(file.path, _partition(plan, file.path), f"data-{uuid5(NAMESPACE_URL, name)}-0.{suffix}")
        for file, name in ((f, f"{run.user}/{f.path.removeprefix(plan.root)}") for f in plan.files)
    ]
    sizes = {file.path: file.size for file in plan.files}
    io = file_io_for(plan.root)
    checked = [files[start : start + _CHECKED_FILES] for start in range(0, len(files), _CHECKED_FILES)]
    run.executors.map(_Check(plan.columns, io), checked, "look at columns", "batches of files")
    table, is_new = _create(run, plan)
    batches = list(_batches(files, sizes))
    with _gone_if_it_fails(run, table, is_new):
        sent = run.executors.map(_Adopt(table, io), batches, "migrate", "batches of files")
    messages = decode_messages([message for task in sent for message in task])
    commit = TableCommit(table, run.user)
    snapshots = commit_or_abort(commit, messages, partial(commit.commit, messages))
    rows = sum(file.row_count for message in messages for file in message.new_files)
    return Outcome(snapshots=snapshots, metrics={"files": len(files), "rows": rows, "bytes": plan.size})


def _batches(files: Sequence[ForeignFile], sizes: dict[str, int]) -> Iterator[list[ForeignFile]]:
    batch: list[ForeignFile] = []
    size = 0
    for file in sorted(files, key=lambda file: -sizes[file.path]):
        if batch and (size + sizes[file.path] > _BATCH_BYTES or len(batch) == _BATCH_FILES):
            yield batch
            batch, size = [], 0
        batch.append(file)
        size += sizes[file.path]
    if batch:
        yield batch


def _verify(run: Run, plan: MigrationPlan, outcome: Outcome) -> Facts:
    """The snapshot holds every file of the folder, with as many rows as were read."""
    table = run.table_now()
    files = sum(len(added_entries(table, snapshot)) for snapshot in outcome.snapshots)
    return {
        "files_taken_over": files,
        "rows": outcome.metrics["rows"],
        **made_snapshots(table, outcome.snapshots),
    }


def _finished(run: Run) -> str | None:
    """A table that an earlier run has filled."""
    if not run.catalog.table_exists(run.spec.table):
        return None
    done = committed_before(run.table_now(), run.user)
    return f"an earlier run of this job has made the table, at {done[-1].reference}" if done else None


def _tells(run: Run, plan: MigrationPlan) -> dict[str, Any]:
    return {
        "format": plan.format.value,
        "columns": [f"{field.name} {field.type}" for field in plan.fields],
        "partition_keys": list(plan.partition_keys),
        "files": len(plan.files),
        "bytes": plan.size,
        "table_is_there": run.catalog.table_exists(run.spec.table),
    }


MIGRATE = Job(plan=_plan, apply=_apply, verify=_verify, commits=False, finished=_finished, tells=_tells)
