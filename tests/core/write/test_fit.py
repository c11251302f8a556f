import pytest

from core.errors import InvalidRequestError
from core.schema import TableSchema
from core.types import DataField, parse_type
from core.write.fit import FitKind, can_cast, fit_schema


def fields(columns: dict[str, str]) -> tuple[DataField, ...]:
    return tuple(DataField(i, name, parse_type(text)) for i, (name, text) in enumerate(columns.items()))


def fit(source: dict[str, str], table: dict[str, str]):
    schema = TableSchema(id=0, fields=fields(table), highest_field_id=9)
    return fit_schema(fields(source), schema)


def kinds(source: dict[str, str], table: dict[str, str]) -> dict[str, str]:
    return {c.column: c.kind.value for c in fit(source, table).columns}


def test_each_column_is_judged_by_itself() -> None:
    table = {"a": "INT", "b": "INT NOT NULL", "c": "STRING", "d": "ARRAY<INT>"}
    source = {"a": "BIGINT", "c": "STRING", "d": "STRING", "e": "INT"}
    assert kinds(source, table) == {
        "a": "cast", "b": "required", "c": "same", "d": "impossible", "e": "unknown"
    }  # fmt: skip


def test_nullability_is_no_difference_of_types() -> None:
    assert kinds({"a": "INT NOT NULL"}, {"a": "INT"}) == {"a": "same"}


def test_case_matters_only_where_both_spellings_exist() -> None:
    assert fit({"ID": "INT"}, {"id": "INT"}).columns[0].source == "ID"
    assert fit({"ID": "INT", "id": "INT"}, {"id": "INT"}).columns[0].source == "id"


def test_a_blocker_is_named() -> None:
    with pytest.raises(InvalidRequestError) as refused:
        fit({"_c0": "INT"}, {"a": "INT NOT NULL"}).check()
    assert refused.value.fields["column"] == "a"
    assert refused.value.fields["source_columns"] == "_c0", "a CSV file read without its head shows"
    fit({}, {"a": "INT"}).check()


@pytest.mark.parametrize(
    ("source", "target", "possible"),
    [
        ("STRING", "TIMESTAMP(3)", True),
        ("STRING", "DECIMAL(9, 2)", True),
        ("DOUBLE", "INT", True),
        ("DATE", "TIMESTAMP(6) WITH LOCAL TIME ZONE", True),
        ("BYTES", "STRING", False),
        ("BOOLEAN", "DATE", False),
        ("ARRAY<INT>", "ARRAY<STRING>", True),
        ("MAP<STRING, INT>", "MULTISET<STRING>", True),
        ("ROW<a INT>", "ROW<b INT>", False),
        ("ROW<a INT>", "ROW<a BIGINT>", True),
    ],
)
def test_casts_are_those_of_spark(source: str, target: str, possible: bool) -> None:
    assert can_cast(parse_type(source), parse_type(target)) is possible


def test_the_json_form_has_a_row_a_column() -> None:
    (row,) = fit({"a": "INT"}, {"a": "BIGINT"}).to_json()
    assert row == {
        "column": "a", "kind": FitKind.CAST.value, "source": "a", "source_type": "INT", "table_type": "BIGINT"
    }  # fmt: skip
