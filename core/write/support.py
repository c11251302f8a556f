"""What a table must not ask of a writer, as we would write it wrongly. One list, tested.

A table that cannot be read is not written either (`core.read.support`), but that list grows
shorter: what readers learn writers and compactions do not know yet, so all of it is named here.
"""

from __future__ import annotations

from collections.abc import Callable

from core.datafile.write import check_held
from core.errors import InvalidRequestError, UnsupportedError
from core.options import (
    BRANCH_MERGE_ENABLED,
    BUCKET,
    CHANGELOG_FILE_FORMAT,
    DATA_EVOLUTION_ENABLED,
    FILE_FORMAT,
    FILE_FORMAT_PER_LEVEL,
    MANIFEST_FORMAT,
    PK_CLUSTERING_OVERRIDE,
    SEQUENCE_INIT_MODE,
    SEQUENCE_SNAPSHOT_ORDERING,
    TableOptions,
)
from core.read.support import check_readable
from core.schema.table_schema import TableSchema
from core.types import BlobType, GeographyType, GeometryType, inner_types
from core.write.layout import written_format
from core.write.target import WriteHome

_UNWRITTEN_TYPES = (GeometryType, GeographyType)


def check_writable(schema: TableSchema, options: TableOptions, home: WriteHome | None = None) -> None:
    """Refuse a table that this release cannot write correctly, or not in the catalog it is at home in.

    Raises:
        UnsupportedError: `feature` names what the table asks for.
    """
    check_readable(schema)
    for feature in (find(schema, options) for find in _CHECKS):
        if feature is not None:
            raise UnsupportedError("the table cannot be written by this release", feature=feature)
    kept = None if home is None else home.unwritten(options)
    if kept is not None:
        raise UnsupportedError("the table cannot be written: its catalog would not be kept up", feature=kept)


def check_takes_more_than_appends(options: TableOptions) -> None:
    """`InvalidRequestError` if the table's history is to be one of appends alone."""
    if options.get(BRANCH_MERGE_ENABLED):
        raise InvalidRequestError(
            "branches of the table are merged by the files that were appended: nothing else changes it",
            option=BRANCH_MERGE_ENABLED.key,
        )


def check_movable(schema: TableSchema, options: TableOptions, home: WriteHome | None = None) -> None:
    """Refuse a table whose rows cannot get another order or bucket.

    Raises:
        UnsupportedError: as `check_writable`; or rows are found by ids that files count from their first.
    """
    check_writable(schema, options, home)
    check_takes_more_than_appends(options)
    if options.get(DATA_EVOLUTION_ENABLED):
        raise UnsupportedError(
            "rows whose columns lie in several files stay where their ids say",
            feature="moving rows with data evolution",
        )


def _row_order(schema: TableSchema, options: TableOptions) -> str | None:
    if not schema.primary_keys:
        return None
    # Other writers would go on from a number in the last snapshot's properties, which ours has not.
    if options.get(SEQUENCE_INIT_MODE).lower() != "scan":
        return f"{SEQUENCE_INIT_MODE.key} = {options.get(SEQUENCE_INIT_MODE)}"
    ordered = (SEQUENCE_SNAPSHOT_ORDERING, PK_CLUSTERING_OVERRIDE)
    return next((option.key for option in ordered if options.get(option)), None)


def _blobs(schema: TableSchema, options: TableOptions) -> str | None:
    """Paimon from 2.0 on keeps blobs of primary-key tables in files that it manages in another way."""
    if options.get(DATA_EVOLUTION_ENABLED):
        return None
    blobs = (field.name for field in schema.fields if isinstance(field.type, BlobType))
    name = next(blobs, None)
    return f"type BLOB of column {name} without data evolution" if name else None


def _types(schema: TableSchema, options: TableOptions) -> str | None:
    for field in schema.fields:
        for inner in inner_types(field.type):
            if isinstance(inner, _UNWRITTEN_TYPES):
                return f"type {type(inner).__name__.removesuffix('Type').upper()} of column {field.name}"
    return None


def _file_format(schema: TableSchema, options: TableOptions) -> str | None:
    names = {options.get(FILE_FORMAT), *options.get(FILE_FORMAT_PER_LEVEL).values()}
    held = [field for field in schema.fields if not isinstance(field.type, BlobType)]  # those have their own
    names |= {options.get(CHANGELOG_FILE_FORMAT) or options.get(FILE_FORMAT)}
    for name in sorted(names):
        try:
            check_held(written_format(name), held)
        except UnsupportedError as error:
            return str(error.fields["feature"])
    return None


def _manifest_format(schema: TableSchema, options: TableOptions) -> str | None:
    """Paimon opens manifests in the format of the option, whatever their bytes are."""
    found = options.get(MANIFEST_FORMAT).lower()
    return None if found == "avro" else f"{MANIFEST_FORMAT.key} = {found}"


def _buckets(schema: TableSchema, options: TableOptions) -> str | None:
    return "writing postponed buckets (bucket = -2)" if options.get(BUCKET) < -1 else None


def _cross_partition(schema: TableSchema, options: TableOptions) -> str | None:
    fixed = schema.is_cross_partition and options.get(BUCKET) > 0
    return "fixed buckets with a primary key without the partition keys" if fixed else None


_CHECKS: tuple[Callable[[TableSchema, TableOptions], str | None], ...] = (
    _row_order,
    _blobs,
    _types,
    _file_format,
    _manifest_format,
    _buckets,
    _cross_partition,
)
