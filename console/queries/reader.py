"""The child process of a preview: reads some rows with core, within limits, and prints them as JSON.

It knows no Django, so that it starts fast and holds no secret beyond the catalog options it is given.
"""

from __future__ import annotations

import json
import math
import resource
import sys
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import pyarrow as pa

from core import PaimonError, open_catalog
from core.types import type_to_text

CPU_SECONDS = 20
MEMORY = 4 * 1024**3  # bytes of address space
MOST_OUTPUT = 8 * 1024**2  # bytes of JSON
EXACT = 2**53


def main() -> None:
    """Answer the request on standard input."""
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 1))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    request = json.load(sys.stdin)
    try:
        answer = read(request)
    except PaimonError as error:
        fields = {name: str(value) for name, value in error.fields.items()}
        answer = {"error": {"kind": type(error).__name__, "what": error.what, "fields": fields}}
    except MemoryError:
        answer = {"limit": "4 GiB of memory"}
    text = json.dumps(answer, ensure_ascii=False, allow_nan=False)
    if len(text.encode()) > MOST_OUTPUT:
        text = json.dumps({"limit": "8 MiB of rows: choose fewer rows or columns"})
    sys.stdout.write(text)


def read(request: dict[str, Any]) -> dict[str, Any]:
    """Columns and rows of the first batches that hold enough of them."""
    table = open_catalog(request["catalog"]).get_data_table(request["table"])
    limit, at = request["limit"], request["snapshot"]
    schema = table.schema if at is None else table.schemas.get(request["schema"])
    by_name = {field.name: field for field in schema.fields}
    batches = table.to_batches(columns=request["columns"], filter=request["filter"], snapshot_id=at)
    names: list[str] = []
    rows: list[list[Any]] = []
    for batch in batches:
        names = batch.schema.names
        rows.extend(rows_of(batch.slice(0, limit + 1 - len(rows))))
        if len(rows) > limit:
            break
    names = names or request["columns"] or [field.name for field in schema.fields]
    columns = [
        {"id": by_name[name].id, "name": name, "type": type_to_text(by_name[name].type)} for name in names
    ]
    return {"columns": columns, "rows": rows[:limit], "truncated": len(rows) > limit}


def rows_of(batch: pa.RecordBatch) -> Iterator[list[Any]]:
    """The rows of a batch as JSON values. A preview's few rows: not a data path."""
    columns = [[value_of(value) for value in column.to_pylist()] for column in batch.columns]
    yield from (list(row) for row in zip(*columns, strict=True))


def value_of(value: Any) -> Any:
    """A value as JSON: exact, so 64-bit integers, decimals and odd floats are texts."""
    match value:
        case None | bool() | str():
            return value
        case int():
            return value if abs(value) < EXACT else str(value)
        case float():
            return value if math.isfinite(value) else str(value)
        case Decimal():
            return format(value, "f")
        case bytes():
            return value.hex()
        case datetime() | date() | time():
            return value.isoformat()
        case timedelta():
            return value.total_seconds()
        case dict():
            return {str(name): value_of(member) for name, member in value.items()}
        case list() | tuple():
            return [value_of(member) for member in value]
    return str(value)


if __name__ == "__main__":
    main()
