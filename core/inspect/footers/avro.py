"""An Avro file has no footer: its header names columns and codec, and each block its rows and bytes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import IO, Any

from core.avro.container import iter_block_heads, open_container
from core.inspect.footers.footer import MOST_GROUPS, FileFooter, FooterColumn, RowGroup, chosen


def read_avro(source: IO[bytes], group: int | None) -> FileFooter:
    """As `read_footer`; the blocks are passed over, none is unpacked."""
    container = open_container(source)
    blocks = [RowGroup(head.count, head.offset, head.size, None) for head in iter_block_heads(source)]
    chosen(len(blocks), group)
    return FileFooter(
        format="avro",
        writer=None,
        version="1",
        rows=sum(block.rows for block in blocks),
        codec=container.codec,
        footer_size=None,
        group_count=len(blocks),
        groups=tuple(blocks[:MOST_GROUPS]),
        columns=tuple(_columns(container.schema)),
    )


def _columns(schema: Any) -> Iterator[FooterColumn]:
    if isinstance(schema, list):  # Paimon's writers say that the whole row may be null
        schema = next((kind for kind in schema if isinstance(kind, dict)), {})
    for member in schema.get("fields", ()) if isinstance(schema, dict) else ():
        yield FooterColumn(str(member.get("name")), _text(member.get("type")))


def _text(kind: Any) -> str:
    """`long`, `null | long`, `bytes (decimal)`, `record`, in the words of Avro."""
    if isinstance(kind, list):
        return " | ".join(_text(each) for each in kind)
    if not isinstance(kind, dict):
        return kind if isinstance(kind, str) else json.dumps(kind)
    name = _text(kind.get("type"))
    logical = kind.get("logicalType")
    return f"{name} ({logical})" if logical else name
