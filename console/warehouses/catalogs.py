"""Open catalogs, kept by warehouse as long as its registration does not change."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings

from console.api.errors import Problem
from console.warehouses.addresses import check_endpoints, server_of
from console.warehouses.models import Warehouse
from core.catalog import Catalog, open_catalog
from core.catalog.rest.http import checked_uri, keys_of
from core.errors import InvalidRequestError, PaimonError, StorageError
from core.io.open import file_io_for

_lock = threading.Lock()
_open: dict[int, tuple[object, Catalog]] = {}


def catalog_of(warehouse: Warehouse) -> Catalog:
    """The warehouse's catalog.

    Raises:
        Problem: `warehouse-unavailable`.
    """
    with _lock:
        version, catalog = _open.get(warehouse.pk, (None, None))
    if catalog is None or version != warehouse.updated_at:
        catalog = connect(warehouse.catalog_options())
        with _lock:
            _open[warehouse.pk] = (warehouse.updated_at, catalog)
    return catalog


def connect(options: Mapping[str, str]) -> Catalog:
    """A catalog for options; what is wrong with them is a `warehouse-unavailable` problem."""
    try:
        check_options(options)
        catalog = open_catalog(options)
        check_endpoints(catalog.options)  # a REST server adds its own
        return catalog
    except PaimonError as error:
        raise Problem("warehouse-unavailable", what=str(error)) from error


def check_options(options: Mapping[str, str]) -> None:
    """Nothing, if the options can be those of a warehouse. Nobody is asked over the network.

    Raises:
        InvalidRequestError: says what is wrong; field `reason` where it has a code of its own.
        UnsupportedError: another kind of catalog or store, or an option that is not followed.
    """
    kind, location = options.get("metastore", "filesystem"), options.get("warehouse", "")
    uri = options.get("uri", "")
    if kind == "rest":
        checked_uri(uri or None)
        keys_of(options)
        if not location.strip():
            raise InvalidRequestError("a REST catalog has a warehouse by name", option="warehouse")
    else:
        check_location(location)
        file_io_for(location, options)
    if kind == "jdbc" and uri.startswith("jdbc:sqlite:"):
        _check_database_file(uri)
    check_endpoints(options)
    server_of(options)


def _check_database_file(uri: str) -> None:
    path = uri.removeprefix("jdbc:sqlite:").removeprefix("file:").partition("?")[0]
    if not path.startswith("/"):
        raise InvalidRequestError(
            "the file of a database has an absolute path", reason="path-relative", uri=uri
        )
    if _meets_our_data(path):
        raise InvalidRequestError(
            "this folder holds the console's own data", reason="forbidden-path", uri=uri
        )


def check_location(location: str) -> None:
    """Refuse what must not be a warehouse: nothing relative, and not the console's own secrets.

    Raises:
        InvalidRequestError: says what is wrong.
    """
    if "://" not in location and not location.startswith("/"):
        raise InvalidRequestError(
            "a warehouse needs an absolute path or an address", reason="path-relative", location=location
        )
    if location.startswith(("/", "file:")) and _meets_our_data(location.removeprefix("file:")):
        raise InvalidRequestError(
            "this folder holds the console's own data", reason="forbidden-path", location=location
        )


def place_of(location: str) -> str:
    """The location in one spelling: local links followed, one scheme for S3."""
    scheme, address, rest = location.partition("://")
    if address and scheme.lower() != "file":
        return f"{'s3' if scheme.lower() in ('s3a', 's3n') else scheme.lower()}://{rest.rstrip('/')}"
    return os.path.realpath(rest if address else location.removeprefix("file:"))


def _meets_our_data(location: str) -> bool:
    """Whether a folder contains, or lies in, what the console keeps; its demo warehouses may be opened."""
    path, data = Path(os.path.realpath(location)), Path(os.path.realpath(settings.DATA_FOLDER))
    return data.is_relative_to(path) or (
        path.is_relative_to(data) and data / "warehouses" not in path.parents
    )


@contextmanager
def storage_problems() -> Iterator[None]:
    """A store that fails inside is a `warehouse-unavailable` problem."""
    try:
        yield
    except StorageError as error:
        raise Problem("warehouse-unavailable", what=str(error)) from error
