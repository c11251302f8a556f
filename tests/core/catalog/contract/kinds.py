"""The kinds of catalogs that the contract is held against, and what each of them has.

Another kind is another row of `KINDS`, and an `opens` that gives options of an empty warehouse.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from core.catalog import Catalog
from tests.hive_metastore import empty_metastore

Options = Mapping[str, str]
Opens = Callable[[pytest.FixtureRequest, str, str], Options]
"""Options of an empty warehouse: of the test that asks, a folder of its own, a name of its own."""


@dataclass(frozen=True)
class Kind:
    """One kind of catalog on one kind of store."""

    name: str
    opens: Opens
    metastore: str = "filesystem"
    has_properties: bool = False  # databases keep properties
    has_views: bool = False
    has_dialects: bool = True  # views have texts for some engines beside the general one
    odd_names: bool = True  # any name of a directory is one of a database
    fixed: tuple[str, ...] = ()  # databases that are always there
    renames: bool = True  # tables get other names
    keeps_folders: bool = False  # the store shows a folder for a while after all in it has been deleted

    def databases(self, catalog: Catalog) -> list[str]:
        """Those that are listed, but for fixed ones and the empty folders that the store has kept."""
        names = [name for name in catalog.list_databases() if name not in self.fixed]
        if not self.keeps_folders:
            return names
        return [name for name in names if any(catalog.io.iter_tree(f"{catalog.warehouse}/{name}.db"))]

    is_its_place: bool = True  # the warehouse is named by where it is
    keeps_formats: bool = True  # format tables
    lists_schemas: bool = False  # an object table has its schema among its objects
    marks_partitions: bool = False  # partitions are remembered as complete
    is_at_length: bool = False  # held to the contract by ./test integration alone: another is much like it


def _disk(request: pytest.FixtureRequest, folder: str, name: str) -> Options:
    return {"warehouse": f"{folder}/warehouse"}


def _memory(request: pytest.FixtureRequest, folder: str, name: str) -> Options:
    return {"warehouse": f"memory://{name}/warehouse"}


def _s3(request: pytest.FixtureRequest, folder: str, name: str) -> Options:
    given: Options = request.getfixturevalue("s3")
    return {**given, "warehouse": f"{given['warehouse']}/{name}"}


def _moto(request: pytest.FixtureRequest, folder: str, name: str) -> Options:
    given: Options = request.getfixturevalue("moto")
    return {**given, "warehouse": f"{given['warehouse']}/{name}"}


def _hdfs(request: pytest.FixtureRequest, folder: str, name: str) -> Options:
    given: Options = request.getfixturevalue("hdfs")
    return {**given, "warehouse": f"{given['warehouse']}/{name}/warehouse"}


def _sqlite(request: pytest.FixtureRequest, folder: str, name: str) -> Options:
    return _jdbc(f"jdbc:sqlite:{folder}/catalog.db", name, _disk(request, folder, name))


def _sqlite_on_s3(request: pytest.FixtureRequest, folder: str, name: str) -> Options:
    return _jdbc(f"jdbc:sqlite:{folder}/catalog.db", name, _s3(request, folder, name))


def _postgres(request: pytest.FixtureRequest, folder: str, name: str) -> Options:
    return {**_jdbc("", name, _disk(request, folder, name)), **request.getfixturevalue("postgres")}


def _mariadb(request: pytest.FixtureRequest, folder: str, name: str) -> Options:
    return {**_jdbc("", name, _disk(request, folder, name)), **request.getfixturevalue("mariadb")}


def _jdbc(uri: str, name: str, warehouse: Options) -> Options:
    """Each test has a catalog of its own in the one database."""
    return {**warehouse, "metastore": "jdbc", "uri": uri, "catalog-key": name}


def _hive(request: pytest.FixtureRequest, folder: str, name: str) -> Options:
    """The tests share a metastore, so each begins by dropping what another has left."""
    given: Options = request.getfixturevalue("hive")
    empty_metastore(given["uri"])
    return {**given, **_disk(request, folder, name)}


def _hive_locked(request: pytest.FixtureRequest, folder: str, name: str) -> Options:
    return {**_hive(request, folder, name), "lock.enabled": "true", "lock-check-max-sleep": "100 ms"}


def _hive_on_s3(request: pytest.FixtureRequest, folder: str, name: str) -> Options:
    places = {**_s3(request, folder, name), "location-in-properties": "true"}
    return {**_hive_locked(request, folder, name), **places}


def _rest(request: pytest.FixtureRequest, folder: str, name: str) -> Options:
    given: Options = request.getfixturevalue("rest_server").register(name, f"{folder}/warehouse")
    return given


_JDBC: dict[str, Any] = {"metastore": "jdbc", "has_properties": True, "has_views": True}

_HIVE: dict[str, Any] = {
    "metastore": "hive",
    "has_properties": True,
    "has_views": True,
    "has_dialects": False,
    "odd_names": False,
    "lists_schemas": True,
    "fixed": ("default",),
}

KINDS = (
    Kind("filesystem on a disk", _disk),
    Kind("filesystem in memory", _memory, renames=False),
    Kind("filesystem on S3", _s3, renames=False, keeps_folders=True),
    Kind("filesystem on S3 of moto", _moto, renames=False),
    Kind("filesystem on HDFS", _hdfs),
    Kind("jdbc in SQLite", _sqlite, **_JDBC),
    Kind("jdbc in SQLite, tables on S3", _sqlite_on_s3, **_JDBC, renames=False),
    Kind("jdbc in PostgreSQL", _postgres, **_JDBC),
    Kind("jdbc in MariaDB", _mariadb, **_JDBC),
    Kind("hive", _hive, **_HIVE, is_at_length=True),
    Kind("hive with locks", _hive_locked, **_HIVE),
    Kind("hive, tables on S3", _hive_on_s3, **_HIVE, renames=False, keeps_formats=False, is_at_length=True),
    Kind(
        "rest, served by the console",
        _rest,
        metastore="rest",
        has_views=True,
        is_its_place=False,
        marks_partitions=True,
    ),
)
