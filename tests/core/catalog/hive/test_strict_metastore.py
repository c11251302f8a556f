"""A real metastore that asks for permissions, and whose housekeeper frees the locks of the dead."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from core.catalog import Catalog, open_catalog
from core.catalog.errors import AccessDeniedError, LockTimeoutError
from core.errors import StorageDeniedError
from core.schema.changes import SetOption
from tests.builders import fields
from tests.core.catalog.faults.test_faults import HOLDER
from tests.hive_metastore import AUTHORIZER, HOUSEKEEPER, hive_metastore
from tests.interop.errors import PeerUnavailableError
from tests.interop.peers import ROOT
from tests.tables import put, rows_of

LOCKED = {"lock.enabled": "true", "lock-check-max-sleep": "100 ms"}


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mapping[str, str]]:
    if "LAKESCOPE_INTEGRATION" not in os.environ:
        pytest.skip("half a minute: make integration runs it")
    folder = tmp_path_factory.mktemp("strict")
    try:
        with hive_metastore(folder, {**HOUSEKEEPER, **AUTHORIZER}) as options:
            yield {**options, **LOCKED, "warehouse": f"{folder}/lake"}
    except PeerUnavailableError as error:
        pytest.skip(str(error))


@pytest.fixture
def catalog(strict: Mapping[str, str]) -> Catalog:
    Path(strict["warehouse"]).mkdir(exist_ok=True)
    made = open_catalog(strict)
    made.create_database("db", ignore_if_exists=True)
    return made


def test_the_lock_of_a_dead_holder_is_named_and_then_freed(
    catalog: Catalog, strict: Mapping[str, str]
) -> None:
    table = catalog.create_table("db.locked", fields(k="INT"), options={"bucket": "-1"})
    arguments = [sys.executable, "-c", HOLDER, json.dumps(dict(strict)), "db.locked"]
    assert subprocess.run(arguments, cwd=ROOT).returncode == -signal.SIGKILL
    impatient = open_catalog({**strict, "lock-acquire-timeout": "200 ms"})
    with pytest.raises(LockTimeoutError, match=r"holder=lock \d+ of .* silent for"):
        put(impatient.get_data_table("db.locked"), (1,))
    assert table.snapshots.ids() == []
    put(open_catalog({**strict, "lock-acquire-timeout": "60 s"}).get_data_table("db.locked"), (2,))
    assert rows_of(table.refreshed()) == [(2,)]


@pytest.fixture
def closed(catalog: Catalog) -> Iterator[Path]:
    """The directory of the database, which its owner has closed for writers."""
    folder = Path(catalog.get_database("db").location or "/none")
    folder.chmod(0o500)
    yield folder
    folder.chmod(0o755)


def test_who_may_not_make_a_table_is_told_so_and_leaves_nothing(catalog: Catalog, closed: Path) -> None:
    with pytest.raises((AccessDeniedError, StorageDeniedError)):  # the latter who is not root
        catalog.create_table("db.denied", fields(k="INT"))
    assert not catalog.table_exists("db.denied")
    assert not (closed / "denied").exists()


def test_who_may_not_change_or_drop_a_table_changes_no_file(catalog: Catalog) -> None:
    table = catalog.create_table("db.t", fields(k="INT"), options={"bucket": "-1"})
    put(table, (1,))
    folder = Path(table.location)
    folder.chmod(0o500)
    folder.parent.chmod(0o500)
    try:
        with pytest.raises(AccessDeniedError):
            catalog.drop_table("db.t")
        with pytest.raises(AccessDeniedError):
            catalog.rename_table("db.t", "db.u")
    finally:
        folder.parent.chmod(0o755)
        folder.chmod(0o755)
    assert rows_of(catalog.get_data_table("db.t")) == [(1,)]
    assert catalog.alter_table("db.t", [SetOption("snapshot.num-retained.min", "3")]) is not None
