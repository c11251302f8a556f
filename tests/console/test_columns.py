"""What lists of files, buckets and partitions count by columns is what a loop over rows counts."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa
import pytest
from django.http import QueryDict
from hypothesis import given, settings
from hypothesis import strategies as st

from console.api.columns import page_of_changing_columns
from console.api.listing import Field, Kind, Listing, page_of_rows, parse_query
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


def _walked(
    rows: list[dict[str, Any]], sort: str, change: Callable[[int], list[dict[str, Any]]]
) -> list[Any]:
    """The ids of all pages of one row, of tables that `change` gives after each page."""
    names, parameters = [], QueryDict(f"limit=1&sort={sort}", mutable=True)
    table = pa.Table.from_pylist(rows, schema=CHANGING)
    while True:
        found, page = page_of_changing_columns(table, CHANGED, parse_query(CHANGED, parameters, "/here"))
        names += found.column("id").to_pylist()
        if page.next is None:
            return names
        parameters["cursor"] = page.next
        table = pa.Table.from_pylist(change(len(names)), schema=CHANGING)


CHANGING = pa.schema([("id", pa.string()), ("n", pa.int64()), ("at", pa.timestamp("us", "UTC"))])
CHANGED = Listing(
    key="id", fields={"id": Field(), "n": Field(Kind.NUMBER), "at": Field(Kind.TIME)}, default_sort="id"
)
TIMES = [datetime(2026, 11, 20, 10, tzinfo=UTC), None, datetime(2026, 11, 21, tzinfo=UTC)]
ROWS = [{"id": f"t{i}", "n": n, "at": TIMES[i % 3]} for i, n in enumerate([5, None, 5, 1, None, 9])]


@pytest.mark.parametrize("sort", ["id", "-id", "n", "-n", "at", "-at", "n,-at", "-n,id"])
def test_pages_of_changing_columns_follow_one_another_as_those_of_rows(sort: str) -> None:
    query = parse_query(CHANGED, QueryDict(f"limit=1000&sort={sort}"), "/here")
    expected = [row["id"] for row in page_of_rows(ROWS, CHANGED, query).rows]
    assert _walked(ROWS, sort, lambda _: ROWS) == expected


def test_a_row_that_comes_before_the_page_moves_no_other() -> None:
    more = [{"id": "a", "n": 0, "at": None}, *ROWS[1:]]
    assert _walked(ROWS, "id", lambda seen: more if seen >= 2 else ROWS) == [f"t{i}" for i in range(6)]
