"""Definitions of materialized tables, as options hold them."""

from __future__ import annotations

from datetime import timedelta

import pytest

from core.errors import InvalidRequestError
from core.schema.materialized import Definition, definition_of
from tests.builders import schema

OPTIONS = {
    "type": "materialized-table",
    "materialized-table.definition-query": "SELECT 1",
    "materialized-table.interval-freshness": "30",
    "materialized-table.interval-freshness.time-unit": "MINUTE",
    "materialized-table.logical-refresh-mode": "AUTOMATIC",
    "materialized-table.refresh-mode": "full",
    "materialized-table.refresh-status": "ACTIVATED",
    "materialized-table.refresh-handler-description": "a workflow",
    "materialized-table.refresh-handler-bytes": "AAAA",
}


def of(**changed: str | None) -> Definition:
    names = {
        f"materialized-table.{key.replace('__', '.').replace('_', '-')}": v for key, v in changed.items()
    }
    return definition_of(schema(options={k: v for k, v in (OPTIONS | names).items() if v is not None}))


def test_a_definition_is_told() -> None:
    found = of()
    assert (found.query, found.freshness, found.freshness_text) == (
        "SELECT 1",
        timedelta(minutes=30),
        "30 MINUTE",
    )
    assert (found.logical_mode, found.mode, found.status) == ("AUTOMATIC", "FULL", "ACTIVATED")
    assert (found.handler, found.refused, found.unsupported) == ("a workflow", None, ())


@pytest.mark.parametrize(
    ("changed", "refused"),
    [
        ({"definition_query": None}, "definition-query is missing"),
        ({"refresh_status": "SUSPENDED"}, "refresh-status = SUSPENDED"),
        ({"refresh_mode": "INCREMENTAL"}, "refresh-mode = INCREMENTAL"),
        ({"interval_freshness__time_unit": "WEEK"}, "interval-freshness.time-unit = WEEK"),
        ({"interval_freshness": "soon"}, "interval-freshness = soon"),
        ({"start_mode": "FROM_BEGINNING"}, "start-mode = FROM_BEGINNING"),
    ],
)
def test_what_keeps_it_from_being_refreshed_is_named(changed: dict[str, str | None], refused: str) -> None:
    assert refused in str(of(**changed).refused)


def test_other_tables_have_no_definition() -> None:
    with pytest.raises(InvalidRequestError, match="only a materialized table"):
        definition_of(schema())
