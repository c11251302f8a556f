"""How files become splits. Spec: 09, 8.1."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.manifest import EntryColumns, ManifestEntry, encode_manifest
from core.manifest.columns import open_manifests
from core.scan import splits as splits_module
from core.scan.splits import Packing, Splits, append_layout, merge_tree_layout, pack
from core.types import IntType
from tests.builders import add, row

KEY = (IntType(nullable=False),)
PACKING = Packing(target_size=100, open_file_cost=10)


def entry(
    name: str, low: int = 0, high: int = 0, *, size: int = 10, sequence: int = 0, **changes: Any
) -> ManifestEntry:
    return add(
        name,
        file_size=size,
        min_key=row(low),
        max_key=row(high),
        min_sequence_number=sequence,
        max_sequence_number=sequence,
        **changes,
    )


def merge_tree(*entries: ManifestEntry) -> list[tuple[str, bool]]:
    """Names and raw flag of each split."""
    columns = EntryColumns.of(entries)
    layout = merge_tree_layout(columns, KEY, PACKING)
    return shown(Splits(1, columns.take(layout.order), layout))


def append(*entries: ManifestEntry) -> list[tuple[str, bool]]:
    columns = EntryColumns.of(entries)
    layout = append_layout(columns, PACKING)
    return shown(Splits(1, columns.take(layout.order), layout))


def shown(splits: Splits) -> list[tuple[str, bool]]:
    return [("".join(f.file_name for f in split.files), split.raw_convertible) for split in splits]


def test_append_files_are_packed_in_writing_order_up_to_the_target() -> None:
    files = [entry("b", size=60, sequence=2), entry("a", size=60, sequence=1), entry("c", sequence=3)]
    assert append(*files) == [("a", True), ("bc", True)]


def test_a_small_file_counts_as_much_as_opening_it_costs() -> None:
    files = [entry(name, size=1, sequence=i) for i, name in enumerate("abcdefghijkl")]
    assert append(*files) == [("abcdefghij", True), ("kl", True)]


def test_a_split_never_leaves_its_bucket() -> None:
    assert append(entry("a", bucket=1), entry("b", bucket=0), entry("c", bucket=1)) == [
        ("ac", True),
        ("b", True),
    ]


def test_overlapping_files_stay_in_one_split_however_large() -> None:
    files = [entry("a", 0, 5, size=90), entry("b", 5, 9, size=90), entry("c", 9, 9, size=90)]
    assert merge_tree(*files) == [("abc", False)]


def test_sections_are_packed_and_a_lone_file_without_deletes_is_raw() -> None:
    files = [entry("a", 0, 5, size=95), entry("b", 6, 9, size=10), entry("c", 20, 30), entry("d", 25, 26)]
    assert merge_tree(*files) == [("a", True), ("bcd", False)]


def test_a_lone_file_with_deletes_is_not_raw() -> None:
    assert merge_tree(entry("a", delete_row_count=1)) == [("a", False)]


def test_files_of_one_upper_level_are_packed_one_by_one_and_raw() -> None:
    files = [entry(n, i, i, level=3, size=50, delete_row_count=None) for i, n in enumerate("abc")]
    assert merge_tree(*files) == [("ab", True), ("c", True)]


def test_two_upper_levels_are_merged() -> None:
    assert merge_tree(entry("a", 0, 5, level=1), entry("b", 0, 9, level=2)) == [("ab", False)]


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(0, 3)), min_size=1, max_size=12))
def test_no_key_range_is_in_two_splits_and_no_file_is_lost(ranges: list[tuple[int, int, int]]) -> None:
    files = [
        entry(f"{i} ", min(a, b), max(a, b), bucket=bucket, size=40)
        for i, (a, b, bucket) in enumerate(ranges)
    ]
    columns = EntryColumns.of(files)
    layout = merge_tree_layout(columns, KEY, PACKING)
    splits = list(Splits(1, columns.take(layout.order), layout))
    assert sorted(f.file_name for s in splits for f in s.files) == sorted(e.file.file_name for e in files)
    for bucket in range(4):
        spans = sorted(
            (min(f.min_key.data for f in s.files), max(f.max_key.data for f in s.files))
            for s in splits
            if s.bucket == bucket
        )
        assert all(left[1] < right[0] for left, right in itertools.pairwise(spans))


@given(st.lists(st.tuples(st.integers(1, 120), st.integers(0, 2)), max_size=30))
def test_a_bin_passes_the_target_only_with_a_single_item(items: list[tuple[int, int]]) -> None:
    items.sort(key=lambda item: item[1])
    weights, groups = np.array([w for w, _ in items], int), np.array([g for _, g in items], int)
    ends = pack(weights, groups, 100).tolist()
    for start, end in zip([0, *ends], ends, strict=False):
        assert weights[start:end].sum() <= 100 or end - start == 1
        assert len(set(groups[start:end])) == 1


def test_splits_are_made_when_asked_for_and_can_be_sliced() -> None:
    columns = EntryColumns.of([entry("a", sequence=1, size=100), entry("b", sequence=2, size=100)])
    layout = append_layout(columns, PACKING)
    splits = Splits(7, columns.take(layout.order), layout)
    assert len(splits) == 2
    assert [s.files[0].file_name for s in splits[::-1]] == ["b", "a"]
    assert splits[-1].snapshot_id == 7


def test_splits_of_entries_not_read_to_the_end_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(splits_module, "_FILES_AT_ONCE", 3)
    files = [entry(f"f{i:02d}", sequence=i, size=40) for i in range(20)]
    read, opened = EntryColumns.of(files), open_manifests([encode_manifest(files)])
    layout = append_layout(opened, PACKING)
    late = Splits(7, opened.take(layout.order), layout)
    assert list(late) == list(Splits(7, read.take(layout.order), layout))
    assert late[3:7] == list(late)[3:7]
    assert [late[i] for i in range(-len(late), 0)] == list(late)
