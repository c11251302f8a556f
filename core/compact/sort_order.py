"""How a sort compaction orders rows, and of which tables it may. Spec: 07, 7.4; 10, 4.1. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import pyarrow as pa

from core.arguments import column_names
from core.arrow import arrow_type
from core.bucket import BucketMode, bucket_mode
from core.compact.curves import Curve, curve_bytes, curve_positions
from core.errors import InvalidRequestError, UnsupportedError
from core.options import (
    BUCKET,
    CLUSTERING_COLUMNS,
    CLUSTERING_INCREMENTAL,
    CLUSTERING_STRATEGY,
    ZORDER_TEXT_BYTES,
    TableOptions,
)
from core.schema.table_schema import TableSchema

_MANY_COLUMNS = 5  # from so many on, rows are clustered along a Hilbert curve unless the table says how
_POSITION = pa.field("_KEY_POSITION", pa.binary(), nullable=False)  # no column of a table has such a name


class SortStrategy(StrEnum):
    ORDER = "order"  # by the columns one after the other
    ZORDER = Curve.ZORDER.value
    HILBERT = Curve.HILBERT.value


@dataclass(frozen=True, slots=True)
class SortOrder:
    """Made by `sort_order`, which checks it against a table."""

    strategy: SortStrategy
    columns: tuple[str, ...]
    text_bytes: int  # of texts that count for z-order

    def __str__(self) -> str:
        return f"{self.strategy}: {', '.join(self.columns)}"

    @property
    def key(self) -> tuple[str, ...]:
        """The columns that `keyed` rows are sorted by."""
        return self.columns if self.strategy is SortStrategy.ORDER else (_POSITION.name,)

    def keyed(self, rows: pa.RecordBatch) -> pa.RecordBatch:
        """The rows with all columns of `key`."""
        if self.strategy is SortStrategy.ORDER:
            return rows
        columns = [rows.column(name) for name in self.columns]
        positions = curve_positions(Curve(self.strategy.value), columns, self.text_bytes)
        return rows.append_column(_POSITION, positions)


def sort_order(schema: TableSchema, strategy: SortStrategy | str, columns: Sequence[str]) -> SortOrder:
    """An order of the rows of a table.

    Raises:
        InvalidRequestError: the table is none that is sorted, no such strategy, or columns by which its
            rows cannot be sorted.
    """
    options = TableOptions(schema.options)
    _check_table(schema, options)
    return _checked(schema, options, strategy, tuple(column_names(columns)))


def clustering_order(schema: TableSchema) -> SortOrder:
    """The order that an append table is clustered by, as its options say.

    Raises:
        InvalidRequestError: no columns, or such as rows cannot be sorted by.
        UnsupportedError: rows with buckets are clustered.
    """
    options = TableOptions(schema.options)
    if options.get(BUCKET) != -1:
        raise UnsupportedError(
            "rows with buckets are not clustered by this release",
            feature=f"{CLUSTERING_INCREMENTAL.key} with buckets",
        )
    columns: tuple[str, ...] = options.get(CLUSTERING_COLUMNS)
    strategy = options.get(CLUSTERING_STRATEGY).lower()
    if strategy == "auto":
        curve = SortStrategy.ZORDER if len(columns) < _MANY_COLUMNS else SortStrategy.HILBERT
        strategy = SortStrategy.ORDER if len(columns) <= 1 else curve
    return _checked(schema, options, strategy, columns)


def _checked(
    schema: TableSchema, options: TableOptions, strategy: SortStrategy | str, columns: Sequence[str]
) -> SortOrder:
    if strategy not in list(SortStrategy):
        raise InvalidRequestError("no such order", found=strategy, expected=", ".join(SortStrategy))
    order = SortOrder(SortStrategy(strategy), tuple(columns), max(options.get(ZORDER_TEXT_BYTES), 1))
    _check_columns(schema, order)
    return order


def _check_table(schema: TableSchema, options: TableOptions) -> None:
    mode = bucket_mode(schema.primary_keys, schema.partition_keys, options.get(BUCKET))
    if mode is not BucketMode.BUCKET_UNAWARE:
        raise InvalidRequestError(
            "only append tables without buckets are sorted: others have an order already",
            primary_key=", ".join(schema.primary_keys) or "none",
            bucket=options.get(BUCKET),
        )
    if options.get(CLUSTERING_INCREMENTAL):
        raise InvalidRequestError(
            "a table that is clustered incrementally is not sorted", option=CLUSTERING_INCREMENTAL.key
        )


def _check_columns(schema: TableSchema, order: SortOrder) -> None:
    if len(order.columns) < (2 if order.strategy is SortStrategy.HILBERT else 1):
        raise InvalidRequestError(
            "too few columns to sort by",
            order=order.strategy.value,
            found=len(order.columns),
            expected="two or more" if order.columns else "one or more",
        )
    for name in order.columns:
        if name in schema.partition_keys:
            raise InvalidRequestError(
                "rows are sorted within a partition, where its keys are all equal", column=name
            )
        if name not in schema.field_names:
            raise InvalidRequestError("no such column to sort by", column=name)
        try:
            curve_bytes(pa.array([], arrow_type(schema.field(name).type)))
        except InvalidRequestError as error:
            raise InvalidRequestError(error.what, column=name, **error.fields) from error
