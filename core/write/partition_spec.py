"""Partitions chosen by the values of some keys: `{"dt": "2026-11-20"}`. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from core.binary import BinaryRow, decode_row
from core.errors import InvalidRequestError
from core.options import PARTITION_DEFAULT_NAME, TableOptions
from core.partition import parse_value
from core.schema.table_schema import TableSchema

PartitionSpec = Mapping[str, str | None]
"""Values of partition keys as text; keys that are left out match anything.

None is the null value, and so is the text of `partition.default-name`: as Paimon has it.
"""


def partition_test(
    schema: TableSchema, wanted: Sequence[PartitionSpec | BinaryRow]
) -> Callable[[BinaryRow], bool]:
    """Whether a partition is one of those wanted, or has the values of one of the specs.

    Not every value comes back from its text (TIME with milliseconds, BINARY that is no UTF-8): who
    knows the partition itself names it by its row.

    Raises:
        InvalidRequestError: as `parse_partition_spec`.
    """
    rows = frozenset(one for one in wanted if isinstance(one, BinaryRow))
    specs = [parse_partition_spec(schema, one) for one in wanted if not isinstance(one, BinaryRow)]
    return lambda found: found in rows or any(matches_spec(schema, found, spec) for spec in specs)


def parse_partition_spec(schema: TableSchema, spec: PartitionSpec) -> dict[int, object]:
    """The position and value of each key that the spec names.

    Raises:
        InvalidRequestError: not a partition key, or no value of its type.
    """
    for name in spec:
        if name not in schema.partition_keys:
            raise InvalidRequestError(
                "not a partition key", column=name, partition_keys=", ".join(schema.partition_keys) or "none"
            )
    null = TableOptions(schema.options).get(PARTITION_DEFAULT_NAME)
    given = {name: None if text == null else text for name, text in spec.items()}
    fields = enumerate(schema.partition_fields)
    return {i: parse_value(field.type, given[field.name]) for i, field in fields if field.name in given}


def matches_spec(schema: TableSchema, partition: BinaryRow, wanted: Mapping[int, object]) -> bool:
    """Whether a partition has the values that a parsed spec names."""
    if not wanted:
        return True
    values = decode_row(schema.partition_types, partition)
    return all(_is_same(values[i], value) for i, value in wanted.items())


def _is_same(found: object, wanted: object) -> bool:
    """As partitions differ: NaN is a value, and -0.0 another one than 0.0."""
    if isinstance(found, float) and isinstance(wanted, float):
        return repr(found) == repr(wanted)
    return found == wanted
