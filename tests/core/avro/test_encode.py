"""Rows encoded a column at a time are those that fastavro reads. Spec: 02, 1; 04, A3."""

from __future__ import annotations

from decimal import Decimal
from io import BytesIO
from typing import Any

import fastavro
import numpy as np
import pyarrow as pa
import pytest

from core.avro import RowWriter
from core.avro.container import open_container
from core.errors import InvalidRequestError, UnsupportedError

DECIMAL = {"type": "bytes", "logicalType": "decimal", "precision": 38, "scale": 2}
EDGES = [0, 1, -1, 63, 64, -64, -65, 8191, 8192, 2**31 - 1, -(2**31), 2**63 - 1, -(2**63)]
CASES: list[tuple[Any, pa.DataType, list[Any]]] = [
    ("long", pa.int64(), EDGES),
    (["null", "long"], pa.int64(), [None, *EDGES, None]),
    (["null", "int"], pa.int8(), [-128, None, 127]),
    ("double", pa.float64(), [1.5, -0.0, 1e300]),
    ("boolean", pa.bool_(), [True, False]),
    (["null", "string"], pa.string(), ["", None, "a", "中文" * 50]),
    ("bytes", pa.binary(), [b"", b"\0" * 300]),
    (
        ["null", DECIMAL],
        pa.decimal128(38, 2),
        [None, *(Decimal(n) / 100 for n in (0, 127, 128, -128, -129, 32768, 10**30))],
    ),
    ({"type": "array", "items": ["null", "int"]}, pa.list_(pa.int32()), [[], [1, None], [300] * 70]),
    (
        ["null", {"type": "array", "items": {"type": "array", "items": "string"}}],
        pa.list_(pa.list_(pa.string())),
        [[["a"], []], None, [[], ["b", "c"]], []],
    ),
    (
        ["null", {"type": "map", "values": "long"}],
        pa.map_(pa.string(), pa.int64()),
        [{"k": 1, "l": 2}, None, {}],
    ),
]


def container(schema: Any, column: Any) -> bytes:
    record = {"type": "record", "name": "record", "fields": [{"name": "c", "type": schema}]}
    file = BytesIO()
    RowWriter(file, ["null", record]).write(pa.table({"c": column}))
    return file.getvalue()


@pytest.mark.parametrize(("schema", "kind", "values"), CASES)
def test_fastavro_reads_what_is_encoded(schema: Any, kind: pa.DataType, values: list[Any]) -> None:
    spelled = [list(v.items()) if isinstance(v, dict) else v for v in values]
    column = pa.array([spelled[0], *spelled], kind)[1:]  # a slice: the buffers begin elsewhere
    found = [row["c"] for row in fastavro.reader(BytesIO(container(schema, column)))]  # type: ignore[index, call-overload]
    assert found == values


def test_blocks_hold_some_64_kilobytes() -> None:
    column = pa.array(np.arange(1 << 40, (1 << 40) + 50_000))
    blocks = list(open_container(BytesIO(container("long", column))).blocks)
    assert sum(block.count for block in blocks) == 50_000
    assert [64_000 <= len(block.data) < 64_020 for block in blocks[:-1]] == [True] * 5


def test_a_null_where_the_schema_takes_none_is_refused() -> None:
    with pytest.raises(InvalidRequestError, match="null"):
        container("long", pa.array([1, None]))


def test_an_unknown_codec_is_refused() -> None:
    with pytest.raises(UnsupportedError, match="lzo"):
        RowWriter(BytesIO(), {"type": "record", "name": "r", "fields": []}, "lzo")
