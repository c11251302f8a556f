"""Open catalogs, kept by warehouse as long as its registration does not change."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings

from console.api.errors import Problem
from console.warehouses.addresses import check_endpoints
from console.warehouses.models import Warehouse
from core.catalog import Catalog, open_catalog
from core.errors import InvalidRequestError, PaimonError, StorageError

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
        check_location(options.get("warehouse", ""))
        check_endpoints(options)
        return open_catalog(options)
    except PaimonError as error:
        raise Problem("warehouse-unavailable", what=str(error)) from error


def check_location(location: str) -> None:
    """Refuse what must not be a warehouse: nothing relative, and not the console's own secrets.

    Raises:
        InvalidRequestError: says what is wrong.
    """
    if "://" not in location and not location.startswith("/"):
        raise InvalidRequestError("a warehouse needs an absolute path or an address", location=location)
    if location.startswith(("/", "file:")) and _meets_our_data(location.removeprefix("file:")):
        raise InvalidRequestError("this folder holds the console's own data", location=location)


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
