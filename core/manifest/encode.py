"""Entries -> the bytes of a manifest. Spec: 02, 3."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from core.avro import encode_container
from core.manifest.avro_schemas import MANIFEST_SCHEMA
from core.manifest.columns import MANIFEST_VERSION, EntryColumns
from core.manifest.entry import ManifestEntry

_ROWS_AT_ONCE = 4096


def encode_manifest(
    entries: EntryColumns | Iterable[ManifestEntry], *, codec: str = "zstandard", level: int = 1
) -> bytes:
    """The content of a manifest with the full current list of fields."""
    columns = entries if isinstance(entries, EntryColumns) else EntryColumns.of(entries)
    return encode_container(MANIFEST_SCHEMA, _records(columns), codec=codec, level=level)


def _records(entries: EntryColumns) -> Iterator[dict[str, Any]]:
    for batch in entries.table.to_batches(max_chunksize=_ROWS_AT_ONCE):
        for values in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            yield _record(*values)


def _record(*values: Any) -> dict[str, Any]:
    """The Avro record of one row, values in the order of `ENTRY_SCHEMA`."""
    kind, partition, bucket, total_buckets, *of_file = values
    (name, size, rows, min_key, max_key, key_min, key_max, key_nulls, value_min, value_max, value_nulls,
     min_sequence, max_sequence, schema_id, level, extra_files, created, deletes, embedded, source,
     stats_cols, external_path, first_row_id, write_cols, write_sequences) = of_file  # fmt: skip
    return {
        "_VERSION": MANIFEST_VERSION,
        "_KIND": kind,
        "_PARTITION": partition,
        "_BUCKET": bucket,
        "_TOTAL_BUCKETS": total_buckets,
        "_FILE": {
            "_FILE_NAME": name,
            "_FILE_SIZE": size,
            "_ROW_COUNT": rows,
            "_MIN_KEY": min_key,
            "_MAX_KEY": max_key,
            "_KEY_STATS": {"_MIN_VALUES": key_min, "_MAX_VALUES": key_max, "_NULL_COUNTS": key_nulls or []},
            "_VALUE_STATS": {
                "_MIN_VALUES": value_min,
                "_MAX_VALUES": value_max,
                "_NULL_COUNTS": value_nulls or [],
            },
            "_MIN_SEQUENCE_NUMBER": min_sequence,
            "_MAX_SEQUENCE_NUMBER": max_sequence,
            "_SCHEMA_ID": schema_id,
            "_LEVEL": level,
            "_EXTRA_FILES": extra_files or [],
            "_CREATION_TIME": created,
            "_DELETE_ROW_COUNT": deletes,
            "_EMBEDDED_FILE_INDEX": embedded,
            "_FILE_SOURCE": source,
            "_VALUE_STATS_COLS": stats_cols,
            "_EXTERNAL_PATH": external_path,
            "_FIRST_ROW_ID": first_row_id,
            "_WRITE_COLS": write_cols,
            "_WRITE_COLS_SEQUENCES": write_sequences,
        },
    }
