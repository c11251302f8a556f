"""Whether a schema makes sense; asked at creation and at every change. Spec: 09, 5; 01, 6 and 13."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from core.errors import InvalidRequestError
from core.options import TableOptions
from core.schema.rules.buckets import bucket_keys, buckets
from core.schema.rules.columns import column_names, keys, options_of_columns
from core.schema.rules.files import (
    clustering,
    file_indexes,
    formats,
    merged_branches,
    other_branches,
    record_times,
    retention,
    row_tracking,
    sorted_manifests,
)
from core.schema.rules.merging import (
    aggregate_functions,
    changelog,
    merge_engine,
    own_order,
    partial_update,
    sequence_field,
)
from core.schema.rules.reading import shown_columns, start
from core.schema.table_schema import TableSchema


def validate(schema: TableSchema) -> None:
    """Pass a schema that may be written; what is legal is not always what we can read or write.

    Raises:
        InvalidRequestError: the first rule of Paimon that the schema breaks.
    """
    options = TableOptions(schema.options)
    options.check()
    for rule in _RULES:
        for problem in rule(schema, options):
            raise problem


_Rule = Callable[[TableSchema, TableOptions], Iterator[InvalidRequestError]]

_RULES: tuple[_Rule, ...] = (
    column_names,
    keys,
    buckets,
    bucket_keys,
    start,
    changelog,
    merge_engine,
    sequence_field,
    own_order,
    partial_update,
    aggregate_functions,
    options_of_columns,
    formats,
    file_indexes,
    record_times,
    retention,
    row_tracking,
    clustering,
    merged_branches,
    sorted_manifests,
    shown_columns,
    other_branches,
)
