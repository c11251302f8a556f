from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from core.errors import FormatError, InvalidRequestError, UnsupportedError
from core.schema import TableSchema, decode_schema, encode_schema
from core.types import DateType, IntType, VarCharType
from tests.builders import schema

KEYED = schema(
    {"dt": "DATE", "k": "INT", "n": "BIGINT", "v": "ROW<a INT, b ARRAY<STRING>>"},
    primary_keys=["k", "dt", "n"],
    partition_keys=["dt"],
    options={"bucket": "2"},
    comment="a table",
)


def changed(**members: Any) -> bytes:
    value = json.loads(encode_schema(KEYED))
    value.update(members)
    return json.dumps({k: v for k, v in value.items() if v != "absent"}).encode()


@pytest.mark.parametrize("value", [KEYED, schema(), replace(KEYED, comment=None, time_millis=0)])
def test_decode_is_the_inverse_of_encode(value: TableSchema) -> None:
    assert decode_schema(encode_schema(value)) == value


def test_an_absent_comment_is_not_written() -> None:
    assert "comment" not in json.loads(encode_schema(schema()))


def test_a_null_comment_is_no_comment() -> None:
    assert decode_schema(changed(comment=None)).comment is None


def test_members_we_do_not_know_are_passed_over() -> None:
    assert decode_schema(changed(fromTheFuture=[1])) == KEYED


@pytest.mark.parametrize(
    ("version", "added"),
    [(1, {"bucket": "1", "file.format": "orc"}), (2, {"file.format": "orc"}), (3, {})],
)
def test_old_layouts_get_the_defaults_of_their_time(version: int, added: dict[str, str]) -> None:
    assert decode_schema(changed(version=version, options={})).options == added


def test_options_that_an_old_layout_does_give_are_kept() -> None:
    given = {"bucket": "4", "file.format": "parquet"}
    assert decode_schema(changed(version="absent", options=given)).options == given


def test_a_newer_layout_is_refused() -> None:
    with pytest.raises(UnsupportedError, match="schema version 4"):
        decode_schema(changed(version=4))


@pytest.mark.parametrize("member", ["id", "fields", "highestFieldId"])
def test_a_required_member_that_is_missing_is_named(member: str) -> None:
    with pytest.raises(FormatError, match=member):
        decode_schema(changed(**{member: "absent"}))


def test_a_key_that_is_no_column_is_a_format_error() -> None:
    with pytest.raises(FormatError, match="column=zz"):
        decode_schema(changed(primaryKeys=["zz"]))


def test_columns_of_one_name_are_a_format_error() -> None:
    twice = [{"id": 0, "name": "a", "type": "INT"}, {"id": 1, "name": "a", "type": "INT"}]
    with pytest.raises(FormatError, match="same name"):
        decode_schema(changed(fields=twice, primaryKeys=[], partitionKeys=[]))


def test_the_trimmed_key_leaves_partition_keys_out_and_keeps_the_order() -> None:
    assert KEYED.trimmed_primary_keys == ("k", "n")
    assert [f.name for f in KEYED.key_fields()] == ["k", "n"]
    assert KEYED.partition_types == (DateType(nullable=False),)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (KEYED, ("k", "n")),
        (replace(KEYED, options={"bucket": "2", "bucket-key": " n , k "}), ("n", "k")),
        (schema(), ()),
        (schema(options={"bucket": "2", "bucket-key": "v"}), ("v",)),
    ],
)
def test_bucket_keys_are_given_or_the_trimmed_key(value: TableSchema, expected: tuple[str, ...]) -> None:
    assert value.bucket_keys == expected


def test_a_table_whose_keys_move_between_partitions_is_known() -> None:
    assert not KEYED.is_cross_partition
    assert replace(KEYED, primary_keys=("k",)).is_cross_partition
    assert not schema(partition_keys=["v"]).is_cross_partition


def test_a_column_is_found_by_name() -> None:
    assert schema().field("v").type == VarCharType(2**31 - 1)
    assert [f.type for f in schema().fields_of(["k"])] == [IntType()]
    with pytest.raises(InvalidRequestError, match="columns=k, v"):
        schema().field("x")


@pytest.mark.parametrize("version", [-1, 0, 4])
def test_layouts_that_nobody_has_defined_are_refused(version: int) -> None:
    with pytest.raises(UnsupportedError, match=f"schema version {version}"):
        decode_schema(changed(version=version))
