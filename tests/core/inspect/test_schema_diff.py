"""The diff of two schemas, by field id. Design: 6.10."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from core.inspect.schema_diff import MASK, ChangeKind, FieldChange, FieldDiff, diff_schemas, longest_ascending
from core.inspect.type_change import TypeChange
from core.schema import TableSchema
from core.types import ArrayType, DataField, RowType, parse_type


def schema(*fields: DataField, schema_id: int = 0, **members: object) -> TableSchema:
    return TableSchema(id=schema_id, fields=fields, highest_field_id=99, **members)  # type: ignore[arg-type]


def column(field_id: int, name: str, type_text: str = "INT") -> DataField:
    return DataField(field_id, name, parse_type(type_text))


def row(field_id: int, name: str, *members: DataField) -> DataField:
    return DataField(field_id, name, RowType(fields=members))


def changes(before: TableSchema, after: TableSchema) -> dict[int, list[ChangeKind]]:
    return {f.id: [c.kind for c in f.changes] for f in diff_schemas(before, after).fields if f.changes}


def only(before: TableSchema, after: TableSchema) -> FieldChange:
    (field,) = [f for f in diff_schemas(before, after).fields if f.changes]
    (change,) = field.changes
    return change


def test_equal_schemas_have_no_changes() -> None:
    one = schema(column(0, "a"), row(1, "r", column(2, "x")))
    diff = diff_schemas(one, one)
    assert not any(field.changes for field in diff.fields)
    assert (diff.keys, diff.options, diff.comment) == ((), (), None)


def test_a_field_is_added_and_another_dropped() -> None:
    assert changes(schema(column(0, "a")), schema(column(1, "b"))) == {
        0: [ChangeKind.DROPPED],
        1: [ChangeKind.ADDED],
    }


def test_the_same_name_under_another_id_is_recreated() -> None:
    before, after = schema(column(0, "a"), column(6, "note")), schema(column(0, "a"), column(12, "note"))
    diff = diff_schemas(before, after)
    found = {f.id: f.changes for f in diff.fields if f.changes}
    assert found == {
        6: (FieldChange(ChangeKind.RECREATED, other_id=12),),
        12: (FieldChange(ChangeKind.RECREATED, other_id=6),),
    }
    assert diff.counts[ChangeKind.RECREATED] == 1
    assert diff.counts[ChangeKind.ADDED] == 0


def test_several_marks_on_one_field() -> None:
    before = schema(column(4, "amt", "INT NOT NULL"))
    after = schema(DataField(4, "amount", parse_type("BIGINT"), "in cents", "0"))
    assert changes(before, after)[4] == [
        ChangeKind.RENAMED,
        ChangeKind.RETYPED,
        ChangeKind.NULLABILITY,
        ChangeKind.COMMENT,
        ChangeKind.DEFAULT,
    ]


def test_a_retyped_field_says_how_and_to_what() -> None:
    change = only(schema(column(0, "a", "BIGINT")), schema(column(0, "a", "INT")))
    assert (change.before, change.after, change.type_change) == ("BIGINT", "INT", TypeChange.NARROWING)


def test_a_changed_member_leaves_its_row_unchanged() -> None:
    before = schema(row(9, "address", column(10, "city", "STRING")))
    after = schema(row(9, "address", column(10, "city", "STRING"), column(13, "zip", "STRING")))
    assert changes(before, after) == {13: [ChangeKind.ADDED]}
    (zip_code,) = [f for f in diff_schemas(before, after).fields if f.id == 13]
    assert (zip_code.parent_id, zip_code.depth) == (9, 1)
    assert zip_code.after is not None
    assert zip_code.after.path == "address.zip"


def test_members_of_rows_inside_an_array_are_matched_by_id() -> None:
    def items(name: str) -> DataField:
        return DataField(1, "items", ArrayType(RowType(fields=(column(2, name),))))

    assert changes(schema(items("x")), schema(items("y"))) == {2: [ChangeKind.RENAMED]}


def test_only_what_left_the_longest_common_order_is_moved() -> None:
    a, b, c, d = (column(i, name) for i, name in enumerate("abcd"))
    change = only(schema(a, b, c, d), schema(d, a, b, c))
    assert (change.kind, change.before, change.after) == (ChangeKind.MOVED, 3, 0)


def test_a_field_in_front_of_others_does_not_move_them() -> None:
    a, b = column(0, "a"), column(1, "b")
    assert changes(schema(a, b), schema(column(2, "c"), a, b)) == {2: [ChangeKind.ADDED]}


def test_a_dropped_field_stands_where_it_was() -> None:
    a, b, c = (column(i, name) for i, name in enumerate("abc"))
    diff = diff_schemas(schema(a, b, c), schema(c, a))
    assert [field.id for field in diff.fields] == [2, 0, 1]


def test_keys_and_options_are_compared() -> None:
    before = schema(
        column(0, "a"), primary_keys=("a",), options={"bucket": "2", "x": "1", "s3.secret-key": "old"}
    )
    after = schema(column(0, "a"), options={"bucket": "4", "y": "2", "s3.secret-key": "new"})
    diff = diff_schemas(before, after)
    assert [(o.key, o.before, o.after) for o in diff.options] == [
        ("bucket", "2", "4"),
        ("s3.secret-key", MASK, MASK),
        ("x", "1", None),
        ("y", None, "2"),
    ]
    assert [(k.what, k.before, k.after) for k in diff.keys] == [
        ("primary keys", ("a",), ()),
        ("bucket keys", ("a",), ()),
    ]


FIELDS = st.lists(st.integers(0, 8), unique=True).map(lambda ids: schema(*(column(i, f"c{i}") for i in ids)))


@given(FIELDS, FIELDS)
def test_every_field_of_either_side_is_there_once(before: TableSchema, after: TableSchema) -> None:
    ids = [field.id for field in diff_schemas(before, after).fields]
    assert sorted(ids) == sorted({f.id for f in before.fields} | {f.id for f in after.fields})


@given(FIELDS, FIELDS)
def test_the_way_back_undoes_every_change(before: TableSchema, after: TableSchema) -> None:
    mirrored = {ChangeKind.ADDED: ChangeKind.DROPPED, ChangeKind.DROPPED: ChangeKind.ADDED}
    there, back = diff_schemas(before, after), diff_schemas(after, before)

    def marks(fields: tuple[FieldDiff, ...]) -> dict[int, list[ChangeKind]]:
        kept = (ChangeKind.ADDED, ChangeKind.DROPPED, ChangeKind.RECREATED, ChangeKind.RENAMED)
        return {f.id: [c.kind for c in f.changes if c.kind in kept] for f in fields}

    assert {i: [mirrored.get(k, k) for k in kinds] for i, kinds in marks(there.fields).items()} == marks(
        back.fields
    )


@given(st.permutations(range(6)))
def test_longest_ascending_is_longest(values: list[int]) -> None:
    chosen = [values[i] for i in sorted(longest_ascending(values))]
    assert chosen == sorted(chosen)
    best = max(n for n in range(7) for part in combinations(values, n) if list(part) == sorted(part))
    assert len(chosen) == best
