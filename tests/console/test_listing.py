"""Lists: the three engines page, filter and sort alike."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from django.http import QueryDict
from hypothesis import given
from hypothesis import strategies as st

from console.api.columns import page_of_columns
from console.api.errors import Problem
from console.api.listing import Field, Kind, Listing, Page, page_of_rows, parse_query

LISTING = Listing(
    key="name",
    fields={
        "name": Field(),
        "size": Field(Kind.BYTES),
        "kind": Field(),
        "hidden": Field(filter=False, sort=False),
    },
    default_sort="name",
)
rows = st.lists(
    st.fixed_dictionaries(
        {
            "name": st.text("abc", min_size=1, max_size=6),
            "size": st.none() | st.integers(0, 5),
            "kind": st.none() | st.sampled_from(["x", "y"]),
        }
    ),
    unique_by=lambda row: row["name"],
    max_size=20,
)
sorts = st.sampled_from(["name", "-name", "size", "-size", "kind,-size", "-kind"])
filters = st.sampled_from(
    [
        "", "size[ge]=2", "size[lt]=4", "kind=x", "kind[ne]=x", "kind[null]=true", "size[in]=1,3",
        "name[prefix]=a", "name[contains]=B", "kind[null]=false&size[le]=3",
    ]
)  # fmt: skip
SCHEMA = pa.schema([("name", pa.string()), ("size", pa.int64()), ("kind", pa.string())])


def query(text: str, context: str = "/list") -> Any:
    return parse_query(LISTING, QueryDict(text), context)


def all_pages(text: str, page: Any) -> list[str]:
    """Names of all rows, page by page."""
    names, cursor = [], ""
    while True:
        found = page(query(f"{text}&{cursor}"))
        names += found
        if page.next is None:
            return names
        cursor = QueryDict(mutable=True)
        cursor["cursor"] = page.next
        cursor = cursor.urlencode()


class Paged:
    """Remembers the cursor of the last page."""

    def __init__(self, load: Any) -> None:
        self._load = load
        self.next: str | None = None

    def __call__(self, asked: Any) -> list[str]:
        names, page = self._load(asked)
        self.next = page.next
        return list(names)


def in_memory(data: list[dict[str, Any]]) -> Paged:
    def load(asked: Any) -> tuple[list[str], Page]:
        page = page_of_rows(data, LISTING, asked)
        return [row["name"] for row in page.rows], page

    return Paged(load)


def in_columns(data: list[dict[str, Any]]) -> Paged:
    table = pa.Table.from_pylist(data, schema=SCHEMA)

    def load(asked: Any) -> tuple[list[str], Page]:
        part, page = page_of_columns(table, LISTING, asked, "1~abcd")
        return part.column("name").to_pylist(), page

    return Paged(load)


@given(rows, sorts, filters, st.integers(1, 7))
def test_pages_together_are_the_whole_list(data: list[Any], sort: str, filter_: str, limit: int) -> None:
    text = f"sort={sort}&{filter_}"
    whole = all_pages(f"{text}&limit=1000", in_memory(data))
    assert all_pages(f"{text}&limit={limit}", in_memory(data)) == whole
    assert len(set(whole)) == len(whole)


@given(rows, sorts, filters, st.integers(1, 7))
def test_columns_give_what_rows_give(data: list[Any], sort: str, filter_: str, limit: int) -> None:
    text = f"sort={sort}&{filter_}&limit={limit}"
    assert all_pages(text, in_columns(data)) == all_pages(text, in_memory(data))


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("colour=red", "unknown-filter"),
        ("hidden=1", "unknown-filter"),
        ("size=big", "validation-failed"),
        ("size[like]=1", "validation-failed"),
        ("sort=colour", "validation-failed"),
        ("limit=0", "validation-failed"),
        ("limit=1001", "validation-failed"),
        ("limit=ten", "validation-failed"),
        ("cursor=forged", "cursor-mismatch"),
        ("size[null]=maybe", "validation-failed"),
        ("size=99999999999999999999", "validation-failed"),
    ],
)
def test_a_bad_question_is_refused(text: str, code: str) -> None:
    with pytest.raises(Problem) as caught:
        query(text)
    assert caught.value.code == code


def test_a_cursor_belongs_to_its_list_and_filters() -> None:
    page = in_memory([{"name": n, "size": 1, "kind": "x"} for n in "abc"])
    page(query("limit=1"))
    for text, context in (("limit=1&kind=x", "/list"), ("limit=1", "/other")):
        with pytest.raises(Problem) as caught:
            query(f"{text}&cursor={page.next}", context)
        assert caught.value.code == "cursor-mismatch"


def test_sizes_take_units() -> None:
    assert query("size[ge]=1.5KiB").filters[0].value == 1536
