"""`$table_indexes`: one row an index file of the snapshot's index manifest. Spec: 04, B."""

from __future__ import annotations

from collections.abc import Sequence

from core.binary import decode_row
from core.manifest import DeletionVectorRange, GlobalIndexMeta, IndexManifestEntry
from core.partition import partition_text
from core.schema import TableSchema
from core.snapshot import Snapshot
from core.system.columns import Columns, Shows, SystemTableKind, columns_of_rows, fields_of, required
from core.table import Table
from core.types import STRING, ArrayType, BigIntType, IntType, RowType

_RANGE = RowType(
    fields=fields_of(
        f0=required(STRING), f1=required(IntType()), f2=required(IntType()), _CARDINALITY=BigIntType()
    )
)

FIELDS = fields_of(
    partition=STRING,
    bucket=required(IntType()),
    index_type=required(STRING),
    file_name=required(STRING),
    file_size=required(BigIntType()),
    row_count=required(BigIntType()),
    dv_ranges=ArrayType(_RANGE),
    row_range_start=BigIntType(),
    row_range_end=BigIntType(),
    index_field_id=IntType(),
    index_field_name=STRING,
)


def _read(table: Table, at: Snapshot | None) -> Columns:
    if at is None:
        return columns_of_rows(FIELDS, ())
    return columns_of_rows(FIELDS, (_row(table.schema, e) for e in table.manifests.index_entries(at)))


def _row(schema: TableSchema, entry: IndexManifestEntry) -> tuple[object, ...]:
    index = entry.global_index
    return (
        partition_text(schema.partition_types, decode_row(schema.partition_types, entry.partition)),
        entry.bucket,
        entry.index_type,
        entry.file_name,
        entry.file_size,
        entry.row_count,
        _ranges(entry.deletion_vector_ranges),
        index.row_range_start if index else None,
        index.row_range_end if index else None,
        index.index_field_id if index else None,
        _field_names(schema, index) if index else None,
    )


def _ranges(ranges: Sequence[DeletionVectorRange] | None) -> list[tuple[object, ...]] | None:
    if ranges is None:
        return None
    return [(r.data_file, r.offset, r.length, r.cardinality) for r in ranges]


def _field_names(schema: TableSchema, index: GlobalIndexMeta) -> str | None:
    """Names of the indexed columns, joined by commas; None if one of them is gone."""
    names = {field.id: field.name for field in schema.fields}
    ids = (index.index_field_id, *(index.extra_field_ids or ()))
    return ",".join(names[i] for i in ids) if all(i in names for i in ids) else None


TABLE_INDEXES = SystemTableKind("table_indexes", FIELDS, _read, shows=Shows.SNAPSHOT)
