"""A warehouse with a table of each type that has no snapshots, a view and a function."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa

from core import Table, open_catalog
from core.arrow import arrow_schema
from core.format_table import FormatTable
from core.identifier import Identifier
from core.object_table import ObjectTable
from core.schema.create import initial_schema
from tests.browser.conftest import Api
from tests.builders import fields
from tests.tables import put

WAREHOUSE = "types"
FORMAT, OBJECTS, VIEW, FUNCTION = "exports", "pictures", "big_sales", "area"
OBJECT, CONTENT = "of a/<b> ü.html", b"0123456789"
_MATERIALIZED = {
    "type": "materialized-table",
    "materialized-table.definition-query": "SELECT id FROM orders",
    "materialized-table.interval-freshness": "30",
    "materialized-table.interval-freshness.time-unit": "MINUTE",
    "materialized-table.logical-refresh-mode": "AUTOMATIC",
    "materialized-table.refresh-mode": "FULL",
    "materialized-table.refresh-status": "ACTIVATED",
}
_COLUMNS = [{"id": 0, "name": "id", "type": "BIGINT NOT NULL"}]
_VIEW = {
    "fields": _COLUMNS,
    "query": "SELECT id\nFROM orders",
    "dialects": {"spark": "SELECT id FROM `orders`"},
    "comment": "big ones",
    "options": {"owner": "ops"},
}
_FUNCTION = {
    "name": FUNCTION,
    "inputParams": _COLUMNS,
    "returnParams": _COLUMNS,
    "deterministic": True,
    "definitions": {"spark": {"type": "lambda", "definition": "w -> w * w", "language": "scala"}},
    "comment": None,
    "options": {},
}


@contextmanager
def registered(api: Api, folder: Path) -> Iterator[None]:
    """Meanwhile the console knows it."""
    catalog = open_catalog(str(folder))
    catalog.create_database("db")
    csv = {"type": "format-table", "file.format": "csv"}
    catalog.create_table(f"db.{FORMAT}", fields(k="INT", p="STRING"), partition_keys=["p"], options=csv)
    files = catalog.get_table(f"db.{FORMAT}")
    assert isinstance(files, FormatTable)
    files.append(pa.table({"k": [1, 2], "p": ["x", "y"]}, schema=arrow_schema(files.schema.fields)))
    catalog.create_table(f"db.{OBJECTS}", fields(k="INT"), options={"type": "object-table"})
    objects = catalog.get_table(f"db.{OBJECTS}")
    assert isinstance(objects, ObjectTable)
    objects.io.write(f"{objects.location}/{OBJECT}", CONTENT)
    put(catalog.create_table("db.orders", fields(id="BIGINT")), (1,), (2,))
    put(catalog.create_table("db.materialized", fields(id="BIGINT"), options=_MATERIALIZED), (1,))  # not due
    reference = Table(catalog.io, f"{folder}/db.db/lance", Identifier("db", "lance"))
    options = {"type": "lance-table"}
    reference.schemas.create(initial_schema(fields(k="INT"), options=options, time_millis=1))
    with api.registered(WAREHOUSE, folder):
        _add_by_rest(api, "views", {"identifier": {"database": "db", "object": VIEW}, "schema": _VIEW})
        _add_by_rest(api, "functions", _FUNCTION)
        yield


def _add_by_rest(api: Api, kind: str, body: Any) -> None:
    """As another engine does: a catalog of directories leaves these to the console."""
    expiry = (datetime.now(UTC) + timedelta(days=1)).isoformat()
    token = {"name": f"makes {kind}", "scopes": ["meta:read", "table:operate"], "expires_at": expiry}
    headers = {**api._headers(), "Idempotency-Key": uuid.uuid4().hex}
    reply = api.context.request.post(f"{api.url}/api/v1/tokens", data=token, headers=headers)
    bearer = {"Authorization": f"Bearer {reply.json()['token']}"}
    address = f"{api.url}/v1/{WAREHOUSE}/databases/db/{kind}"
    made = api.context.request.post(address, data=body, headers=bearer)
    assert made.ok, made.text()
