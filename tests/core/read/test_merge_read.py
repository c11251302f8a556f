"""A merged read shows of each key what the clear form of the merge engine shows. Spec: 06; 09, 8."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.mergetree.key_value import KeyValue
from core.mergetree.merge.deduplicate import Deduplicate
from core.types import RowKind, Timestamp
from tests.core.read.bucket import Bucket, Row, schema

KEY_TYPES: dict[str, st.SearchStrategy[Any]] = {
    "BOOLEAN": st.booleans(),
    "TINYINT": st.integers(-128, 127),
    "INT": st.integers(-(2**31), 2**31 - 1),
    "BIGINT": st.integers(-(2**63), 2**63 - 1),
    "STRING": st.text(max_size=4) | st.text("a\0", max_size=3) | st.text(min_size=70, max_size=80),
    "VARCHAR(9)": st.text(max_size=9),
    "BYTES": st.binary(max_size=4),
    "DECIMAL(9, 2)": st.decimals(-(10**6), 10**6, places=2),
    "DECIMAL(30, 3)": st.decimals(-(10**26), 10**26, places=3),
    "DATE": st.integers(-100_000, 100_000),
    "TIME(3)": st.integers(0, 86_399_999),
    "TIMESTAMP(3)": st.builds(Timestamp, st.integers(-(9 * 10**12), 9 * 10**12), st.just(0)),
    "TIMESTAMP(6)": st.builds(
        Timestamp, st.integers(-(9 * 10**12), 9 * 10**12), st.integers(0, 999).map(lambda n: n * 1000)
    ),
    "TIMESTAMP_LTZ(9)": st.builds(Timestamp, st.integers(-(10**12), 10**12), st.integers(0, 999_999)),
}


@dataclass(frozen=True)
class Case:
    types: tuple[str, ...]
    runs: tuple[tuple[KeyValue, ...], ...]
    ignore_delete: bool
    extension: str

    @property
    def versions(self) -> list[KeyValue]:
        return [version for run in self.runs for version in run]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    types = tuple(draw(st.lists(st.sampled_from(sorted(KEY_TYPES)), min_size=1, max_size=3)))
    keys = draw(st.lists(st.tuples(*(KEY_TYPES[t] for t in types)), min_size=1, max_size=6))
    row = st.tuples(
        st.sampled_from(keys),
        st.sampled_from(RowKind),
        st.none() | st.integers(0, 5),
        st.none() | st.text("xyz", max_size=2),
    )
    drawn = draw(st.lists(st.lists(row, min_size=1, max_size=8), min_size=1, max_size=4))
    total = sum(map(len, drawn))
    numbers = iter(draw(st.permutations(range(total))) if draw(st.booleans()) else range(total))
    runs = tuple(
        tuple(sorted((KeyValue(k, next(numbers), kind, (v, w)) for k, kind, v, w in run), key=order_of))
        for run in drawn
    )
    return Case(types, runs, draw(st.booleans()), draw(st.sampled_from(["parquet", "orc"])))


def order_of(version: KeyValue) -> tuple[Any, ...]:
    key = tuple(part.encode() if isinstance(part, str) else part for part in version.key)
    return key, version.sequence_number, not version.kind.is_retract


def visible(case: Case, keep: Callable[[Row], bool] = lambda row: True) -> list[Row]:
    """The oracle: one key after another, oldest version first."""
    by_key: dict[tuple[Any, ...], list[KeyValue]] = {}
    for version in sorted(case.versions, key=order_of):
        by_key.setdefault(order_of(version)[0], []).append(version)
    newest = (Deduplicate(case.ignore_delete)(versions) for versions in by_key.values())
    rows = [(*v.key, *v.value) for v in newest if v is not None and not v.kind.is_retract]
    return [row for row in rows if keep(row)]


def bucket_of(case: Case, root: str) -> Bucket:
    keys = {f"k{i}": f"{text} NOT NULL" for i, text in enumerate(case.types)}
    columns = {**keys, "v": "INT", "w": "STRING"}
    bucket = Bucket(Path(root), schema(columns, list(keys), ignore_delete=str(case.ignore_delete).lower()))
    for run in case.runs:
        bucket.write(
            [(*version.key, *version.value) for version in run],
            sequences=[version.sequence_number for version in run],
            kinds=[version.kind for version in run],
            extension=case.extension,
            deletes=0,  # as pypaimon writes it, whatever the rows say
        )
    return bucket


def same(actual: Iterable[Row], expected: Iterable[Row]) -> None:
    assert sorted(map(repr, actual)) == sorted(map(repr, expected))


@settings(max_examples=settings().max_examples * 3 // 2)
@given(cases())
def test_rows_are_those_of_the_clear_form_for_keys_of_any_type(case: Case) -> None:
    with tempfile.TemporaryDirectory() as root:
        same(bucket_of(case, root).read(), visible(case))


@settings(max_examples=settings().max_examples // 2)
@given(cases(), st.integers(0, 5))
def test_a_filter_on_values_sees_merged_rows_only(case: Case, bound: int) -> None:
    with tempfile.TemporaryDirectory() as root:
        rows = bucket_of(case, root).read(filter=f"v >= {bound} OR v IS NULL")
        same(rows, visible(case, lambda row: row[-2] is None or row[-2] >= bound))


@settings(max_examples=settings().max_examples // 2)
@given(cases())
def test_columns_that_only_the_filter_and_the_merge_need_are_not_returned(case: Case) -> None:
    with tempfile.TemporaryDirectory() as root:
        rows = bucket_of(case, root).read(["w"], filter="v > 1")
        same(rows, [(row[-1],) for row in visible(case, lambda row: row[-2] is not None and row[-2] > 1)])


KV = {"k": "INT NOT NULL", "v": "INT", "s": "INT"}


def test_a_newer_version_that_the_filter_drops_still_hides_the_older_one(tmp_path: Path) -> None:
    bucket = Bucket(tmp_path, schema(KV, ["k"]))
    bucket.write([(1, 1, 0)], sequences=[0])
    bucket.write([(1, 2, 0)], sequences=[1])
    assert bucket.read(filter="v = 1") == []


def test_a_filter_on_the_key_skips_row_groups_and_loses_no_version(tmp_path: Path) -> None:
    bucket = Bucket(tmp_path, schema(KV, ["k"]))
    bucket.write([(i, 0, 0) for i in range(40)], sequences=range(40))
    bucket.write([(i, 1, 0) for i in range(0, 40, 7)], sequences=range(40, 46))
    assert bucket.read(filter="k IN (7, 8) AND v >= 0") == [(8, 0, 0), (7, 1, 0)]


@pytest.mark.parametrize("with_keys", [True, False])
def test_files_without_key_columns_are_read_by_their_values(tmp_path: Path, with_keys: bool) -> None:
    bucket = Bucket(tmp_path, schema(KV, ["k"]))
    bucket.write([(1, 1, 0), (2, 1, 0)], sequences=[0, 1], with_keys=with_keys)
    bucket.write([(2, 2, 0)], sequences=[2], with_keys=with_keys)
    assert sorted(bucket.read()) == [(1, 1, 0), (2, 2, 0)]


def test_deletes_in_a_single_upper_level_file_are_dropped_though_the_manifest_says_none(
    tmp_path: Path,
) -> None:
    bucket = Bucket(tmp_path, schema(KV, ["k"]))
    bucket.write([(1, 1, 0), (2, 2, 0)], kinds=[0, 3], level=5, deletes=0)
    assert bucket.read() == [(1, 1, 0)]


@pytest.mark.parametrize(("order", "expected"), [("ascending", [(1, 2, 9)]), ("descending", [(1, 1, 5)])])
def test_the_sequence_field_decides_before_the_sequence_number(
    tmp_path: Path, order: str, expected: list[Row]
) -> None:
    options = {"sequence__field": "s", "sequence__field__sort_order": order}
    bucket = Bucket(tmp_path, schema(KV, ["k"], **options))
    bucket.write([(1, 1, 5)], sequences=[0])
    bucket.write([(1, 2, 9)], sequences=[1])
    bucket.write([(1, 3, None)], sequences=[2])
    assert bucket.read() == expected


def test_equal_sequence_fields_leave_it_to_the_later_row(tmp_path: Path) -> None:
    bucket = Bucket(tmp_path, schema(KV, ["k"], sequence__field="s"))
    bucket.write([(1, 2, 5)], sequences=[1])
    bucket.write([(1, 1, 5)], sequences=[0])
    assert bucket.read() == [(1, 2, 5)]


def test_decimals_keep_their_digits_through_a_merge(tmp_path: Path) -> None:
    bucket = Bucket(tmp_path, schema({"k": "DECIMAL(20, 2) NOT NULL", "v": "DECIMAL(38, 10)"}, ["k"]))
    bucket.write([(Decimal("-1.10"), Decimal("0.0000000001")), (Decimal("7.00"), None)], sequences=[0, 1])
    bucket.write([(Decimal("7.00"), Decimal("1.0000000000"))], sequences=[2])
    assert sorted(map(str, bucket.read(["v"]))) == sorted(
        map(str, [(Decimal("0.0000000001"),), (Decimal("1.0000000000"),)])
    )
