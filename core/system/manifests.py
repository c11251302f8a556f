"""`$manifests`: those of the base, delta and changelog list of the snapshot, in that order. Spec: 04, B."""

from __future__ import annotations

from core.binary import BinaryRow, decode_row
from core.manifest import ManifestFileMeta
from core.partition import partition_text
from core.schema import TableSchema
from core.snapshot import Snapshot
from core.system.columns import Columns, Shows, SystemTableKind, columns_of_rows, fields_of, required
from core.table import Table
from core.types import STRING, BigIntType

FIELDS = fields_of(
    file_name=required(STRING),
    file_size=required(BigIntType()),
    num_added_files=required(BigIntType()),
    num_deleted_files=required(BigIntType()),
    schema_id=required(BigIntType()),
    min_partition_stats=STRING,
    max_partition_stats=STRING,
    min_row_id=BigIntType(),
    max_row_id=BigIntType(),
)


def _read(table: Table, at: Snapshot | None) -> Columns:
    if at is None:
        return columns_of_rows(FIELDS, ())
    manifests = table.manifests.manifests(at) + table.manifests.changelog_manifests(at)
    return columns_of_rows(FIELDS, (_row(table.schema, meta) for meta in manifests))


def _row(schema: TableSchema, meta: ManifestFileMeta) -> tuple[object, ...]:
    return (
        meta.file_name,
        meta.file_size,
        meta.num_added_files,
        meta.num_deleted_files,
        meta.schema_id,
        partition_bound(schema, meta.partition_stats.min_values),
        partition_bound(schema, meta.partition_stats.max_values),
        meta.min_row_id,
        meta.max_row_id,
    )


def partition_bound(schema: TableSchema, row: BinaryRow) -> str | None:
    """The row form of a minimum or maximum of partitions; None where a writer kept none."""
    if row.arity != len(schema.partition_keys):
        return None
    return partition_text(schema.partition_types, decode_row(schema.partition_types, row))


MANIFESTS = SystemTableKind("manifests", FIELDS, _read, shows=Shows.SNAPSHOT)
