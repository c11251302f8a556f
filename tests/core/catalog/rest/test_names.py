from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.catalog.rest.names import ResourcePaths, decode_name, encode_name
from core.identifier import Identifier


@pytest.mark.parametrize(
    ("name", "encoded"),
    [
        ("a b", "a+b"),
        ("a/b", "a%2Fb"),
        ("t$branch_b", "t%24branch_b"),
        ("~*.-_", "%7E*.-_"),
        ("表", "%E8%A1%A8"),
    ],
)
def test_names_are_written_as_forms_write_values(name: str, encoded: str) -> None:
    assert encode_name(name) == encoded


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_decode_is_the_inverse_of_encode(name: str) -> None:
    assert decode_name(encode_name(name)) == name


def test_a_branch_is_part_of_the_name_of_the_table() -> None:
    paths = ResourcePaths("lake")
    assert paths.table(Identifier("db", "t", "b"), "tags", "v 1") == (
        "/v1/lake/databases/db/tables/t%24branch_b/tags/v+1"
    )
    assert ResourcePaths().all("databases") == "/v1/databases"
