"""A peer goes on where we stopped: it writes to each case, Java compacts and expires too; we read that equal.

Each peer works on a copy of the warehouse of its own. `make interop` takes every case through Java;
`./test` every third.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from core.catalog import open_catalog
from core.maintenance.check import Severity, check_table
from core.table import Table
from tests.interop import describe
from tests.interop.case import Case
from tests.interop.cases import CASES
from tests.interop.describe import insert
from tests.interop.features import UNREADABLE, UNWRITABLE
from tests.interop.peers import JavaPaimon, PyPaimon
from tests.interop.turns.engines import JAVA, PYPAIMON, Served
from tests.interop.values import json_rows, same_rows

pytestmark = pytest.mark.interop

LONG = os.environ.get("HYPOTHESIS_PROFILE") == "long"


def able(peer: str) -> list[str]:
    """The cases that a peer writes to."""
    return [name for name in CASES if not {(peer, name)} & (UNREADABLE.keys() | UNWRITABLE.keys())]


def new_rows(case: Case) -> list[list[Any]]:
    """A row that is there already, once more, and the same with another id where there are ids."""
    old = case.expected[0]
    new = [12345 if name == "id" else value for name, value in zip(case.names, old, strict=True)]
    return [insert(*row) for row in (old, new)]


def opened(warehouse: Path, name: str) -> Table:
    return open_catalog(str(warehouse)).get_data_table(f"ours.{name}")


def check(peer: Served, warehouse: Path, name: str) -> None:
    """The peer and we read what was there and what came, and nothing is missing."""
    table, case = opened(warehouse, name), CASES[name]
    expected = case.after(new_rows(case))
    assert same_rows(peer.read(f"ours.{name}", {})[1], expected)
    assert same_rows(json_rows(table.to_arrow(), dict(case.columns)), expected)
    assert [f for f in check_table(table).findings if f.severity is Severity.ERROR] == []


def copied(warehouse: Path, factory: pytest.TempPathFactory, peer: str) -> Path:
    return shutil.copytree(warehouse, factory.mktemp("goes_on") / peer)


@pytest.fixture(scope="module")
def pypaimons(our_warehouse: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copied(our_warehouse, tmp_path_factory, "pypaimon")


@pytest.fixture(scope="module")
def pypaimon_engine(pypaimon: PyPaimon, pypaimons: Path) -> Served:
    return Served(pypaimon.session(pypaimons), PYPAIMON, deletes=False)


@pytest.mark.parametrize("name", able("pypaimon"))
def test_pypaimon_writes_where_we_stopped(name: str, pypaimon_engine: Served, pypaimons: Path) -> None:
    pypaimon_engine.do(f"ours.{name}", describe.write(*new_rows(CASES[name])))
    check(pypaimon_engine, pypaimons, name)


@pytest.fixture(scope="module")
def javas(our_warehouse: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copied(our_warehouse, tmp_path_factory, "java")


@pytest.fixture(scope="module")
def java_engine(java: JavaPaimon, javas: Path) -> Served:
    return Served(java.session(javas), JAVA, deletes=True)


@pytest.mark.parametrize("name", able("java")[:: 1 if LONG else 3])
def test_java_writes_compacts_and_expires_where_we_stopped(
    name: str, java_engine: Served, javas: Path
) -> None:
    table, case = f"ours.{name}", CASES[name]
    # It wants three pages of memory; the buffers of some cases are smaller than one.
    small = "write-buffer-size" in case.options
    memory: dict[str, Any] = {"options": {"write-buffer-size": "8 mb"}} if small else {}
    java_engine.do(table, describe.write(*new_rows(case), **memory))
    java_engine.do(table, describe.compact(**memory))
    java_engine.do(table, {"op": "sleep", "ms": 5})  # expiry goes by time too
    java_engine.do(table, {"op": "expire", "retain": 1})
    latest = opened(javas, name).snapshots.latest()
    assert latest is not None
    assert list(opened(javas, name).snapshots.ids()) == [latest.id]
    check(java_engine, javas, name)
