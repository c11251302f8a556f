"""Some rows as JSON for people: exact, and no more than one report line should hold."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.types import DataType

from core.errors import UnsupportedError
from core.types import type_to_text
from core.types.json_value import value_of
from spark_jobs.spark_types import paimon_type

MOST_BYTES = 8 * 1024**2  # of JSON


def first_rows(frame: DataFrame, limit: int) -> dict[str, Any]:
    """Columns and the first rows; `truncated` where there are more, or they are longer than is shown."""
    columns = [{"name": column.name, "type": _type_text(column.dataType)} for column in frame.schema]
    # Numbered: a query may give two columns one name.
    table: pa.Table = frame.toDF(*map(str, range(len(columns)))).limit(limit + 1).toArrow()
    values = [[value_of(value) for value in column.to_pylist()] for column in table.slice(0, limit).columns]
    rows: list[list[Any]] = []
    size = 0
    for row in zip(*values, strict=True):  # a preview's few rows: not a data path
        size += len(json.dumps(row, ensure_ascii=False).encode())
        if size > MOST_BYTES:
            break
        rows.append(list(row))
    return {"columns": columns, "rows": rows, "truncated": len(rows) < table.num_rows}


def _type_text(kind: DataType) -> str:
    """In Paimon's words; in Spark's where Paimon has no such type."""
    try:
        return type_to_text(paimon_type(kind))
    except UnsupportedError:
        return kind.simpleString().upper()
