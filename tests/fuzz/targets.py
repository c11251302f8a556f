"""What is fuzzed: decoders of bytes, by name, and real files to start from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from io import BytesIO
from pathlib import Path

from core.avro import iter_batches
from core.binary import BinaryRow, decode_row
from core.datafile.blob import iter_blobs
from core.datafile.read import read_data_file
from core.deletionvectors import DeletionVector, decode_index_file, decode_vector, encode_index_file
from core.fileindex.container import decode_file_index
from core.io import MemoryFileIO
from core.manifest.columns import decode_manifests
from core.manifest.index_manifest import decode_index_manifest
from core.manifest.manifest_list import decode_manifest_list
from core.schema.table_schema import decode_schema
from core.snapshot.codec import decode_snapshot
from core.snapshot.consumers import decode_consumer
from core.snapshot.tags import decode_tag
from core.stats.table_statistics import decode_table_statistics
from core.tableindex.hash_index import decode_hash_index
from core.types import DataField, parse_type
from core.types.variant import variant_to_json
from tests.fuzz import indexes, reads, sketches

Target = Callable[[bytes], object]

_CORPORA = Path(__file__).resolve().parents[1] / "corpora"
_KINDS = ("INT", "STRING", "DECIMAL(20, 2)", "TIMESTAMP(9)", "ARRAY<INT>", "MAP<STRING, INT>", "ROW<x BYTES>")
_ROW = tuple(parse_type(text) for text in _KINDS)
_VECTOR_FILE, _VECTORS = encode_index_file(
    {
        "data-1.parquet": DeletionVector.of([1, 5, 70_000]),
        "data-2.parquet": DeletionVector.of([1, 1 << 40], is_64_bit=True),
    }
)
_FIELDS = (DataField(0, "id", parse_type("INT")), DataField(1, "name", parse_type("STRING")))


def _data_file(extension: str) -> Target:
    def read(data: bytes) -> int:
        io, path = MemoryFileIO(), f"memory://t/data-1.{extension}"
        io.write(path, data)
        return sum(batch.num_rows for batch in read_data_file(io, path, _FIELDS))

    return read


def _variant(data: bytes) -> str:
    return variant_to_json(data[1:], data[1 + data[0] :]) if data else ""


def _blobs(data: bytes) -> int:
    batches = iter_blobs(BytesIO(data), "b", max_rows=1000, max_bytes=1 << 20)
    return sum(batch.num_rows for _, batch in batches)


_INDEXES = {
    "bitmap-of-numbers": ("bitmap", "BIGINT"),
    "bitmap-of-texts": ("bitmap", "STRING"),
    "bloom-filter": ("bloom-filter", "STRING"),
    "bsi": ("bsi", "BIGINT"),
    "range-bitmap-of-numbers": ("range-bitmap", "BIGINT"),
    "range-bitmap-of-texts": ("range-bitmap", "STRING"),
}
_SKETCHES = ("hll-sketch", "rbm32", "theta-sketch")
_FILTERED = ("avro", "orc", "parquet")

TARGETS: Mapping[str, Target] = {
    "avro": lambda data: sum(batch.num_rows for batch in iter_batches(data)),
    "avro-file": _data_file("avro"),
    "binary-row": lambda data: decode_row(_ROW, BinaryRow(len(_ROW), data)),
    "blob": _blobs,
    "consumer": lambda data: decode_consumer("c", data),
    "deletion-vector": decode_vector,
    "deletion-vectors": lambda data: decode_index_file(data, _VECTORS),
    "file-index": decode_file_index,
    "hash-index": decode_hash_index,
    "index-manifest": decode_index_manifest,
    "manifest": lambda data: decode_manifests([data]),
    "manifest-list": decode_manifest_list,
    "orc-file": _data_file("orc"),
    "parquet-file": _data_file("parquet"),
    "schema": decode_schema,
    "snapshot": decode_snapshot,
    "statistics": decode_table_statistics,
    "tag": lambda data: decode_tag("t", data),
    "variant": _variant,
    **{name: indexes.ask(*of) for name, of in _INDEXES.items()},
    **{name: sketches.join(name) for name in _SKETCHES},
    **{f"{name}-filtered": reads.filtered(name) for name in _FILTERED},
}


def _files(pattern: str) -> Callable[[], Iterator[bytes]]:
    def samples() -> Iterator[bytes]:
        for path in sorted(_CORPORA.glob(pattern))[:20]:
            yield path.read_bytes()

    return samples


CORPORA: Mapping[str, Callable[[], Iterator[bytes]]] = {
    "avro": _files("java09/*.db/*/bucket-0/*.avro"),
    "avro-file": _files("java09/*.db/*/bucket-0/*.avro"),
    "blob": _files("*/*.db/*/bucket-0/*.blob"),
    "consumer": lambda: iter([b'{"nextSnapshot": 7}']),
    "deletion-vectors": lambda: iter([_VECTOR_FILE]),
    "file-index": _files("java09/idx.db/*/bucket-0/*.index"),
    "index-manifest": _files("*/*.db/*/manifest/index-manifest-*"),
    "manifest": _files("pypaimon21/*.db/*/manifest/manifest-????????-*-0"),
    "manifest-list": _files("*/*.db/*/manifest/manifest-list-*"),
    "orc-file": _files("java09/*.db/*/bucket-0/*.orc"),
    "parquet-file": _files("pypaimon21/*.db/*/bucket-0/*.parquet"),
    "schema": _files("*/*.db/*/schema/schema-*"),
    "snapshot": _files("*/*.db/*/snapshot/snapshot-*"),
    "statistics": _files("*/*.db/*/statistics/stats-*"),
    "tag": _files("*/*.db/*/tag/tag-*"),
    **{name: indexes.payloads(*of) for name, of in _INDEXES.items()},
    **{name: sketches.written(name) for name in _SKETCHES},
    **{f"{name}-filtered": reads.written(name) for name in _FILTERED},
}
