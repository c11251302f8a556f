"""How a system table is described and read: fields, and columns that are made when asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import Enum
from functools import partial
from typing import Any, TypeAlias

from core.arrow import from_python
from core.snapshot import Snapshot
from core.system.text import Column
from core.table import Table
from core.types import DataField, DataType, Timestamp

Columns: TypeAlias = Mapping[str, Callable[[], Column]]
"""A column by name, made on call: what a projection leaves out costs nothing."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Shows(Enum):
    """What a system table speaks of, which says whether it can travel in time."""

    TABLE = "the table as it is"
    SCHEMA = "the latest schema, or that of the snapshot asked for"
    SNAPSHOT = "the latest snapshot, or the one asked for"


@dataclass(frozen=True, slots=True)
class SystemTableKind:
    """One row of the registry: what a system table is called, holds, and is read with."""

    name: str
    fields: tuple[DataField, ...]
    read: Callable[[Table, Snapshot | None], Columns]
    shows: Shows = Shows.TABLE


def fields_of(**types: DataType) -> tuple[DataField, ...]:
    """Fields in the order given; ids count from 0."""
    return tuple(DataField(i, name, data_type) for i, (name, data_type) in enumerate(types.items()))


def required(data_type: DataType) -> DataType:
    return data_type.with_nullability(False)


def columns_of_rows(fields: Sequence[DataField], rows: Iterable[Sequence[Any]]) -> Columns:
    """For the small tables: rows of internal values, in the order of the fields."""
    members = list(zip(*rows, strict=True)) or [()] * len(fields)
    return {
        field.name: partial(from_python, values, field.type)
        for field, values in zip(fields, members, strict=True)
    }


def wall_clock(epoch_millis: int) -> Timestamp:
    """An instant as a clock on this machine's wall showed it, which is how Paimon prints it."""
    instant = _EPOCH + timedelta(milliseconds=epoch_millis)
    offset = instant.astimezone().utcoffset() or timedelta()
    return Timestamp(epoch_millis + offset // timedelta(milliseconds=1))
