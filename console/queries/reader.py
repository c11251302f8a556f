"""The child process of previews: reads some rows with core, within limits.

It says `ready`; then one request a line on standard input, one answer a line on standard output,
until the input ends.
It knows no Django, so that it starts fast and holds no secret beyond the catalog options of the
request that it is answering.
"""

from __future__ import annotations

import json
import math
import re
import resource
import sys
import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from console.environment import without_pandas
from console.queries.masked import Masking, masking_of
from core import PaimonError, Table, open_catalog
from core.datafile.system_fields import readable_fields
from core.errors import InvalidRequestError
from core.format_table import FormatTable
from core.inspect.raw_rows import raw_rows
from core.object_table import ObjectTable
from core.read.filters import bound_filter
from core.schema import TableSchema
from core.system.row_table import RowTable
from core.types import type_to_text
from core.types.json_value import value_of

CPU_SECONDS = 20  # of one request
MEMORY = 4 * 1024**3  # bytes of address space
MOST_OUTPUT = 8 * 1024**2  # bytes of JSON
MOST_KEPT = 1024**2  # KiB of memory with which the process is used again


def main() -> None:
    """Answer requests until there are no more."""
    without_pandas()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    _say("ready")
    for line in sys.stdin:
        _allow_cpu()
        answer = answer_to(json.loads(line))
        answer["spent"] = peak_memory() > MOST_KEPT
        _say(_text(answer))


def peak_memory() -> int:
    """KiB of memory that this process ever had at once.

    `ru_maxrss` begins with what the process that started this one had: a large one would spend every reader.
    """
    try:
        status = Path("/proc/self/status").read_text()
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # there is no /proc
    return int(re.search(r"^VmHWM:\s*(\d+) kB$", status, re.MULTILINE)[1])  # type: ignore[index]


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def _allow_cpu() -> None:
    """The limit counts from the start of the process: move it on for each request."""
    until = math.ceil(time.process_time()) + CPU_SECONDS
    resource.setrlimit(resource.RLIMIT_CPU, (until, resource.RLIM_INFINITY))


def answer_to(request: dict[str, Any]) -> dict[str, Any]:
    """The rows, or what kept them from being read."""
    try:
        return read(request)
    except PaimonError as error:
        fields = {name: str(value) for name, value in error.fields.items()}
        if request.get("masks") and "pointer" not in fields:
            fields = {}  # which may quote a value that is masked
        return {"error": {"kind": type(error).__name__, "what": error.what, "fields": fields}}
    except MemoryError:
        return {"limit": "4 GiB of memory"}
    except Exception:  # the next request is not to suffer; this one is logged by who asked
        if request.get("masks"):  # the exception's own text may quote a value that is masked
            return {"failure": "".join(traceback.format_tb(sys.exception().__traceback__))}  # type: ignore[union-attr]
        return {"failure": traceback.format_exc()}


def _text(answer: dict[str, Any]) -> str:
    text = json.dumps(answer, ensure_ascii=False, allow_nan=False)
    if len(text.encode()) <= MOST_OUTPUT:
        return text
    return json.dumps({"limit": "8 MiB of rows: choose fewer rows or columns", "spent": answer["spent"]})


def read(request: dict[str, Any]) -> dict[str, Any]:
    """Columns and rows of the first batches that hold enough of them."""
    limit, at = request["limit"], request["snapshot"]
    if request.get("file"):
        return _of_a_file(request)
    table, schema = _opened(request)
    masks = masking_of(request.get("masks") or ())
    _check(schema, request, masks)
    by_name = {field.name: field for field in readable_fields(schema)}
    batches = table.to_batches(columns=request["columns"], filter=request["filter"], snapshot_id=at)
    names: list[str] = []
    rows: list[list[Any]] = []
    for batch in batches:
        names = batch.schema.names
        part = batch.slice(0, limit + 1 - len(rows))
        rows.extend(masks.rows(rows_of(part), [by_name[name] for name in names]))
        if len(rows) > limit:
            break
    names = names or request["columns"] or [field.name for field in schema.fields]
    columns = [
        {
            "id": by_name[name].id,
            "name": name,
            "type": type_to_text(by_name[name].type),
            "masked": masks.kind_of(name),
        }
        for name in names
    ]
    return {"columns": columns, "rows": rows[:limit], "truncated": len(rows) > limit}


def _of_a_file(request: dict[str, Any]) -> dict[str, Any]:
    """The first rows of one data file as they stand in it: not merged, in all of its columns."""
    table, _ = _opened(request)
    if not isinstance(table, Table) or request["snapshot"] is None:
        raise InvalidRequestError("this table has no data files of a snapshot", table=request["table"])
    limit, masks = request["limit"], masking_of(request.get("masks") or ())
    found = raw_rows(table, table.snapshots.get(request["snapshot"]), request["file"])
    rows: list[list[Any]] = []
    for batch in found.batches:
        rows.extend(masks.rows(rows_of(batch.slice(0, limit + 1 - len(rows))), found.fields))
        if len(rows) > limit:
            break
    columns = [
        {
            "id": field.id if field.id >= 0 else None,
            "name": field.name,
            "type": type_to_text(field.type),
            "masked": masks.kind_of(field.name),
        }
        for field in found.fields
    ]
    return {"columns": columns, "rows": rows[:limit], "truncated": len(rows) > limit}


def _opened(request: dict[str, Any]) -> tuple[Table | RowTable | FormatTable | ObjectTable, TableSchema]:
    """What is read, a table or one of its system tables, and the columns that it has at the snapshot."""
    found = open_catalog(request["catalog"]).get_table(request["table"])
    if isinstance(found, FormatTable | ObjectTable):
        if request.get("files") != found.location:
            raise InvalidRequestError("the table has become another one: ask again", table=request["table"])
        return found, found.schema
    base = found.table if isinstance(found, RowTable) else found
    if not isinstance(base, Table):
        raise InvalidRequestError("this system table tells no rows of a table", table=request["table"])
    schema = base.schema if request["snapshot"] is None else base.schemas.get(request["schema"])
    if not isinstance(found, RowTable):
        return base, schema
    fields = found.fields_of(schema)
    return found, TableSchema(id=0, fields=fields, highest_field_id=max(field.id for field in fields))


def _check(schema: TableSchema, request: dict[str, Any], masks: Masking) -> None:
    """Raise what is wrong with the request, with a pointer to the member that is."""
    known = [field.name for field in readable_fields(schema)]
    unknown = [name for name in request["columns"] or () if name not in known]
    if unknown:
        raise InvalidRequestError(
            "no such column", pointer="/columns", column=unknown[0], columns=", ".join(known)
        )
    try:
        masks.check_filter(request["filter"])
        bound_filter(schema, request["filter"])
    except InvalidRequestError as error:
        raise InvalidRequestError(error.what, **{**error.fields, "pointer": "/filter"}) from error


def rows_of(batch: pa.RecordBatch) -> Iterator[list[Any]]:
    """The rows of a batch as JSON values. A preview's few rows: not a data path."""
    columns = [[value_of(value) for value in column.to_pylist()] for column in batch.columns]
    yield from (list(row) for row in zip(*columns, strict=True))


if __name__ == "__main__":
    main()
