from __future__ import annotations

from dataclasses import replace

import pytest

from core.errors import AlreadyExistsError, InvalidRequestError, PaimonError
from core.schema import (
    AddColumn,
    DropColumn,
    DropPrimaryKey,
    Move,
    Position,
    RemoveOption,
    RenameColumn,
    SchemaChange,
    SetOption,
    TableSchema,
    UpdateColumnDefaultValue,
    UpdateColumnDescription,
    UpdateColumnNullability,
    UpdateColumnPosition,
    UpdateColumnType,
    UpdateComment,
    apply_changes,
)
from core.types import BigIntType, IntType, parse_type, type_to_text
from tests.builders import NOON, schema

BASE = schema(
    {"p": "INT", "k": "INT", "v": "INT", "r": "ROW<a INT, b INT>", "l": "ARRAY<ROW<x INT, y INT>>"},
    primary_keys=["k", "p"],
    partition_keys=["p"],
    options={"bucket": "2", "bucket-key": "k", "merge-engine": "deduplicate"},
)


def applied(*changes: SchemaChange, base: TableSchema = BASE, has_snapshots: bool = True) -> TableSchema:
    return apply_changes(base, changes, has_snapshots=has_snapshots, time_millis=NOON + 1)


def columns(value: TableSchema) -> str:
    return ", ".join(f"{f.name} {type_to_text(f.type)}" for f in value.fields)


def test_a_change_makes_the_next_schema() -> None:
    changed = applied(UpdateComment("new"))
    assert (changed.id, changed.comment, changed.time_millis) == (1, "new", NOON + 1)
    assert changed.fields == BASE.fields


def test_changes_that_change_nothing_make_no_schema() -> None:
    assert applied() is BASE
    assert applied(SetOption("bucket", "2"), RemoveOption("none")) is BASE
    assert applied(SetOption("x", "1"), RemoveOption("x")) is BASE


# --- options -----------------------------------------------------------------------


def test_options_are_set_and_removed() -> None:
    changed = applied(
        SetOption("snapshot.num-retained.min", "3"), RemoveOption("bucket-key"), has_snapshots=False
    )
    assert changed.options["snapshot.num-retained.min"] == "3"
    assert "bucket-key" not in changed.options


@pytest.mark.parametrize(
    "change",
    [
        SetOption("merge-engine", "first-row"),
        SetOption("bucket-key", "k,p"),
        RemoveOption("merge-engine"),
        SetOption("bucket", "-1"),
        RemoveOption("bucket"),
        SetOption("deletion-vectors.enabled", "true"),
        SetOption("ignore-delete", "false"),
    ],
)
def test_what_files_depend_on_cannot_change_under_them(change: SchemaChange) -> None:
    with pytest.raises(InvalidRequestError):
        applied(change)


def test_the_type_of_a_table_never_changes() -> None:
    with pytest.raises(InvalidRequestError, match="option=type"):
        applied(SetOption("type", "format-table"), has_snapshots=False)


def test_the_number_of_buckets_may_change() -> None:
    assert applied(SetOption("bucket", "8")).options["bucket"] == "8"


def test_deletion_vectors_may_be_switched_where_the_table_says_so() -> None:
    base = replace(BASE, options={**BASE.options, "deletion-vectors.modifiable": "true"})
    changed = applied(SetOption("deletion-vectors.enabled", "true"), base=base)
    assert changed.options["deletion-vectors.enabled"] == "true"


def test_a_bad_value_is_refused() -> None:
    with pytest.raises(InvalidRequestError, match="target-file-size"):
        applied(SetOption("target-file-size", "big"))


# --- columns -----------------------------------------------------------------------


def test_a_new_column_gets_an_id_that_was_never_given() -> None:
    dropped = applied(DropColumn(("l",)))
    changed = applied(AddColumn(("n",), parse_type("ROW<q INT>")), base=dropped)
    assert changed.fields[-1].id == BASE.highest_field_id + 1
    assert changed.highest_field_id == BASE.highest_field_id + 2


@pytest.mark.parametrize(
    ("move", "expected"),
    [
        (None, "pkvrln"),
        (Move(Position.FIRST), "npkvrl"),
        (Move(Position.LAST), "pkvrln"),
        (Move(Position.AFTER, "k"), "pknvrl"),
        (Move(Position.BEFORE, "k"), "pnkvrl"),
    ],
)
def test_a_new_column_goes_where_it_is_told(move: Move | None, expected: str) -> None:
    changed = applied(AddColumn(("n",), IntType(), "about n", move))
    assert "".join(changed.field_names) == expected
    assert changed.field("n").description == "about n"


def test_a_new_column_may_go_before_the_partition_keys() -> None:
    base = replace(BASE, options={**BASE.options, "add-column-before-partition": "true"})
    assert applied(AddColumn(("n",), IntType()), base=base).field_names[0] == "n"


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (AddColumn(("n",), IntType(nullable=False)), InvalidRequestError),
        (AddColumn(("v",), IntType()), AlreadyExistsError),
        (AddColumn(("r", "a"), IntType()), AlreadyExistsError),
        (AddColumn(("x", "a"), IntType()), InvalidRequestError),
        (AddColumn(("v", "a"), IntType()), InvalidRequestError),
        (AddColumn(("n",), IntType(), None, Move(Position.AFTER, "x")), InvalidRequestError),
        (AddColumn(("_ROW_ID",), IntType()), InvalidRequestError),
        (AddColumn((), IntType()), InvalidRequestError),
        (RenameColumn(("p",), "q"), InvalidRequestError),
        (RenameColumn(("v",), "k"), AlreadyExistsError),
        (RenameColumn(("x",), "y"), InvalidRequestError),
        (DropColumn(("p",)), InvalidRequestError),
        (DropColumn(("k",)), InvalidRequestError),
        (DropColumn(("x",)), InvalidRequestError),
        (UpdateColumnType(("k",), BigIntType()), InvalidRequestError),
        (UpdateColumnType(("p",), BigIntType()), InvalidRequestError),
        (UpdateColumnType(("v",), parse_type("DATE")), InvalidRequestError),
        (UpdateColumnType(("x",), BigIntType()), InvalidRequestError),
        (UpdateColumnNullability(("k",), True), InvalidRequestError),
        (UpdateColumnNullability(("v",), False), InvalidRequestError),
        (UpdateColumnPosition(("v",), Move(Position.AFTER, "v")), InvalidRequestError),
        (UpdateColumnPosition(("x",), Move(Position.FIRST)), InvalidRequestError),
    ],
)
def test_changes_that_cannot_be_are_refused(change: SchemaChange, error: type[PaimonError]) -> None:
    with pytest.raises(error):
        applied(change)


def test_the_last_column_stays() -> None:
    base = schema({"a": "INT", "b": "INT"})
    with pytest.raises(InvalidRequestError, match="last column"):
        applied(DropColumn(("a",)), DropColumn(("b",)), base=base)


def test_a_renamed_column_keeps_its_id_and_is_renamed_in_keys_and_options() -> None:
    changed = applied(RenameColumn(("k",), "key"))
    assert changed.field("key").id == BASE.field("k").id
    assert changed.primary_keys == ("key", "p")
    assert changed.options["bucket-key"] == "key"


def test_a_type_is_widened_and_keeps_its_nullability() -> None:
    changed = applied(UpdateColumnType(("v",), BigIntType(nullable=False)))
    assert changed.field("v").type == BigIntType()


def test_nulls_may_be_forbidden_where_the_table_takes_the_risk() -> None:
    base = replace(BASE, options={**BASE.options, "alter-column-null-to-not-null.disabled": "false"})
    assert not applied(UpdateColumnNullability(("v",), False), base=base).field("v").type.nullable


def test_columns_inside_rows_arrays_and_maps_are_reached() -> None:
    changed = applied(
        AddColumn(("r", "c"), IntType(), None, Move(Position.FIRST)),
        RenameColumn(("r", "a"), "aa"),
        DropColumn(("l", "element", "x")),
        UpdateColumnType(("l", "element", "y"), BigIntType()),
    )
    assert columns(changed).endswith("r ROW<`c` INT, `aa` INT, `b` INT>, l ARRAY<ROW<`y` BIGINT>>")


def test_descriptions_and_positions_change() -> None:
    changed = applied(
        UpdateColumnDescription(("v",), "text"), UpdateColumnPosition(("v",), Move(Position.FIRST))
    )
    assert changed.field_names[0] == "v"
    assert changed.field("v").description == "text"


def test_the_type_of_elements_and_values_changes() -> None:
    base = schema({"a": "ARRAY<INT>", "m": "MAP<STRING, ARRAY<INT NOT NULL>>"})
    changed = applied(
        UpdateColumnType(("a", "element"), BigIntType()),
        UpdateColumnType(("m", "value", "element"), BigIntType()),
        UpdateColumnNullability(("m", "value", "element"), True),
        base=base,
    )
    assert columns(changed) == "a ARRAY<BIGINT>, m MAP<STRING, ARRAY<BIGINT>>"
    with pytest.raises(InvalidRequestError, match=r"column=a\.element"):
        applied(UpdateColumnType(("a", "element"), parse_type("DATE")), base=base)


def test_default_values_are_set_checked_and_taken_away() -> None:
    changed = applied(UpdateColumnDefaultValue(("v",), "7"))
    assert changed.field("v").default_value == "7"
    assert applied(UpdateColumnDefaultValue(("v",), None), base=changed).field("v").default_value is None
    with pytest.raises(InvalidRequestError, match="INT"):
        applied(UpdateColumnDefaultValue(("v",), "seven"))


def test_a_new_type_has_to_take_the_default_value_too() -> None:
    base = applied(UpdateColumnDefaultValue(("v",), "700"))
    assert applied(UpdateColumnType(("v",), BigIntType()), base=base).field("v").default_value == "700"
    with pytest.raises(InvalidRequestError, match="TINYINT"):
        applied(UpdateColumnType(("v",), parse_type("TINYINT")), base=base)


def test_a_table_may_ask_for_widening_changes_alone() -> None:
    base = replace(BASE, options={**BASE.options, "disable-explicit-type-casting": "true"})
    assert applied(UpdateColumnType(("v",), BigIntType()), base=base).field("v").type == BigIntType()
    with pytest.raises(InvalidRequestError, match="needs=disable-explicit-type-casting"):
        applied(UpdateColumnType(("v",), parse_type("SMALLINT")), base=base)


def test_blobs_are_neither_renamed_nor_retyped() -> None:
    base = schema({"k": "INT", "b": "BLOB"})
    for change in (RenameColumn(("b",), "c"), UpdateColumnType(("b",), parse_type("BYTES"))):
        with pytest.raises(InvalidRequestError, match="column=b"):
            applied(change, base=base)


def test_a_column_with_an_index_over_keys_is_not_renamed() -> None:
    base = replace(BASE, options={**BASE.options, "pk-btree.index.columns": "v"})
    with pytest.raises(InvalidRequestError, match=r"pk-btree\.index\.columns"):
        applied(RenameColumn(("v",), "w"), base=base)


def test_a_primary_key_is_dropped_only_before_the_first_snapshot() -> None:
    assert applied(DropPrimaryKey(), has_snapshots=False).primary_keys == ()
    with pytest.raises(InvalidRequestError, match="primary_key=k, p"):
        applied(DropPrimaryKey())
