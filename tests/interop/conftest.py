"""What several modules read of one warehouse with all cases, so that each peer reads it once for them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.interop.cases import CASES
from tests.interop.ours import make
from tests.interop.peers import Dump, JavaPaimon, PyPaimon

READ = ("latest", "system")


@pytest.fixture(scope="session")
def our_warehouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All cases, written by us; read it, never write to it."""
    folder = tmp_path_factory.mktemp("our_warehouse")
    make(folder, CASES)
    return folder


@pytest.fixture(scope="session")
def java_dump(java: JavaPaimon, our_warehouse: Path) -> Dump:
    return java.dump(our_warehouse, READ)


@pytest.fixture(scope="session")
def pypaimon_dump(pypaimon: PyPaimon, our_warehouse: Path) -> Dump:
    return pypaimon.dump(our_warehouse, READ)


@pytest.fixture(scope="session")
def newest_dump(newest: JavaPaimon, our_warehouse: Path) -> Dump:
    return newest.dump(our_warehouse, READ)
