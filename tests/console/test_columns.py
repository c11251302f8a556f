"""What lists of files, buckets and partitions count by columns is what a loop over rows counts."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from console.inspector.indexes import files_with_index
from console.inspector.live import _index_kinds
from console.inspector.shape import sum_partitions
from core.manifest import EntryColumns, ManifestEntry
from tests.builders import entry

NAMES = st.lists(st.sampled_from(["f.index", "f.changelog", "f.index.x"]), max_size=3)
FILES = st.lists(st.tuples(st.booleans(), NAMES), max_size=8)


def entries(files: list[tuple[bool, list[str]]]) -> list[ManifestEntry]:
    return [
        entry(f"data-{i}.parquet", embedded_index=b"x" if embedded else None, extra_files=tuple(names))
        for i, (embedded, names) in enumerate(files)
    ]


@settings(max_examples=40)
@given(FILES)
def test_index_kinds_are_those_of_each_file(files: list[tuple[bool, list[str]]]) -> None:
    kinds = _index_kinds(EntryColumns.of(entries(files)))
    expected = [
        (["embedded"] if embedded else []) + [name.rpartition(".")[2] for name in names]
        for embedded, names in files
    ]
    assert kinds.to_pylist() == expected
    held = [i for i, kind in enumerate(expected) if "embedded" in kind or "index" in kind]
    assert files_with_index(pa.table({"index": kinds})).tolist() == held


ROW = st.fixed_dictionaries(
    {
        "partition": st.sampled_from(["dt=1", "dt=2", "-"]),
        "bucket": st.integers(0, 9),
        "rows": st.integers(0, 100),
        "bytes": st.integers(0, 100),
        "files": st.integers(1, 5),
        "deletes": st.none() | st.integers(0, 9),
        "runs": st.integers(1, 9),
        "last_update_at": st.none() | st.integers(0, 99),
    }
)
SCHEMA = pa.schema(
    [("partition", pa.string()), *((name, pa.int64()) for name in
     ("bucket", "rows", "bytes", "files", "deletes", "runs", "last_update_at"))]
)  # fmt: skip


@settings(max_examples=60)
@given(st.lists(ROW, max_size=12))
def test_partitions_sum_up_their_buckets(rows: list[dict[str, Any]]) -> None:
    found = {row["partition"]: row for row in sum_partitions(pa.Table.from_pylist(rows, SCHEMA)).to_pylist()}
    assert found == {name: _summed(name, rows) for name in {row["partition"] for row in rows}}


def _summed(name: str, rows: list[dict[str, Any]]) -> dict[str, Any]:
    own = [row for row in rows if row["partition"] == name]
    sizes, deletes = sorted(row["bytes"] for row in own), [row["deletes"] for row in own]
    return {
        "partition": name,
        "rows": sum(row["rows"] for row in own),
        "bytes": sum(sizes),
        "files": sum(row["files"] for row in own),
        "buckets": len(own),
        "deletes": None if None in deletes else sum(deletes),
        "runs_max": max(row["runs"] for row in own),
        "max_bucket_bytes": sizes[-1],
        "median_bucket_bytes": sizes[len(sizes) // 2],
        "last_update_at": max(
            (row["last_update_at"] for row in own if row["last_update_at"] is not None), default=None
        ),
    }
