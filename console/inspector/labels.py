"""How partitions and keys are written for people, in URLs and in filters.

A partition is `dt=2026-11-20,hr=07`, each name and value percent-encoded where it holds a sign that
has a meaning here; `-` stands for the one partition of an unpartitioned table. Minimum and maximum
keys are data: without `data:read` each is a row of dots, which keeps the shape and hides the value.
Whether a value is told decides the `Sight`: of a masked partition key a stand-in is, by which lists, filters
and addresses work as by the value itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any
from urllib.parse import quote, unquote

import pyarrow as pa

from console.masking.sight import ALL, Sight
from core.binary import BinaryRow, decode_row
from core.errors import PaimonError
from core.options import PARTITION_DEFAULT_NAME, PARTITION_LEGACY_NAME
from core.partition import partition_path
from core.table import Table
from core.types import DataField, cast_text

UNPARTITIONED = "-"
HIDDEN = "•••"
_PLAIN = " !$&'()*;:@+<>[]{}|^`\"\\?#"  # needs no code of its own; URLs encode the whole segment


class Labels:
    """Texts of one table's partitions and keys."""

    def __init__(self, table: Table, sight: Sight = ALL) -> None:
        self._table = table
        self._sight = sight
        self._partitions: dict[bytes, str] = {}

    @cached_property
    def _partition_fields(self) -> tuple[DataField, ...]:
        return self._table.schema.partition_fields

    def partition(self, serialized: bytes) -> str:
        """The label of a partition, as entries hold it."""
        label = self._partitions.get(serialized)
        if label is None:
            label = self._partitions[serialized] = self._label(serialized)
        return label

    def _label(self, serialized: bytes) -> str:
        if BinaryRow.from_bytes(serialized).arity == 0:
            return UNPARTITIONED  # told by the row alone, so that a lost schema does not hide the files
        pairs = self.pairs(serialized)
        told = (_coded(text) if not self._sight.masks_column(key) else text for key, text in pairs)
        return ",".join(f"{_coded(key)}={text}" for (key, _), text in zip(pairs, told, strict=True))

    def pairs(self, serialized: bytes) -> list[tuple[str, str]]:
        """Each partition key with its value's text, or with what stands in for that."""
        fields = self._partition_fields
        values = self._values(fields, serialized)
        default = self._table.options.get(PARTITION_DEFAULT_NAME)
        texts = (default if v is None else cast_text(f.type, v) for f, v in zip(fields, values, strict=True))
        return [(f.name, self._sight.partition_text(f.name, t)) for f, t in zip(fields, texts, strict=True)]

    def partitions(self, column: pa.ChunkedArray[Any] | pa.Array[Any]) -> pa.Array[Any]:
        """The labels of a column of partitions; each distinct one is spelled once."""
        array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
        encoded = array.dictionary_encode()
        labels = pa.array([self.partition(value.as_py()) for value in encoded.dictionary], pa.string())
        return labels.take(encoded.indices)

    def partition_values(self, label: str) -> dict[str, str | None]:
        """The reverse of a label: value texts by key, None for the default partition."""
        if label == UNPARTITIONED:
            return {}
        default = self._table.options.get(PARTITION_DEFAULT_NAME)
        pairs = (part.partition("=") for part in label.split(","))
        texts = {unquote(key): unquote(value) for key, _, value in pairs}
        return {key: None if text == default else text for key, text in texts.items()}

    def directory(self, serialized: bytes) -> str:
        """The partition's directory below the table; empty for an unpartitioned table."""
        fields, options = self._partition_fields, self._table.options
        return partition_path(
            [f.name for f in fields],
            [f.type for f in fields],
            self._values(fields, serialized),
            options.get(PARTITION_DEFAULT_NAME),
            options.get(PARTITION_LEGACY_NAME),
        )

    def key_fields(self, schema_id: int) -> tuple[DataField, ...]:
        """What the keys of a file of that schema hold; empty for an append table."""
        return self._table.schemas.get(schema_id).key_fields()

    def key(self, schema_id: int, serialized: bytes) -> str | None:
        """A minimum or maximum key as text; None where files have no keys, or it cannot be read."""
        try:
            fields = self.key_fields(schema_id)
            if not fields:
                return None
            if not self._sight.tells_all(field.name for field in fields):
                return HIDDEN
            return self.values_text(fields, self._values(fields, serialized))
        except PaimonError:
            return None  # a damaged key or a lost schema does not take the file out of its list

    @staticmethod
    def values_text(fields: Sequence[DataField], values: Sequence[Any]) -> str:
        return ", ".join(cast_text(f.type, v) for f, v in zip(fields, values, strict=True))

    @staticmethod
    def _values(fields: Sequence[DataField], serialized: bytes) -> tuple[Any, ...]:
        return decode_row([f.type for f in fields], BinaryRow.from_bytes(serialized))


def _coded(text: str) -> str:
    return quote(text, safe=_PLAIN)
