"""What we write, compact and roll back, as real Paimon reads it; and what Java wrote, compacted by us.

One warehouse holds all cases (`conftest.py`), so that each peer starts once.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from core.catalog import open_catalog
from core.compact import Strategy
from core.table import Table
from core.tableindex import decode_hash_index
from tests.interop import describe
from tests.interop.case import Case, described
from tests.interop.case_columns import ID_V
from tests.interop.cases import CASES
from tests.interop.describe import insert
from tests.interop.features import UNREADABLE
from tests.interop.ours import compact, make, write
from tests.interop.peers import JavaPaimon, Peer, PyPaimon
from tests.interop.values import json_rows, same_rows

pytestmark = pytest.mark.interop


PEERS = ["java", "pypaimon", pytest.param("newest", marks=pytest.mark.newest)]


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("peer", PEERS)
def test_a_peer_reads_what_we_wrote(peer: str, name: str, request: pytest.FixtureRequest) -> None:
    if (peer, name) in UNREADABLE:
        pytest.skip(UNREADABLE[peer, name])
    answer = request.getfixturevalue(f"{peer}_dump")[f"ours.{name}"]["latest"]
    assert "rows" in answer, answer
    assert answer["columns"] == [column for column, _ in CASES[name].columns]
    assert same_rows(answer["rows"], CASES[name].expected)


@pytest.mark.parametrize("name", CASES)
def test_we_read_what_we_wrote(name: str, our_warehouse: Path) -> None:
    table = open_catalog(str(our_warehouse)).get_table(f"ours.{name}")
    rows = json_rows(table.to_arrow(), dict(CASES[name].columns))
    assert same_rows(rows, CASES[name].expected)


COMPACTED = ["append", "append_buckets", "pk", "pk_keys", "append_types_packed", "pk_types"]


def test_java_reads_its_own_tables_after_our_compaction(java: JavaPaimon, tmp_path: Path) -> None:
    cases = {name: CASES[name] for name in COMPACTED}
    java.write(describe.warehouse(ours=[described(case, name) for name, case in cases.items()]), tmp_path)
    before = java.dump(tmp_path)
    catalog = open_catalog(str(tmp_path))
    for name in cases:
        compact(catalog.get_table(f"ours.{name}"), Strategy.FULL)
    after = java.dump(tmp_path)
    for name, case in cases.items():
        assert same_rows(before[f"ours.{name}"]["latest"]["rows"], case.expected), name
        assert same_rows(after[f"ours.{name}"]["latest"]["rows"], case.expected), name
        assert after[f"ours.{name}"]["latestSnapshotId"] > before[f"ours.{name}"]["latestSnapshotId"], name


@pytest.fixture(params=PEERS)
def peer(request: pytest.FixtureRequest) -> Peer:
    return request.getfixturevalue(request.param)


def test_a_peer_writes_on_where_we_stopped(peer: Peer, tmp_path: Path) -> None:
    case = Case(
        ID_V, [[insert(1, "a"), insert(2, "b")], "compact"], primary_key=("id",), options={"bucket": "2"}
    )
    target = {"bucket": "-1", "dynamic-bucket.target-row-num": "2"}
    dynamic = Case(ID_V, [[insert(1, "a"), insert(2, "b"), insert(9, "d")]], ("id",), options=target)
    crossing = replace(CASES["pk_cross_partition"], steps=[[insert("a", i, "ours") for i in range(5)]])
    make(tmp_path, {"t": case, "dynamic": dynamic, "crossing": crossing})
    more = describe.write(insert(2, "theirs"), insert(1, "theirs too"))  # pypaimon writes no deletes
    new = describe.write(insert(1, "theirs"), insert(7, "new"), insert(8, "new"))
    moved = describe.write(insert("b", 1, "theirs"), insert("a", 2, "theirs"))
    moves = [] if isinstance(peer, PyPaimon) else [moved]  # it does not know where keys live
    operations = {"t": [more], "dynamic": [new], "crossing": moves}
    peer.write(describe.warehouse(ours=[describe.existing(n, o) for n, o in operations.items()]), tmp_path)
    catalog = open_catalog(str(tmp_path))
    table = catalog.get_table("ours.t")
    write(table, case, [insert(3, "ours")])
    compact(table.refreshed(), Strategy.FULL)
    write(catalog.get_table("ours.dynamic"), dynamic, [insert(7, "ours"), insert(5, "ours")])
    more_rows = [insert("c", 1, "again"), insert("b", 3, "again")]
    write(catalog.get_table("ours.crossing"), crossing, more_rows)
    dump = peer.dump(tmp_path)
    crossed = replace(crossing, steps=[*crossing.steps, *[op["rows"] for op in moves], more_rows])
    assert same_rows(dump["ours.crossing"]["latest"]["rows"], crossed.expected)
    assert same_rows(dump["ours.t"]["latest"]["rows"], [[1, "theirs too"], [2, "theirs"], [3, "ours"]])
    expected = [[1, "theirs"], [2, "b"], [5, "ours"], [7, "ours"], [8, "new"], [9, "d"]]
    assert same_rows(dump["ours.dynamic"]["latest"]["rows"], expected)
    assert same_rows(json_rows(catalog.get_table("ours.dynamic").to_arrow(), dict(ID_V)), expected)
    assert hashes_in_buckets(catalog.get_table("ours.dynamic")) == [2, 2, 2]


def hashes_in_buckets(table: Table) -> list[int]:
    """How many keys each dynamic bucket holds; no key is in two."""
    snapshot = table.snapshots.latest()
    assert snapshot is not None
    entries = table.manifests.index_entries(snapshot)
    read = [decode_hash_index(table.io.read(table.paths.index_file(e.file_name))) for e in entries]
    found = [hashes.tolist() for hashes in read]
    assert len({h for hashes in found for h in hashes}) == sum(map(len, found))
    return sorted(map(len, found))
