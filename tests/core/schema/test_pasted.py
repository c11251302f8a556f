"""Schemas that people paste, in each of the forms they come in."""

from __future__ import annotations

import json

import pytest

from core.errors import InvalidRequestError, UnsupportedError
from core.schema import PastedForm, encode_schema, parse_pasted
from core.types import type_to_text
from tests.builders import schema

# What DataFrame.schema.json() of Spark 4 gives for these columns.
SPARK = (
    '{"fields":[{"metadata":{},"name":"k","nullable":false,"type":"long"},{"metadata":{"comment":"of it"},'
    '"name":"s","nullable":true,"type":"string"},{"metadata":{},"name":"t","nullable":true,"type":"timestamp"},'
    '{"metadata":{"__CHAR_VARCHAR_TYPE_STRING":"varchar(9)"},"name":"v","nullable":true,"type":"string"},'
    '{"metadata":{},"name":"d","nullable":true,"type":"decimal(10,2)"},{"metadata":{},"name":"r",'
    '"nullable":true,"type":{"fields":[{"metadata":{},"name":"x","nullable":true,"type":"integer"}],'
    '"type":"struct"}},{"metadata":{},"name":"m","nullable":true,"type":{"keyType":"string","type":"map",'
    '"valueContainsNull":true,"valueType":{"containsNull":false,"elementType":"short","type":"array"}}}],'
    '"type":"struct"}'
)


def columns(text: str) -> list[str]:
    return [f"{f.name} {type_to_text(f.type)}" for f in parse_pasted(text)[0]]


def test_a_schema_file_and_its_fields_alone_are_the_same() -> None:
    text = encode_schema(schema({"k": "INT NOT NULL", "r": "ROW<a INT>"})).decode()
    fields, form = parse_pasted(text)
    assert (columns(text), form) == (["k INT NOT NULL", "r ROW<`a` INT>"], PastedForm.PAIMON)
    assert parse_pasted(json.dumps(json.loads(text)["fields"]))[0] == fields


def test_the_json_of_spark() -> None:
    assert parse_pasted(SPARK)[1] is PastedForm.SPARK
    assert columns(SPARK) == [
        "k BIGINT NOT NULL",
        "s STRING",
        "t TIMESTAMP(6) WITH LOCAL TIME ZONE",
        "v VARCHAR(9)",
        "d DECIMAL(10, 2)",
        "r ROW<`x` INT>",
        "m MAP<STRING NOT NULL, ARRAY<SMALLINT NOT NULL>>",
    ]
    assert parse_pasted(SPARK)[0][1].description == "of it"


@pytest.mark.parametrize(
    "text",
    [
        "k BIGINT NOT NULL, `a b` STRING COMMENT 'a, (b): COMMENT', r STRUCT<x: INT>",
        "CREATE TABLE IF NOT EXISTS db.t (\n k BIGINT NOT NULL,\n `a b` STRING COMMENT 'a, (b): COMMENT',\n"
        " r ROW<x INT>,\n PRIMARY KEY (k) NOT ENFORCED\n) PARTITIONED BY (k) WITH ('bucket' = '2');",
    ],
)
def test_columns_as_in_sql(text: str) -> None:
    fields, form = parse_pasted(text)
    assert columns(text) == ["k BIGINT NOT NULL", "a b STRING", "r ROW<`x` INT>"]
    assert (form, fields[1].description) == (PastedForm.SQL, "a, (b): COMMENT")


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "{}", "{\"type\": \"struct\"}", "hello", "k INT,", "k INT) x", "CREATE TABLE t (k INT",
     '[{"name": "a", "type": 5}]', '[{"id": 1, "name": "a", "type": "INT"}, {"name": "b", "type": "INT"}]',
     '{"type": "struct", "fields": [{"name": "a", "type": {"type": "set"}}]}', "[" * 100_000],
)  # fmt: skip
def test_what_is_no_schema_is_refused(text: str) -> None:
    with pytest.raises(InvalidRequestError):
        parse_pasted(text)


def test_an_unknown_type_is_named() -> None:
    with pytest.raises(UnsupportedError, match="INTERVAL"):
        parse_pasted("k INTERVAL")
