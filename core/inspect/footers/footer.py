"""A file's own description, in the words of no format."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from core.errors import InvalidRequestError

MOST_GROUPS = 1000  # that are described one by one


@dataclass(frozen=True, slots=True)
class RowGroup:
    """A row group of Parquet, a stripe of ORC, a block of Avro."""

    rows: int
    offset: int  # of its first byte
    size: int  # bytes, packed
    raw_size: int | None  # bytes, unpacked; None: not said


@dataclass(frozen=True, slots=True)
class FooterColumn:
    """One column: a leaf of Parquet, a member of the top of ORC and Avro. None: the format does not say."""

    name: str  # with dots where it is nested
    type: str
    codec: str | None = None
    encodings: tuple[str, ...] = ()
    size: int | None = None  # bytes, packed
    raw_size: int | None = None  # bytes, unpacked
    nulls: int | None = None
    low: Any = None
    high: Any = None


@dataclass(frozen=True, slots=True)
class FileFooter:
    """What a file says of itself."""

    format: str
    writer: str | None
    version: str | None
    rows: int
    codec: str  # the codecs that occur
    footer_size: int | None  # bytes, packed
    group_count: int
    groups: tuple[RowGroup, ...]  # the first of them, `MOST_GROUPS` at most
    columns: tuple[FooterColumn, ...]
    properties: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


def chosen(count: int, group: int | None) -> range:
    """The row groups that are asked for: one, or all that are described.

    Raises:
        InvalidRequestError: the file has no such row group.
    """
    if group is None:
        return range(min(count, MOST_GROUPS))
    if not 0 <= group < count:
        raise InvalidRequestError("the file has no such row group", group=group, groups=count)
    return range(group, group + 1)
