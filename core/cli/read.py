"""`lakescope read`: the rows of any table or system table, streamed."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from itertools import chain
from typing import Any

import pyarrow as pa

from core.arrow import arrow_schema
from core.catalog.table_types import PlainTable
from core.cli.formats import limited, write
from core.cli.targets import epoch_millis, source_of
from core.errors import InvalidRequestError
from core.object_table import ObjectTable
from core.system import SystemTable
from core.table import Table


def run_read(given: argparse.Namespace) -> int:
    source = source_of(given, given.table)
    if given.option:
        source = source.with_options(dict(given.option))
    at: dict[str, Any] = {
        "snapshot_id": given.snapshot,
        "tag": given.tag,
        "timestamp_millis": epoch_millis(given.at),
    }
    if given.explain:
        if isinstance(source, SystemTable | ObjectTable):
            raise InvalidRequestError("only reads of a table are explained", table=given.table)
        print(source.explain(given.columns, given.where, **at))
        return 0
    batches = source.to_batches(given.columns, given.where, **at)
    first = next(batches, None)
    if first is None:
        write(iter(()), _head(source, given, at), given.format)
    else:
        write(limited(chain([first], batches), given.limit), first.schema, given.format)
    return 0


def _head(
    source: Table | SystemTable | PlainTable, given: argparse.Namespace, at: Mapping[str, Any]
) -> pa.Schema:
    """The columns where there are no rows; a table had others at another time."""
    if isinstance(source, SystemTable | ObjectTable):
        return source.to_arrow(given.columns, given.where, **at).schema
    return arrow_schema(source.plan(given.columns, given.where, **at).fields)
