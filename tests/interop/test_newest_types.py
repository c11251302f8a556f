"""Tables of `test_types_readback.py`, written on, compacted and expired by Spark SQL of the newest Paimon.

Run by `make interop` alone, see CONTRIBUTING.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from core.catalog import open_catalog
from core.maintenance.check import check_table
from core.table import Table
from core.types.variant import variant_value
from tests.interop.spark_paimon import SparkPaimon
from tests.interop.test_types_readback import BLOBS, TEXTS, VECTORS, make
from tests.tables import rows_of

pytestmark = pytest.mark.newest

ROWS = {
    "variants": ("INSERT INTO {} VALUES (9, parse_json('[7]'), NULL)", [1, None, {"a": 5, "b": 7}, [7]]),
    "variants_keyed": ("INSERT INTO {} VALUES (2, parse_json('[7]'), NULL)", [[7], {"a": 5, "b": 7}]),
    "vectors": ("SELECT 1", VECTORS),
    "blobs": ("INSERT INTO {} VALUES (9, X'0102', 'z')", [*BLOBS, (9, b"\x01\x02", "z")]),
    "parquet_settings": ("INSERT INTO {} VALUES (0, 'back')", [(0, "back"), *TEXTS[1:]]),
    "outside_round": ("INSERT INTO {} VALUES (0, 'back')", [(0, "back"), *TEXTS[1:]]),
    "outside_entropy": ("INSERT INTO {} VALUES (0, 'back')", [(0, "back"), *TEXTS[1:]]),
}


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("newest_types")
    make(root)
    return root / "wh"


@pytest.mark.parametrize("name", ROWS)
def test_spark_sql_goes_on_and_we_read_the_same(
    name: str, spark_paimon: SparkPaimon, warehouse: Path
) -> None:
    statement, rows = ROWS[name]
    spark_paimon.run(
        warehouse,
        statement.format(f"ours.{name}"),
        f"CALL sys.compact(table => 'ours.{name}')",
        f"CALL sys.expire_snapshots(table => 'ours.{name}', retain_max => 1, retain_min => 1)",
    )
    table = open_catalog(str(warehouse)).get_table(f"ours.{name}")
    assert isinstance(table, Table)
    found = rows_of(table)
    if name.startswith("variants"):
        assert [variant_value(*row[1]) if row[1] else None for row in found] == rows
    else:
        assert found == sorted(rows, key=repr)
    assert not check_table(table).findings
    count = spark_paimon.rows(warehouse, f"SELECT count(*) AS n FROM ours.{name}").column("n")[0].as_py()
    assert count == len(rows)
