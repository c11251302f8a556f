"""The footer of a Parquet file, by pyarrow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import IO, Any

from pyarrow import parquet as pq

from core.inspect.footers.footer import MOST_GROUPS, FileFooter, FooterColumn, RowGroup, chosen

_LONGEST = 200  # signs of a property: Arrow keeps a whole schema in one


def read_parquet(source: IO[bytes], group: int | None) -> FileFooter:
    """As `read_footer`."""
    metadata: Any = pq.ParquetFile(source).metadata
    asked = [metadata.row_group(i) for i in chosen(metadata.num_row_groups, group)]
    columns = tuple(_column(metadata, asked, i) for i in range(metadata.num_columns))
    described = range(min(metadata.num_row_groups, MOST_GROUPS))
    return FileFooter(
        format="parquet",
        writer=metadata.created_by or None,
        version=metadata.format_version,
        rows=metadata.num_rows,
        codec=", ".join(sorted({column.codec for column in columns if column.codec})),
        footer_size=metadata.serialized_size,
        group_count=metadata.num_row_groups,
        groups=tuple(_group(metadata.row_group(i)) for i in described),
        columns=columns,
        properties={
            key.decode(errors="replace"): value.decode(errors="replace")[:_LONGEST]
            for key, value in sorted((metadata.metadata or {}).items())
        },
    )


def _group(group: Any) -> RowGroup:
    chunks = [group.column(i) for i in range(group.num_columns)]
    return RowGroup(
        rows=group.num_rows,
        offset=min((_start(chunk) for chunk in chunks), default=0),
        size=sum(chunk.total_compressed_size for chunk in chunks),
        raw_size=group.total_byte_size,
    )


def _start(chunk: Any) -> int:
    offset: int = chunk.data_page_offset
    return min(offset, chunk.dictionary_page_offset) if chunk.has_dictionary_page else offset


def _column(metadata: Any, groups: Sequence[Any], number: int) -> FooterColumn:
    kind = metadata.schema.column(number)
    chunks = [group.column(number) for group in groups]
    stats = [chunk.statistics if chunk.is_stats_set else None for chunk in chunks]
    logical = str(kind.logical_type)
    return FooterColumn(
        name=kind.path,
        type=kind.physical_type if logical == "None" else f"{kind.physical_type} ({logical})",
        codec=", ".join(sorted({chunk.compression.lower() for chunk in chunks})) or None,
        encodings=tuple(sorted({encoding for chunk in chunks for encoding in chunk.encodings})),
        size=sum(chunk.total_compressed_size for chunk in chunks),
        raw_size=sum(chunk.total_uncompressed_size for chunk in chunks),
        nulls=_sum([s.null_count if s is not None and s.has_null_count else None for s in stats]),
        low=_bound(stats, "min", min),
        high=_bound(stats, "max", max),
    )


def _sum(counts: Sequence[int | None]) -> int | None:
    return None if None in counts else sum(count or 0 for count in counts)


def _bound(stats: Sequence[Any], end: str, of_all: Callable[[list[Any]], Any]) -> Any:
    """The bound over all row groups; None unless each of them that has values tells its own."""
    found = []
    for each in stats:
        if each is not None and not each.has_min_max and each.num_values == 0:
            continue  # nulls alone
        if each is None or not each.has_min_max:
            return None
        try:
            found.append(getattr(each, end))
        except NotImplementedError:  # pyarrow has no value for bounds of this type
            return None
    return of_all(found) if found else None
