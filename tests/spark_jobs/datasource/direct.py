"""What Spark does with a data source, step by step and without Spark: every hand-over is a pickle."""

from __future__ import annotations

import pickle
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql.datasource import CaseInsensitiveDict, Filter

from core.io import LocalFileIO
from core.table import Table
from spark_jobs.datasource import LakescopeSource
from spark_jobs.spark_types import arrow_of
from tests.tables import new_table


def local_table(folder: Path, columns: dict[str, str], keys: Iterable[str] = (), **options: Any) -> Table:
    """A table `db.t` on disk."""
    return new_table(columns, list(keys), io=LocalFileIO(), warehouse=str(folder / "wh"), **options)


def sent(value: Any) -> Any:
    """The value as another process gets it."""
    return pickle.loads(pickle.dumps(value))


def source(location: str, **options: str) -> LakescopeSource:
    """The source of a path with options spelled with `_` for `-` and `__` for `.`."""
    spelled = {key.replace("__", ".").replace("_", "-"): value for key, value in options.items()}
    return sent(LakescopeSource(CaseInsensitiveDict({"path": location, **spelled})))


def read(location: str, *filters: Filter, **options: str) -> tuple[pa.Table, list[Filter], int]:
    """The rows of a batch read, the filters that are left to Spark, and the number of tasks."""
    found = source(location, **options)
    schema = found.schema()
    reader = found.reader(schema)
    left = list(reader.pushFilters(list(filters)))
    partitions = reader.partitions()
    batches = [batch for part in partitions for batch in sent(reader).read(sent(part))]
    return pa.Table.from_batches(batches, arrow_of(schema)), left, len(partitions)


def rows(location: str, *filters: Filter, **options: str) -> list[tuple[Any, ...]]:
    """Those rows as tuples, in order."""
    table = read(location, *filters, **options)[0]
    return sorted(tuple(row.values()) for row in table.to_pylist())
