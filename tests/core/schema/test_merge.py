from __future__ import annotations

import pytest
from hypothesis import given

from core.errors import InvalidRequestError
from core.schema import MergeRules, TableSchema, merge_schema, propose_merge
from core.types import DataField, parse_type, type_to_text
from tests.builders import NOON, fields, schema
from tests.strategies import data_types

WIDE = MergeRules(type_widening=True)
EXPLICIT = MergeRules(type_widening=True, explicit_casts=True)


def merged(base: dict[str, str], rows: dict[str, str], rules: MergeRules = MergeRules()) -> TableSchema:  # noqa: B008
    return merge_schema(schema(base), fields(**rows), rules, time_millis=NOON + 1)


def columns(value: TableSchema) -> str:
    return ", ".join(f"{f.name} {type_to_text(f.type)}" for f in value.fields)


def test_rows_of_known_columns_change_nothing() -> None:
    base = schema({"k": "INT NOT NULL", "v": "STRING"})
    assert merge_schema(base, fields(v="STRING NOT NULL", k="INT"), WIDE, time_millis=1) is base
    assert merge_schema(base, fields(), WIDE, time_millis=1) is base


def test_new_columns_come_last_and_are_nullable() -> None:
    changed = merged({"k": "INT", "v": "INT"}, {"b": "INT NOT NULL", "v": "INT", "a": "STRING"})
    assert columns(changed) == "k INT, v INT, b INT, a STRING"
    assert (changed.id, changed.time_millis) == (1, NOON + 1)


def test_ids_inside_a_new_column_come_before_its_own() -> None:
    changed = merged({"k": "INT"}, {"r": "ROW<x INT, y INT>"})
    row = changed.field("r")
    inner = [f.id for f in row.type.fields]  # type: ignore[attr-defined]
    assert (inner, row.id, changed.highest_field_id) == ([1, 2], 3, 3)


def test_columns_inside_of_nested_types_are_merged() -> None:
    changed = merged(
        {"r": "ROW<a INT, b ARRAY<ROW<c INT>>>", "m": "MAP<STRING, ROW<d INT>>"},
        {"r": "ROW<b ARRAY<ROW<c INT, e INT>>, f INT>", "m": "MAP<STRING, ROW<g INT>>"},
    )
    assert columns(changed) == (
        "r ROW<`a` INT, `b` ARRAY<ROW<`c` INT, `e` INT>>, `f` INT>, m MAP<STRING, ROW<`d` INT, `g` INT>>"
    )


def test_types_stay_unless_they_are_to_be_widened() -> None:
    base, rows = {"k": "INT NOT NULL", "r": "ROW<a FLOAT>"}, {"k": "BIGINT", "r": "ROW<a DOUBLE>"}
    assert columns(merged(base, rows)) == "k INT NOT NULL, r ROW<`a` FLOAT>"
    assert columns(merged(base, rows, WIDE)) == "k BIGINT NOT NULL, r ROW<`a` DOUBLE>"


@pytest.mark.parametrize(
    ("base", "rows", "expected"),
    [
        ("TINYINT", "INT", "INT"),
        ("VARCHAR(4)", "VARCHAR(9)", "VARCHAR(9)"),
        ("DECIMAL(6, 2)", "DECIMAL(9, 2)", "DECIMAL(9, 2)"),
        ("DECIMAL(9, 2)", "DECIMAL(6, 2)", "DECIMAL(9, 2)"),
        ("TIMESTAMP(3)", "TIMESTAMP(6)", "TIMESTAMP(6)"),
        ("ARRAY<INT>", "ARRAY<BIGINT>", "ARRAY<BIGINT>"),
    ],
)
def test_types_are_widened(base: str, rows: str, expected: str) -> None:
    assert columns(merged({"c": base}, {"c": rows}, WIDE)) == f"c {expected}"


@pytest.mark.parametrize(
    ("base", "rows", "message"),
    [
        ("BIGINT", "INT", "do not merge"),
        ("STRING", "DATE", "do not merge"),
        ("INT", "ROW<a INT>", "do not merge"),
        ("VARCHAR(9)", "VARCHAR(4)", "smaller length"),
        ("TIMESTAMP(6)", "TIMESTAMP(3)", "smaller precision"),
        ("DECIMAL(6, 2)", "DECIMAL(9, 3)", "different scale"),
    ],
)
def test_types_that_do_not_merge_are_refused(base: str, rows: str, message: str) -> None:
    with pytest.raises(InvalidRequestError, match=message) as caught:
        merged({"c": base}, {"c": rows}, WIDE)
    assert caught.value.fields["column"] == "c"


def test_explicit_casts_may_narrow_but_not_do_what_no_cast_does() -> None:
    base = {"a": "BIGINT", "b": "VARCHAR(9)", "c": "STRING"}
    changed = merged(base, {"a": "INT", "b": "VARCHAR(4)", "c": "DATE"}, EXPLICIT)
    assert columns(changed) == "a INT, b VARCHAR(4), c DATE"
    with pytest.raises(InvalidRequestError, match="do not merge"):
        merged({"a": "DATE"}, {"a": "INT"}, EXPLICIT)


def test_names_may_differ_in_case_where_the_engine_says_so() -> None:
    loose = MergeRules(case_sensitive=False)
    assert columns(merged({"k": "INT"}, {"K": "INT", "N": "INT"}, loose)) == "k INT, N INT"
    assert columns(merged({"k": "INT"}, {"K": "INT"})) == "k INT, K INT"
    with pytest.raises(InvalidRequestError, match="same name"):
        merged({"k": "INT"}, {"n": "INT", "N": "INT"}, loose)


@given(data_types())
def test_a_type_merges_with_itself(data_type: object) -> None:
    base = schema({"k": "INT"})
    incoming = [DataField(9, "k", parse_type("INT")), DataField(3, "n", data_type)]  # type: ignore[arg-type]
    once = merge_schema(base, incoming, EXPLICIT, time_millis=1)
    assert merge_schema(once, incoming, EXPLICIT, time_millis=2) is once


def test_a_proposal_tells_of_every_type_that_does_not_merge_and_goes_on_with_the_rest() -> None:
    base = schema({"a": "BIGINT", "b": "STRING", "r": "ROW<c DECIMAL(5, 2), d INT>"})
    rows = fields(a="INT", b="BYTES", r="ROW<c DECIMAL(5, 1), d BIGINT>", e="DATE")
    proposal = propose_merge(base, rows, WIDE, time_millis=NOON)
    assert columns(proposal.schema) == "a BIGINT, b STRING, r ROW<`c` DECIMAL(5, 2), `d` BIGINT>, e DATE"
    assert [(".".join(d.path), d.refusal) for d in proposal.refused] == [
        ("a", "types"),
        ("b", "types"),
        ("r.c", "scale"),
    ]


def test_a_proposal_without_refusals_is_the_merge() -> None:
    base, rows = schema({"k": "INT", "v": "FLOAT"}), fields(k="BIGINT", v="DOUBLE", w="STRING")
    for rules in (MergeRules(), WIDE, EXPLICIT):
        proposal = propose_merge(base, rows, rules, time_millis=NOON)
        assert proposal.schema == merge_schema(base, rows, rules, time_millis=NOON)
        assert proposal.refused == ()
    kept = propose_merge(base, rows, MergeRules(), time_millis=NOON).disagreements
    assert [(d.path, type_to_text(d.rows_type)) for d in kept] == [(("k",), "BIGINT"), (("v",), "DOUBLE")]
