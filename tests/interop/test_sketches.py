"""Sketches of Apache DataSketches, joined by Java and by us. Spec: 06, 4.2."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import datasketches
import pytest

from core.catalog import open_catalog
from tests.interop import describe
from tests.interop.peers import JavaPaimon

pytestmark = pytest.mark.interop

SOME, OTHERS = (range(5), range(60), range(9000)), (range(3, 9), range(4000, 20_000))
KINDS = [datasketches.tgt_hll_type.HLL_4, datasketches.tgt_hll_type.HLL_6, datasketches.tgt_hll_type.HLL_8]


def hll(items: Iterable[int], lg_k: int = 12, kind: Any = KINDS[0]) -> bytes:
    sketch = datasketches.hll_sketch(lg_k, kind)
    for item in items:
        sketch.update(item)
    return bytes(sketch.serialize_compact())


def theta(items: Iterable[int]) -> bytes:
    sketch = datasketches.update_theta_sketch(12)
    for item in items:
        sketch.update(item)
    return bytes(sketch.compact().serialize())


def pairs(make: Callable[[Iterable[int]], bytes]) -> list[tuple[bytes, bytes]]:
    return [(make(some), make(other)) for some in SOME for other in OTHERS]


HLLS = [
    *pairs(hll),
    *((hll(SOME[2], 10, kind), hll(OTHERS[1], 12, kind)) for kind in KINDS),
    *((hll(SOME[2], 12, kind), hll(OTHERS[1], 10, kind)) for kind in KINDS),
]


def test_sketches_are_joined_as_java_joins_them(java: JavaPaimon, tmp_path: Path) -> None:
    tables = [
        describe.table(
            name,
            [("k", "INT NOT NULL"), ("s", "BYTES")],
            primary_key=["k"],
            options={"bucket": "1", "merge-engine": "aggregation", "fields.s.aggregate-function": name},
            operations=[
                describe.write(*rows(some for some, _ in sketches)),
                describe.write(*rows(other for _, other in sketches)),
                describe.write(*rows(some for some, _ in sketches[:3])),
            ],
        )
        for name, sketches in (("hll_sketch", HLLS), ("theta_sketch", pairs(theta)))
    ]
    java.write(describe.warehouse(db=tables), tmp_path)
    answers = java.read(tmp_path, [{"table": f"db.{table['name']}"} for table in tables])
    for table, answer, told in zip(tables, answers, (told_of_hll, told_of_theta), strict=True):
        ours = open_catalog(str(tmp_path)).get_table(f"db.{table['name']}").to_arrow().to_pydict()
        found = {key: told(sketch) for key, sketch in zip(ours["k"], ours["s"], strict=True)}
        assert found == {key: told(b64decode(sketch)) for _, key, sketch in answer["rows"]}


def told_of_hll(data: bytes) -> tuple[Any, ...]:
    """What two sketches of the same set have in common; the order in their bytes is free."""
    sketch = datasketches.hll_sketch.deserialize(data)
    return sketch.lg_config_k, sketch.tgt_type, sketch.get_estimate()


def told_of_theta(data: bytes) -> tuple[Any, ...]:
    sketch = datasketches.compact_theta_sketch.deserialize(data)
    return sketch.theta, sorted(sketch)


def rows(sketches: Iterable[bytes]) -> list[Any]:
    return [describe.insert(i, b64encode(sketch).decode()) for i, sketch in enumerate(sketches)]
