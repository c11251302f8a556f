"""The warehouses of a first start: those named on the command line, and the demo."""

from __future__ import annotations

import re
from pathlib import Path

from django.conf import settings

from console.jobs.models import Job
from console.jobs.states import ENDED
from console.warehouses.models import Warehouse

DEMO = "demo"


def open_existing(path: str) -> Warehouse:
    """Register a warehouse under the name of its folder, unless its place is registered already.

    Raises:
        ValueError: a local path that is no folder.
    """
    location = path if "://" in path else str(Path(path).expanduser().resolve())
    if "://" not in location and not Path(location).is_dir():
        raise ValueError(f"there is no folder {location}")
    known = Warehouse.objects.filter(location=location).first()
    return known or Warehouse.objects.create(name=_free_name(location), location=location)


def _free_name(location: str) -> str:
    stem = (
        re.sub(r"[^A-Za-z0-9_-]+", "-", location.rstrip("/").rpartition("/")[2]).strip("-_")[:50]
        or "warehouse"
    )
    names = [stem, *(f"{stem}-{n}" for n in range(2, 1000))]
    return next(name for name in names if name != DEMO and not Warehouse.objects.filter(name=name).exists())


def open_demo() -> Warehouse | None:
    """Register the demo warehouse and queue the job that makes it; nothing once it was made or removed.

    A demo whose making failed is made anew at the next start.
    """
    folder = settings.DATA_FOLDER / "warehouses" / DEMO
    warehouse = Warehouse.objects.filter(name=DEMO).first()
    if warehouse is None:
        if (settings.DATA_FOLDER / "demo-offered").exists():
            return None  # somebody took it out of the console
        folder.mkdir(parents=True, exist_ok=True)
        warehouse = Warehouse.objects.create(
            name=DEMO, location=str(folder), description="Made by our own Spark jobs."
        )
        (settings.DATA_FOLDER / "demo-offered").touch()
    if warehouse.location == str(folder) and not _is_made(warehouse):
        from console.jobs.services import start_demo  # all of core: a second start has no need of it

        start_demo(warehouse=warehouse)
    return warehouse


def _is_made(warehouse: Warehouse) -> bool:
    """Whether the last attempt has succeeded, or is still under way."""
    last = Job.objects.filter(kind="demo", warehouse=warehouse).order_by("-pk").first()
    return last is not None and (last.state == "succeeded" or last.state not in ENDED)
