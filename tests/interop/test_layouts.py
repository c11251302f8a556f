"""Where pypaimon puts data files that do not lie where most do, and how it calls them. Spec: 01, 1.1, 1.3."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.catalog import open_catalog
from core.maintenance.check import check_table
from core.table import Table
from tests.interop import describe
from tests.interop.describe import insert, write
from tests.interop.peers import PyPaimon

pytestmark = pytest.mark.interop

COLUMNS = [("k", "INT"), ("v", "STRING")]
KEYED = [("k", "INT NOT NULL"), ("v", "STRING")]
COMMITS = [write(insert(1, "a")), write(insert(2, "b"))]


@pytest.fixture(scope="module")
def warehouse(pypaimon: PyPaimon, tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("layouts")
    outside = {
        "bucket": "-1",
        "data-file.external-paths": f"file://{root}/one",  # of several, pypaimon starts at a random one
        "data-file.external-paths.strategy": "round-robin",
    }
    inside = {"bucket": "1", "data-file.path-directory": "data/files"}
    prefixed = {"bucket": "-1", "data-file.prefix": "v1.0-", "file.suffix.include.compression": "true"}
    tables = [
        describe.table("outside", COLUMNS, options=outside, operations=COMMITS),
        describe.table("inside", KEYED, primary_key=["k"], options=inside, operations=COMMITS),
        describe.table("prefixed", COLUMNS, options=prefixed, operations=COMMITS),
    ]
    pypaimon.write(describe.warehouse(db=tables), root / "wh")
    return root


@pytest.mark.parametrize(
    ("name", "place"),
    [("outside", "one"), ("inside", "wh/db.db/inside/data/files"), ("prefixed", "wh/db.db/prefixed")],
)
def test_files_are_read_from_where_they_lie(warehouse: Path, name: str, place: str) -> None:
    assert list((warehouse / place).glob("bucket-0/*.parquet"))
    table = open_catalog(str(warehouse / "wh")).get_table(f"db.{name}")
    assert isinstance(table, Table)
    assert table.to_arrow().to_pydict() == {"k": [1, 2], "v": ["a", "b"]}
    assert check_table(table).findings == ()
