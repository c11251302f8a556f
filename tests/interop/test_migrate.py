"""Files that other engines wrote, taken over into tables: real Paimon reads every row of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import orc

from core.catalog import open_catalog
from core.jobs import MigrateJob
from core.types import type_to_text
from tests.interop.peers import Peer
from tests.interop.values import differences, json_rows
from tests.spark_jobs.jobs import do

pytestmark = pytest.mark.interop

ROWS: list[dict[str, Any]] = [
    {
        "id": number,
        "small": number - 1,
        "half": number / 2,
        "sure": number > 0,
        "text": f"text {number}",
        "raw": bytes([number]),
        "price": Decimal(f"{number}.25"),
        "on": date(2026, 11, 22),
        "at": datetime(2026, 11, 22, 18, 0, number, 5000, tzinfo=UTC),
        "seen": datetime(2026, 11, 22, 18, 0, number, 5),
        "tags": ["a", None, "b"][: number + 1],
    }
    for number in range(3)
] + [{"id": 9}]
TYPES: dict[str, tuple[Any, Any]] = {  # of Arrow, and of Avro
    "id": (pa.int64(), "long"),
    "small": (pa.int32(), "int"),
    "half": (pa.float64(), "double"),
    "sure": (pa.bool_(), "boolean"),
    "text": (pa.string(), "string"),
    "raw": (pa.binary(), "bytes"),
    "price": (
        pa.decimal128(10, 2),
        {"type": "bytes", "logicalType": "decimal", "precision": 10, "scale": 2},
    ),
    "on": (pa.date32(), {"type": "int", "logicalType": "date"}),
    "at": (pa.timestamp("us", "UTC"), {"type": "long", "logicalType": "timestamp-millis"}),
    "seen": (pa.timestamp("us"), {"type": "long", "logicalType": "local-timestamp-micros"}),
    "tags": (pa.list_(pa.string()), {"type": "array", "items": ["null", "string"]}),
}
WHOLE = pa.Table.from_pylist(ROWS, pa.schema([(name, kind) for name, (kind, _) in TYPES.items()]))


def write_avro(path: Path) -> None:
    fields = [{"name": name, "type": ["null", kind]} for name, (_, kind) in TYPES.items()]
    with path.open("wb") as file:
        fastavro.writer(file, {"type": "record", "name": "row", "fields": fields}, ROWS)


WRITERS: Mapping[str, Callable[[Path], None]] = {
    # As Spark stores them: decimals of up to 18 digits in fixed bytes, as Hive's, are nothing for Java 0.9.0.
    "parquet": lambda path: pq.write_table(WHOLE, path, store_decimal_as_integer=True),
    "orc": lambda path: orc.write_table(WHOLE, path),
    "avro": write_avro,
}


@pytest.mark.parametrize("name", ["java", "pypaimon", pytest.param("newest", marks=pytest.mark.newest)])
def test_a_peer_reads_the_rows_of_every_format(
    name: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    peer: Peer = request.getfixturevalue(name)
    for kind, write in WRITERS.items():
        place = tmp_path / kind / "day=2026-11-22"
        place.mkdir(parents=True)
        write(place / f"part-0.{kind}")
        work = MigrateJob(str(tmp_path / kind), partition_types={"day": "DATE"})
        do(tmp_path / "wh", work, f"take-{kind}", table=f"taken.{kind}")
    told = peer.dump(tmp_path / "wh")
    for kind in WRITERS:
        table = open_catalog(str(tmp_path / "wh")).get_table(f"taken.{kind}")
        answer, types = told[f"taken.{kind}"]["latest"], table.schema.fields
        assert "rows" in answer, (kind, answer)
        assert (
            differences(table.to_arrow(), answer, {field.name: type_to_text(field.type) for field in types})
            == {}
        ), kind
        ours = table.to_arrow().drop_columns("day").cast(WHOLE.schema)
        assert json_rows(ours) == json_rows(WHOLE), kind
