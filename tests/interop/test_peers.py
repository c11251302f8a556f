"""The peers answer as the corpora say they did, and carry out descriptions."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.interop import describe
from tests.interop.errors import PeerFailedError
from tests.interop.peers import JavaPaimon, Peer, PyPaimon
from tests.interop.values import same_rows

pytestmark = pytest.mark.interop


def expected(corpora: Path, folder: str, table: str) -> dict[str, Any]:
    return json.loads((corpora / "expected" / folder / f"{table}.json").read_text())


def copied(corpora: Path, folder: str, tables: list[str], to: Path) -> Path:
    """A warehouse of a few tables of the corpora; as many as it needs, as a dump of all takes a minute."""
    for table in tables:
        database, name = table.split(".")
        source = Path(f"{database}.db") / name
        shutil.copytree(corpora / folder / source, to / source)
    return to


def rows_of(dump: Mapping[str, Any], table: str) -> list[list[Any]]:
    return dump[table]["latest"]["rows"]


def test_java_reads_its_corpus_as_expected(java: JavaPaimon, corpora: Path, tmp_path: Path) -> None:
    tables = ["append.logs_unaware", "pk.fixed_parquet", "types.atomic_orc"]
    dump = java.dump(copied(corpora, "java09", tables, tmp_path))
    for table in tables:
        assert dump[table]["latest"] == expected(corpora, "java09", table)["latest"]


def test_pypaimon_reads_its_corpus_as_expected(pypaimon: PyPaimon, corpora: Path, tmp_path: Path) -> None:
    tables = ["py.append_unaware", "py.pk_fixed", "py.atomic_parquet", "py.variant"]
    dump = pypaimon.dump(copied(corpora, "pypaimon21", tables, tmp_path))
    for table in tables:
        assert same_rows(rows_of(dump, table), expected(corpora, "pypaimon21", table)["latest"]["rows"])


def test_pypaimon_opens_what_java_wrote(pypaimon: PyPaimon, corpora: Path, tmp_path: Path) -> None:
    dump = pypaimon.dump(copied(corpora, "java09", ["pk.fixed_parquet"], tmp_path))
    expect = expected(corpora, "java09", "pk.fixed_parquet")["latest"]["rows"]
    assert same_rows(rows_of(dump, "pk.fixed_parquet"), expect)


@pytest.fixture(params=["java", "pypaimon"])
def peer(request: pytest.FixtureRequest) -> Peer:
    return request.getfixturevalue(request.param)


COLUMNS = [("id", "INT NOT NULL"), ("v", "STRING")]


def test_a_described_table_is_written_and_read_back(peer: Peer, tmp_path: Path) -> None:
    steps = [describe.write(describe.insert(1, "a"), describe.insert(2, None)), describe.tag("first")]
    t = describe.table("t", COLUMNS, primary_key=["id"], options={"bucket": "1"}, operations=steps)
    peer.write(describe.warehouse(db=[t]), tmp_path)
    peer.write(
        describe.warehouse(db=[describe.existing("t", [describe.write(describe.insert(1, "b"))])]), tmp_path
    )
    dump = peer.dump(tmp_path, ("latest", "atTag"))["db.t"]
    assert same_rows(dump["latest"]["rows"], [[1, "b"], [2, None]])
    assert same_rows(dump["atTag"]["first"]["rows"], [[1, "a"], [2, None]])


def test_a_failed_operation_is_named(peer: Peer, tmp_path: Path) -> None:
    t = describe.table("t", COLUMNS, operations=[describe.alter(("drop", "absent"))])
    with pytest.raises(PeerFailedError, match=r"db\.t at operation 0 alter"):
        peer.write(describe.warehouse(db=[t]), tmp_path)


def test_java_compacts_to_the_top_level(java: JavaPaimon, tmp_path: Path) -> None:
    steps = [
        describe.write(describe.insert(1, "a")),
        describe.write(describe.delete(1, "a")),
        describe.compact(),
    ]
    t = describe.table(
        "t",
        COLUMNS,
        primary_key=["id"],
        options={"bucket": "1", "write-only": "true"},
        operations=steps,
    )
    java.write(describe.warehouse(db=[t]), tmp_path)
    dump = java.dump(tmp_path)["db.t"]
    assert dump["latest"]["rows"] == []
    assert dump["latestSnapshotId"] == 3
