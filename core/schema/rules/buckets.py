"""Buckets and their keys."""

from __future__ import annotations

from collections.abc import Iterator

from core.errors import InvalidRequestError
from core.options import BUCKET, FULL_COMPACTION_DELTA_COMMITS, POSTPONE_BUCKET, TableOptions
from core.schema.rules.columns import cannot_be_key
from core.schema.table_schema import TableSchema
from core.types import type_to_text


def buckets(schema: TableSchema, options: TableOptions) -> Iterator[InvalidRequestError]:
    bucket, given = options.get(BUCKET), schema.options.get("bucket-key", "").strip()
    if bucket == 0 or bucket < POSTPONE_BUCKET:
        yield InvalidRequestError("bucket must be positive, -1 or -2", bucket=bucket)
    if bucket == POSTPONE_BUCKET and not schema.primary_keys:
        yield InvalidRequestError("bucket -2 needs a primary key", bucket=bucket)
    if bucket < 0 and given:
        yield InvalidRequestError(
            "bucket-key needs a fixed number of buckets", bucket=bucket, bucket_key=given
        )
    if bucket > 0 and not schema.bucket_keys:
        yield InvalidRequestError("an append table with buckets needs the option bucket-key", bucket=bucket)
    if bucket == -1 and not schema.primary_keys and options.get(FULL_COMPACTION_DELTA_COMMITS) is not None:
        yield InvalidRequestError("full-compaction.delta-commits needs buckets", bucket=bucket)


def bucket_keys(schema: TableSchema, options: TableOptions) -> Iterator[InvalidRequestError]:
    for name in schema.bucket_keys if schema.options.get("bucket-key") else ():
        if cannot_be_key(schema.field(name)):
            data_type = type_to_text(schema.field(name).type)
            yield InvalidRequestError("no type for a bucket key", column=name, type=data_type)
        if name in schema.partition_keys:
            yield InvalidRequestError("a bucket key cannot be a partition key", column=name)
        if schema.primary_keys and name not in schema.primary_keys:
            yield InvalidRequestError("a bucket key must be part of the primary key", column=name)
