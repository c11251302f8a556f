from __future__ import annotations

import pytest

from core.errors import InvalidRequestError
from core.schema.dynamic import with_dynamic_options
from tests.builders import schema


def test_options_lie_over_those_of_the_table() -> None:
    table = schema(options={"a": "1", "b": "2", "source.split.target-size": "1 mb"})
    laid = with_dynamic_options(table, {"b": "3", "c": "4", "source.split.target-size": None})
    assert laid.options == {"a": "1", "b": "3", "c": "4"}


@pytest.mark.parametrize(
    "key", ["merge-engine", "bucket", "bucket-key", "deletion-vectors.enabled", "type", "path"]
)
def test_what_decides_how_bytes_are_understood_cannot_be_set(key: str) -> None:
    with pytest.raises(InvalidRequestError, match=f"option={key}"):
        with_dynamic_options(schema(primary_keys=["k"]), {key: "7"})


@pytest.mark.parametrize("key", ["ignore-delete", "ignore-update-before"])
def test_dropped_deletes_do_not_come_back(key: str) -> None:
    table = schema(primary_keys=["k"], options={key: "true"})
    with pytest.raises(InvalidRequestError, match="cannot be switched off"):
        with_dynamic_options(table, {key: "false"})


def test_the_value_that_is_there_already_may_be_said_again() -> None:
    table = schema(primary_keys=["k"], options={"merge-engine": "aggregation"})
    assert with_dynamic_options(table, {"merge-engine": "aggregation"}) == table


def test_a_value_that_is_none_is_refused() -> None:
    with pytest.raises(InvalidRequestError, match=r"scan\.snapshot-id"):
        with_dynamic_options(schema(), {"scan.snapshot-id": "three"})
