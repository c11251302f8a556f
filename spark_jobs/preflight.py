"""What the Python of the executors lacks, told before any task of a job runs.

A cluster gets our packages with the job, but not the compiled libraries that they stand on. This module
imports nothing but Python's own library: it has to load where everything else is missing.
"""

from __future__ import annotations

import importlib
import platform
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark import SparkContext

LIBRARIES = (
    "cramjam",
    "fastavro",
    "numpy",
    "obstore",
    "pandas",
    "pyarrow",
    "pyroaring",
    "xxhash",
    "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd",
)
"""What tasks import: the dependencies of `core`, and pandas for PySpark."""


class ExecutorPythonError(Exception):
    """The Python of an executor cannot run our tasks; the message says where, and what it lacks."""


def check_executors(context: SparkContext, libraries: Sequence[str] = LIBRARIES) -> None:
    """Nothing, if the Python of every executor that was asked has the libraries.

    A task for each core of the cluster is asked, so executors that come later are not.

    Raises:
        ExecutorPythonError: names the machines, their Python and the libraries.
    """
    wanted = tuple(libraries)
    tasks = max(context.defaultParallelism, 1)
    found = context.parallelize(range(tasks), tasks).map(lambda _: lacking(wanted)).collect()
    lines = sorted({_told(where, missing) for where, missing in found if missing})
    if lines:
        raise ExecutorPythonError(
            f"{'; '.join(lines)}. Install the packages of requirements.lock there, "
            "or let PYSPARK_PYTHON name a Python that has them."
        )


def lacking(libraries: Iterable[str]) -> tuple[str, dict[str, str]]:
    """Which Python this is, and why it cannot import some of the libraries."""
    missing = {}
    for name in libraries:
        try:
            importlib.import_module(name)
        except ImportError as error:  # a library that is there and does not load is one, too
            missing[name] = str(error)
    return f"{sys.executable} on {platform.node()}", missing


def _told(where: str, missing: dict[str, str]) -> str:
    reasons = [
        name if name in why and "No module" in why else f"{name} ({why})" for name, why in missing.items()
    ]
    return f"{where} lacks {', '.join(reasons)}"
