"""A caller of the REST catalog: an API token, and requests as clients send them."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

from django.test import Client
from django.utils import timezone

from console.accounts.models import User
from console.accounts.roles import Permission
from console.accounts.services import create_token
from core import Table
from core.catalog.rest.objects import snapshot_to_wire
from core.snapshot import Snapshot
from tests.console.conftest import HANDLER
from tests.tables import put

LAKE = "/v1/lake"
TABLE = f"{LAKE}/databases/db/tables/t"
COLUMNS = [{"id": 0, "name": "id", "type": "BIGINT NOT NULL"}, {"id": 1, "name": "a", "type": "STRING"}]


class CatalogClient:
    """Somebody's token at the catalog."""

    def __init__(self, user: User, *scopes: str, expires_in: timedelta = timedelta(days=1)) -> None:
        held = list(scopes) or [permission.value for permission in Permission]
        expiry = timezone.now() + expires_in
        _, text = create_token(user=user, name="ci", scopes=held, expiry=expiry, networks=[])
        self._client = Client(headers={"Authorization": f"Bearer {text}"}, raise_request_exception=False)
        self._client.handler = HANDLER

    def ask(self, method: str, path: str, body: Any = None, **query: str) -> Any:
        address = f"{path}?{urlencode(query)}" if query else path
        data = b"" if body is None else json.dumps(body).encode()
        return self._client.generic(method, address, data, content_type="application/json")

    def get(self, path: str, **query: str) -> Any:
        """The body of a read that has to succeed."""
        return self._done(self.ask("GET", path, **query))

    def post(self, path: str, body: Any = None) -> Any:
        return self._done(self.ask("POST", path, body or {}))

    def delete(self, path: str) -> Any:
        return self._done(self.ask("DELETE", path))

    def error(self, method: str, path: str, body: Any = None, **query: str) -> dict[str, Any]:
        """The body of a request that has to fail; its code is the answer's status."""
        response = self.ask(method, path, body, **query)
        answer: dict[str, Any] = response.json()
        assert answer["code"] == response.status_code >= 400
        assert answer["message"]
        return answer

    def make(self, name: str, **schema: Any) -> None:
        """A table of database `db`."""
        wire = {"fields": COLUMNS, "partitionKeys": [], "primaryKeys": [], "options": {}, "comment": None}
        identifier = {"database": "db", "object": name}
        self.post(f"{LAKE}/databases/db/tables", {"identifier": identifier, "schema": wire | schema})

    @staticmethod
    def _done(response: Any) -> Any:
        assert response.status_code == 200, response.content
        return response.json()


def prepared(table: Table) -> Snapshot:
    """A snapshot on top of the latest, all of it written but for its snapshot file."""
    latest = table.snapshots.latest_id()
    made = put(table, ("2026-11-22", 1, 1, "prepared"))[-1]
    table.snapshots.delete(made.id)
    table.snapshots.write_hint(latest or 0)
    return made


def commit_body(client: CatalogClient, table: Table, snapshot: Snapshot, **changes: Any) -> dict[str, Any]:
    """The request that commits it."""
    latest = table.snapshots.latest()
    body = {
        "tableId": client.get(TABLE)["id"],
        "baseSnapshotUuid": latest.uuid if latest else None,
        "snapshot": snapshot_to_wire(snapshot),
        "statistics": [],
    }
    return body | changes
