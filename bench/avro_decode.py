"""Entries a second of CPU of the Avro decoder on a synthetic manifest, against fastavro.

    python -m bench.avro_decode [--entries 160000] [--block-bytes 64000] [--repeat 5]

The manifest has the full Java schema, 11 columns of statistics and the block size of Java's writer.
"""

from __future__ import annotations

import argparse
import io
import time
from collections.abc import Callable, Iterator
from typing import Any

import fastavro

from core.avro import decode_columns
from core.avro.container import open_container
from core.binary import EMPTY_ROW, encode_row
from core.manifest.avro_schemas import MANIFEST_SCHEMA
from core.types import parse_type

_TYPES = [parse_type(t) for t in ("BIGINT", "INT", "INT", "BIGINT", "DOUBLE", "DOUBLE", "STRING", "STRING")]
_TYPES += [parse_type("TIMESTAMP(6)"), parse_type("BOOLEAN"), parse_type("STRING")]


def entries(count: int) -> Iterator[dict[str, Any]]:
    """ADD entries of a partitioned append table, 1,600 a partition."""
    for i in range(count):
        yield {
            "_VERSION": 2,
            "_KIND": 0,
            "_PARTITION": encode_row([parse_type("STRING")], [f"2024-01-{i // 1600:03d}"]).to_bytes(),
            "_BUCKET": i % 16,
            "_TOTAL_BUCKETS": 16,
            "_FILE": _file(i),
        }


def _file(i: int) -> dict[str, Any]:
    empty = EMPTY_ROW.to_bytes()
    low = [i * 1000, i, -i, i * 7, i / 3, -i / 3, f"low-{i}", "a", None, False, "row"]
    high = [i * 1000 + 999, i + 5, i, i * 9, i * 2.5, i / 2, f"low-{i}zz", "z" * 16, None, True, "row"]
    return {
        "_FILE_NAME": f"data-0b5a7a3c-7d7e-4b1e-9a5d-{i:012d}-{i % 16}.parquet",
        "_FILE_SIZE": 1_000_000 + i * 37 % 1_000_000,
        "_ROW_COUNT": 10_000 + i % 5000,
        "_MIN_KEY": empty,
        "_MAX_KEY": empty,
        "_KEY_STATS": {"_MIN_VALUES": empty, "_MAX_VALUES": empty, "_NULL_COUNTS": []},
        "_VALUE_STATS": {
            "_MIN_VALUES": encode_row(_TYPES, low).to_bytes(),
            "_MAX_VALUES": encode_row(_TYPES, high).to_bytes(),
            # Every 50th file has enough nulls for a count of two bytes.
            "_NULL_COUNTS": [0, 0, 0, 0, 500 * (i % 50 == 0), 3, 0, 0, 0, 0, 0],
        },
        "_MIN_SEQUENCE_NUMBER": i * 15_000,
        "_MAX_SEQUENCE_NUMBER": i * 15_000 + 14_999,
        "_SCHEMA_ID": 0,
        "_LEVEL": 0,
        "_EXTRA_FILES": [],
        "_CREATION_TIME": 1_700_000_000_000 + i,
        "_DELETE_ROW_COUNT": 0,
        "_FILE_SOURCE": 0,
    }


def _manifest(count: int, block_bytes: int) -> bytes:
    target = io.BytesIO()
    schema = fastavro.parse_schema(MANIFEST_SCHEMA)
    fastavro.writer(
        target,
        schema,
        entries(count),
        codec="zstandard",
        codec_compression_level=1,
        sync_interval=block_bytes,
    )
    return target.getvalue()


def _best(repeat: int, run: Callable[[], object]) -> float:
    times = []
    for _ in range(repeat):
        start = time.process_time()
        run()
        times.append(time.process_time() - start)
    return min(times)


def main() -> None:
    """Print one line a way."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--entries", type=int, default=160_000)
    parser.add_argument("--block-bytes", type=int, default=64_000)
    parser.add_argument("--repeat", type=int, default=5)
    arguments = parser.parse_args()
    data = _manifest(arguments.entries, arguments.block_bytes)
    blocks = list(open_container(io.BytesIO(data)).blocks)
    unpacked = sum(len(b.data) for b in blocks)
    print(f"{arguments.entries} entries, {len(blocks)} blocks, {len(data):,} bytes, {unpacked:,} unpacked")
    ways: dict[str, tuple[int, Callable[[], object]]] = {
        "unpack only": (arguments.repeat, lambda: list(open_container(io.BytesIO(data)).blocks)),
        "decode_columns": (arguments.repeat, lambda: decode_columns([data])),
        "fastavro": (1, lambda: list(fastavro.reader(io.BytesIO(data)))),
    }
    for name, (repeat, run) in ways.items():
        seconds = _best(repeat, run)
        print(f"{name:<16} {seconds:8.3f} s {arguments.entries / seconds:12,.0f} entries/s")


if __name__ == "__main__":
    main()
