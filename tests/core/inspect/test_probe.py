"""One key looked for in buckets that real Paimon wrote, held against the rows that are in their files."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.catalog import open_catalog
from core.errors import InvalidRequestError
from core.inspect import KeyProbe, list_pressure, probe_key
from core.io import MemoryFileIO
from core.table import Table
from tests.tables import compact, new_table, put

CORPORA = Path(__file__).parents[2] / "corpora"
KEYED = ["pk.lsm_levels", "pk.fixed_parquet", "pk.fixed_orc_part", "pk.composite_key", "evo.pk_evolved"]


def table(name: str) -> Table:
    return open_catalog(str(CORPORA / "java09")).get_table(name)


def text_of(value: object) -> str:
    return value.hex() if isinstance(value, bytes) else str(value)


def names(probe: KeyProbe) -> list[str]:
    return [file.name for file in probe.files if file.may_hold]


@pytest.mark.parametrize("name", KEYED)
def test_every_row_of_a_table_is_found_in_its_bucket(name: str) -> None:
    opened = table(name)
    columns = [field.name for field in opened.schema.key_fields()]
    for place in list_pressure(opened):
        partition = {k: v for k, _, v in (part.partition("=") for part in place.partition.split("/") if part)}
        where = " AND ".join(f"{k} = '{v}'" for k, v in partition.items())
        rows = opened.to_arrow(columns=columns, filter=where or None).slice(0, 40).to_pylist()
        keys = [{column: text_of(row[column]) for column in columns} for row in rows]
        probes = [probe_key(opened, place.partition, place.bucket, key) for key in keys]
        assert all(names(probe) for probe in probes if probe.belongs_to == place.bucket)
    assert any(probe.belongs_to == place.bucket for probe in probes)


def test_a_key_lies_between_the_ends_of_files() -> None:
    opened = table("pk.lsm_levels")  # whose ends are 0, 1, 2, 250, 297 and 499
    [column] = [field.name for field in opened.schema.key_fields()]
    found = [probe_key(opened, "", 0, {column: key}) for key in ("-1", "2", "100", "1000")]
    assert [(p.position, p.is_end, [f.level for f in p.files]) for p in found] == [
        (0, False, []),
        (2, True, [0, 0, 1, 2, 3, 4]),
        (3, False, [1, 2, 3, 4]),
        (6, False, []),
    ]


def test_an_index_tells_that_a_file_does_not_hold_the_key() -> None:
    made = new_table(
        {"id": "INT NOT NULL", "v": "INT"}, ["id"], io=MemoryFileIO(), file_index__bloom_filter__columns="id"
    )
    put(made, *((i, 0) for i in range(0, 100, 2)))
    put(made, *((i, 1) for i in range(1, 100, 4)))
    found = probe_key(made, "", 0, {"id": "3"})
    assert [(f.may_hold, f.asked) for f in found.files] == [(False, ("bloom-filter(id)",))] * 2
    newest = probe_key(made, "", 0, {"id": "5"})
    assert [f.may_hold for f in newest.files] == [True, False]


def test_what_a_batch_read_leaves_out_is_told() -> None:
    made = new_table({"id": "INT NOT NULL", "v": "INT"}, ["id"], deletion_vectors__enabled="true")
    put(made, (1, 0))
    assert [(f.is_left_out, f.may_hold) for f in probe_key(made, "", 0, {"id": "1"}).files] == [(True, False)]
    compact(made)
    assert [(f.level > 0, f.may_hold) for f in probe_key(made, "", 0, {"id": "1"}).files] == [(True, True)]


@pytest.mark.parametrize("key", [{}, {"id": "x"}, {"id": "1", "v": "2"}, {"ID": "1"}, {"id": ""}])
def test_what_is_no_key_is_refused(key: dict[str, str]) -> None:
    made = new_table({"id": "INT NOT NULL", "v": "INT"}, ["id"])
    put(made, (1, 0))
    with pytest.raises(InvalidRequestError):
        probe_key(made, "", 0, key)
