"""$row_tracking over the tables of the corpora that track rows. Spec: 04, B."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest

from core.catalog import open_catalog
from core.errors import InvalidRequestError
from core.system import open_system_table
from core.types import type_to_text
from tests.interop.values import differences
from tests.tables import new_table, put


@pytest.mark.parametrize(
    "name", ["row_tracking", "data_evolution", "data_evolution_deletes", "data_evolution_updates", "blob"]
)
def test_rows_have_the_ids_that_paimon_gives_them(corpora: Path, name: str) -> None:
    table = open_catalog(str(corpora / "pypaimon21")).get_table(f"py.{name}$row_tracking")
    expected = json.loads((corpora / "expected" / "pypaimon21" / f"py.{name}.json").read_text())["rowIds"]
    types = {field.name: type_to_text(field.type) for field in table.schema.fields}
    assert not differences(table.to_arrow(), expected, types)


def test_a_filter_may_look_at_the_ids(corpora: Path) -> None:
    table = open_catalog(str(corpora / "pypaimon21")).get_table("py.data_evolution$row_tracking")
    assert table.to_arrow(["b"], "_ROW_ID > 4 AND a < 12").to_pydict() == {"b": ["x1"]}


def test_threads_read_the_same_rows() -> None:
    columns = {"p": "INT", "a": "INT"}
    table = new_table(columns, partition=["p"], bucket="-1", row_tracking__enabled="true")
    put(table, *((p, a) for p in range(4) for a in range(5)))
    tracked = open_system_table(table, "row_tracking")
    one, more = (rows_of(tracked.to_arrow(threads=threads)) for threads in (1, 3))
    assert len({row[-2] for row in one}) == 20
    assert one == more


def rows_of(table: pa.Table) -> list[tuple[object, ...]]:
    return sorted(zip(*table.to_pydict().values(), strict=True))


def test_a_table_that_tracks_no_rows_has_no_such_rows() -> None:
    with pytest.raises(InvalidRequestError, match=r"row-tracking\.enabled"):
        open_system_table(new_table({"a": "INT"}, ["a"]), "row_tracking").to_arrow()
