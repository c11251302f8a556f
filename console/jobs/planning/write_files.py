"""What a write to a format table is refused, and what an overwrite of it deletes: files, for good."""

from __future__ import annotations

from typing import Any

from core.errors import UnsupportedError
from core.format_table import FormatTable
from core.format_table.partitions import PartitionNames, files_by_partition, find_partitions, prefix_of
from core.format_table.write import check_format_writable
from core.object_table import ObjectTable
from core.options import TYPE

_OF_SNAPSHOTS = ("row_kind_column", "merge_schema")


def check_files_write(table: FormatTable | ObjectTable, params: dict[str, Any]) -> FormatTable:
    """The table; `UnsupportedError` names what its files would not hold, or what needs snapshots."""
    if not isinstance(table, FormatTable):
        table.refuse_writes()
        raise UnsupportedError("no rows are written to such a table", feature=TYPE.key)
    for name in _OF_SNAPSHOTS:
        if params.get(name):
            raise UnsupportedError("a format table has no such writes", feature=name)
    check_format_writable(table.schema)
    return table


def replaced_files(table: FormatTable, partition: dict[str, str | None] | None) -> dict[str, Any]:
    """Files that an overwrite deletes: of the named partition, of the whole table, or not known yet.

    Raises:
        InvalidRequestError: a partition that is none.
    """
    if table.schema.partition_keys and partition is None:
        return {"files_removed": None, "bytes_removed": None, "rows_removed": None, "partitions": None}
    wanted = prefix_of(table.schema, partition or {})
    found, _ = find_partitions(table.io, table.location, PartitionNames.of(table.schema), ())
    chosen = [one for one in found if one.values[: len(wanted)] == wanted]
    files = [file for listed in files_by_partition(table.io, chosen) for file in listed]
    return {
        "files_removed": len(files),
        "bytes_removed": sum(file.size for file in files),
        "rows_removed": None,  # nobody counts them
        "partitions": sorted(one.directory.removeprefix(table.location).strip("/") or "-" for one in chosen),
    }
