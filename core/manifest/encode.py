"""Entries -> the bytes of a manifest, and what its list record says of them. Spec: 02, 3 and 5."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from core.manifest._avro_until_f import encode_container
from core.manifest.avro_schemas import MANIFEST_SCHEMA
from core.manifest.columns import MANIFEST_VERSION
from core.manifest.entry import ManifestEntry
from core.manifest.manifest_list import stats_record


def encode_manifest(entries: Iterable[ManifestEntry], *, level: int = 1) -> bytes:
    """The content of a manifest with the full current list of fields, zstandard at `level`."""
    return encode_container(MANIFEST_SCHEMA, [_record_of(entry) for entry in entries], level=level)


def _record_of(entry: ManifestEntry) -> dict[str, Any]:
    f = entry.file
    file = {
        "_FILE_NAME": f.file_name,
        "_FILE_SIZE": f.file_size,
        "_ROW_COUNT": f.row_count,
        "_MIN_KEY": f.min_key.to_bytes(),
        "_MAX_KEY": f.max_key.to_bytes(),
        "_KEY_STATS": stats_record(f.key_stats),
        "_VALUE_STATS": stats_record(f.value_stats),
        "_MIN_SEQUENCE_NUMBER": f.min_sequence_number,
        "_MAX_SEQUENCE_NUMBER": f.max_sequence_number,
        "_SCHEMA_ID": f.schema_id,
        "_LEVEL": f.level,
        "_EXTRA_FILES": list(f.extra_files),
        "_CREATION_TIME": f.creation_time_millis,
        "_DELETE_ROW_COUNT": f.delete_row_count,
        "_EMBEDDED_FILE_INDEX": f.embedded_index,
        "_FILE_SOURCE": None if f.file_source is None else int(f.file_source),
        "_VALUE_STATS_COLS": _list(f.value_stats_cols),
        "_EXTERNAL_PATH": f.external_path,
        "_FIRST_ROW_ID": f.first_row_id,
        "_WRITE_COLS": _list(f.write_cols),
        "_WRITE_COLS_SEQUENCES": _list(f.write_cols_sequences),
    }
    return {
        "_VERSION": MANIFEST_VERSION,
        "_KIND": int(entry.kind),
        "_PARTITION": entry.partition.to_bytes(),
        "_BUCKET": entry.bucket,
        "_TOTAL_BUCKETS": entry.total_buckets,
        "_FILE": file,
    }


def _list(values: tuple[Any, ...] | None) -> list[Any] | None:
    return None if values is None else list(values)
