"""Options of stored views and functions that name secrets lie encrypted in the console's database."""

from __future__ import annotations

import pytest
from django.db import connection

from console.rest_catalog.models import StoredFunction, StoredView
from console.warehouses.models import Warehouse

pytestmark = pytest.mark.django_db
WIRE = {"query": "select 1", "options": {"jdbc.password": "hunter2", "owner": "lin"}, "fields": []}


@pytest.mark.parametrize(("model", "column"), [(StoredView, "schema"), (StoredFunction, "definition")])
def test_a_secret_is_in_no_row_and_comes_back_as_it_was(
    model: type[StoredView | StoredFunction], column: str, lake: Warehouse
) -> None:
    row = model.objects.create(warehouse=lake, database="db", name="v", **{column: WIRE})
    with connection.cursor() as cursor:
        cursor.execute(f"select {column} from {model._meta.db_table}")
        (kept,) = cursor.fetchone()
    assert "hunter2" not in str(kept)
    assert "lin" in str(kept)
    assert getattr(model.objects.get(pk=row.pk), column) == WIRE


def test_a_row_of_an_older_release_is_read_and_sealed_when_it_is_written(lake: Warehouse) -> None:
    row = StoredView.objects.create(warehouse=lake, database="db", name="v", schema={"options": {}})
    with connection.cursor() as cursor:
        old = """{"options": {"s3.secret-key": "plain"}}"""
        cursor.execute(f"update {StoredView._meta.db_table} set schema = %s where id = %s", [old, row.pk])
    found = StoredView.objects.get(pk=row.pk)
    assert found.schema == {"options": {"s3.secret-key": "plain"}}
    found.save()
    with connection.cursor() as cursor:
        cursor.execute(f"select schema from {StoredView._meta.db_table}")
        assert "plain" not in str(cursor.fetchone())
