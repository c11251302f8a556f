"""Commits of format tables: nothing is seen before, and what a crash leaves can be read."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from core.errors import InvalidRequestError, StorageError
from core.format_table import FormatTable, WrittenFile
from core.io.obstore_io import MemoryFileIO
from tests.core.format_table.tables import file_names, format_table


def table_of(io: Any) -> FormatTable:
    return format_table({"i": "INT", "p": "INT"}, ["p"], io=io, file__format="csv")


def written(table: FormatTable, i: list[int], p: list[int]) -> list[WrittenFile]:
    write = table.new_write()
    write.write(pa.table({"i": pa.array(i, pa.int32()), "p": pa.array(p, pa.int32())}))
    return write.prepare_commit()


def values(table: FormatTable) -> list[int]:
    return sorted(table.to_arrow(["i"])["i"].to_pylist())


def test_rows_are_seen_when_they_are_committed_and_not_before() -> None:
    table = table_of(MemoryFileIO())
    made = written(table, [1, 2], [1, 2])
    assert values(table) == []
    assert sum(file.record_count for file in made) == 2
    table.new_commit().append(made)
    assert values(table) == [1, 2]


def test_an_aborted_write_leaves_no_file() -> None:
    table = table_of(MemoryFileIO())
    table.new_commit().abort(written(table, [1], [1]))
    write = table.new_write()
    write.write(pa.table({"i": pa.array([1], pa.int32()), "p": pa.array([1], pa.int32())}))
    write.abort()
    assert file_names(table) == []


def test_an_overwrite_replaces_the_partitions_of_its_rows_or_those_named_or_all() -> None:
    table = table_of(MemoryFileIO())
    table.new_commit().append(written(table, [1, 2, 3], [1, 2, 3]))
    assert table.new_commit().overwrite(written(table, [4], [1])) == 1
    assert values(table) == [2, 3, 4]
    assert table.new_commit().overwrite(written(table, [5], [2]), {"p": "2"}) == 1
    assert values(table) == [3, 4, 5]
    assert table.new_commit().overwrite(written(table, [6], [9]), {}) == 3
    assert values(table) == [6]


def test_an_overwrite_of_a_partition_takes_no_rows_of_another() -> None:
    table = table_of(MemoryFileIO())
    table.new_commit().append(written(table, [1], [1]))
    with pytest.raises(InvalidRequestError, match="found=p=11"):
        table.new_commit().overwrite(written(table, [2, 3], [1, 11]), {"p": "1"})
    assert (values(table), len(file_names(table))) == ([1], 1)


def test_an_append_whose_store_fails_takes_back_what_it_has_named() -> None:
    io = MemoryFileIO()
    made = written(table_of(io), [1, 2, 3], [1, 2, 3])
    renames: list[str] = []

    class Failing(MemoryFileIO):
        def __getattribute__(self, name: str) -> Any:
            return object.__getattribute__(self, name) if name == "rename_file" else getattr(io, name)

        def rename_file(self, source: str, target: str) -> None:
            renames.append(target)
            if len(renames) == 2:
                raise StorageError("the store failed", path=source, operation="copy", cause="test")
            io.rename_file(source, target)

    with pytest.raises(StorageError, match="the store failed"):
        table_of(Failing()).new_commit().append(made)
    assert len(renames) == 2
    assert file_names(table_of(io)) == []


def test_an_overwrite_that_dies_leaves_old_rows_or_new_ones_and_never_none() -> None:
    for death in range(1, 12):
        io = MemoryFileIO()
        table = table_of(io)
        table.new_commit().append(written(table, [1, 2], [1, 2]))
        made = written(table, [8, 9], [1, 2])
        dying = _Dying(io, death)
        try:
            table_of(dying).new_commit().overwrite(made, {})
            died = False
        except _DiedError:
            died = True
        left = values(table)
        assert {1, 2} <= set(left) or {8, 9} <= set(left)
        table.new_commit().overwrite(written(table, [8, 9], [1, 2]), {})
        assert values(table) == [8, 9]
        if not died:
            return
    raise AssertionError("the overwrite never came to its end")


class _DiedError(BaseException):
    pass


class _Dying:
    """A store whose process dies at a change."""

    def __init__(self, io: Any, change: int) -> None:
        self._io = io
        self._left = change

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._io, name)
        if name not in ("rename_file", "delete"):
            return found

        def act(*given: Any) -> Any:
            self._left -= 1
            if self._left == 0:
                raise _DiedError
            return found(*given)

        return act
