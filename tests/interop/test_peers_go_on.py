"""pypaimon goes on where we stopped: it writes to each case, and we read that equal."""

from __future__ import annotations

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
from tests.interop.peers import Dump, Peer, PyPaimon
from tests.interop.values import json_rows, same_rows

pytestmark = pytest.mark.interop


def able(peer: str) -> list[str]:
    """The cases that a peer writes to."""
    return [name for name in CASES if not {(peer, name)} & (UNREADABLE.keys() | UNWRITABLE.keys())]


def new_rows(case: Case) -> list[list[Any]]:
    """A row that is there already, once more, and the same with another id where there are ids."""
    old = case.expected[0]
    new = [12345 if name == "id" else value for name, value in zip(case.names, old, strict=True)]
    return [insert(*row) for row in (old, new)]


def expected(case: Case) -> list[list[Any]]:
    return case.after(new_rows(case))


def goes_on(peer: Peer, names: list[str], warehouse: Path, folder: Path) -> Dump:
    """What a peer reads of a copy of our warehouse, once it has written to some tables."""
    shutil.copytree(warehouse, folder, dirs_exist_ok=True)
    tables = [describe.existing(name, [describe.write(*new_rows(CASES[name]))]) for name in names]
    peer.write(describe.warehouse(ours=tables), folder)
    return peer.dump(folder)


def opened(folder: Path, name: str) -> Table:
    return open_catalog(str(folder)).get_data_table(f"ours.{name}")


def check(name: str, folder: Path, dump: Dump) -> None:
    """The peer and we read what was there and what came, and nothing is missing."""
    table, case = opened(folder, name), CASES[name]
    answer = dump[f"ours.{name}"]["latest"]
    assert "rows" in answer, answer
    assert same_rows(answer["rows"], expected(case))
    assert same_rows(json_rows(table.to_arrow(), dict(case.columns)), expected(case))
    assert [f for f in check_table(table).findings if f.severity is Severity.ERROR] == []


@pytest.fixture(scope="module")
def pypaimon_went_on(
    pypaimon: PyPaimon, our_warehouse: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, Dump]:
    folder = tmp_path_factory.mktemp("pypaimon")
    return folder, goes_on(pypaimon, able("pypaimon"), our_warehouse, folder)


@pytest.mark.parametrize("name", able("pypaimon"))
def test_pypaimon_writes_where_we_stopped(name: str, pypaimon_went_on: tuple[Path, Dump]) -> None:
    check(name, *pypaimon_went_on)
