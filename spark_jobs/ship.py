"""Core and the jobs as one archive, for clusters that have only our libraries installed."""

from __future__ import annotations

import zipfile
from pathlib import Path

import core

PACKAGES = ("core", "spark_jobs")


def core_archive(folder: Path) -> Path:
    """A zip of our packages in `folder`, as `spark-submit --py-files` takes it."""
    root = Path(core.__file__).resolve().parent.parent
    archive = folder / "lakescope.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as output:
        for package in PACKAGES:
            for source in sorted((root / package).rglob("*.py")):
                output.write(source, source.relative_to(root).as_posix())
    return archive
