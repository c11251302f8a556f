"""Sections and runs of a bucket. Spec: 07, 4."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from core.binary import BinaryRow, encode_row
from core.manifest.file_meta import DataFileMeta
from core.mergetree.sorted_run import interval_partition
from core.types import DataType, IntType, parse_type
from tests.builders import data_file

INT = IntType(nullable=False)


def file(
    name: str,
    low: object,
    high: object,
    sequences: tuple[int, int] = (0, 0),
    types: tuple[DataType, ...] = (INT,),
) -> DataFileMeta:
    def key(value: object) -> BinaryRow:
        return encode_row(types, value if isinstance(value, tuple) else (value,))

    return data_file(
        name,
        min_key=key(low),
        max_key=key(high),
        min_sequence_number=sequences[0],
        max_sequence_number=sequences[1],
    )


def names(files: list[DataFileMeta], types: tuple[DataType, ...] = (INT,)) -> list[list[str]]:
    """Names of the files of each run, section by section."""
    return [
        ["".join(f.file_name for f in run.files) for run in section.runs]
        for section in interval_partition(files, types)
    ]


def test_files_that_share_a_key_share_a_section() -> None:
    files = [file("c", 7, 9), file("a", 1, 3, (1, 1)), file("b", 3, 5, (2, 2))]
    assert names(files) == [["a", "b"], ["c"]]


def test_a_section_has_as_few_runs_as_can_be() -> None:
    files = [
        file("a", 1, 2, (1, 1)),
        file("b", 1, 9, (5, 5)),
        file("c", 3, 4, (2, 2)),
        file("d", 5, 6, (3, 3)),
    ]
    assert names(files) == [["acd", "b"]]


def test_runs_stand_oldest_first() -> None:
    files = [file("new", 1, 5, (10, 19)), file("old", 1, 5, (0, 9))]
    section = interval_partition(files, (INT,))[0]
    assert [run.files[0].file_name for run in section.runs] == ["old", "new"]
    assert section.ordered_by_sequence


def test_runs_whose_sequences_overlap_do_not_decide() -> None:
    files = [file("a", 1, 5, (0, 10)), file("b", 1, 5, (10, 19))]
    assert not interval_partition(files, (INT,))[0].ordered_by_sequence


def test_keys_of_several_columns_are_compared_column_by_column() -> None:
    types = (parse_type("STRING NOT NULL"), parse_type("BIGINT NOT NULL"))
    files = [
        file("b", ("ab", -1), ("b", 0), types=types),
        file("a", ("a", 5), ("ab", -2), types=types),
    ]
    assert names(files, types) == [["a"], ["b"]]


def test_no_files_have_no_sections() -> None:
    assert interval_partition([], (INT,)) == []


RANGES = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 6)), max_size=15)


@given(RANGES)
def test_sections_and_runs_never_overlap(ranges: list[tuple[int, int]]) -> None:
    bounds = {str(i): (low, low + width) for i, (low, width) in enumerate(ranges)}
    files = [file(name, low, high) for name, (low, high) in bounds.items()]
    sections = interval_partition(files, (INT,))
    assert sorted(f.file_name for s in sections for f in s.files) == sorted(bounds)
    spans = [
        (min(bounds[f.file_name][0] for f in s.files), max(bounds[f.file_name][1] for f in s.files))
        for s in sections
    ]
    assert all(left[1] < right[0] for left, right in itertools.pairwise(spans))
    for run in (run for s in sections for run in s.runs):
        inside = [bounds[f.file_name] for f in run.files]
        assert all(left[1] < right[0] for left, right in itertools.pairwise(inside))


@given(RANGES)
def test_a_section_has_as_many_runs_as_files_that_hold_one_key(ranges: list[tuple[int, int]]) -> None:
    files = [file(str(i), low, low + width) for i, (low, width) in enumerate(ranges)]
    for section in interval_partition(files, (INT,)):
        inside = [ranges[int(f.file_name)] for f in section.files]
        deepest = max(sum(low <= key <= low + width for low, width in inside) for key in range(40))
        assert len(section.runs) == deepest
