"""The Python of Spark's workers on one machine, which starts in a third of the time.

Spark puts its own archive of pyspark before the package of the same version. What is imported from an
archive is compiled at each start, two seconds of work, and there are many: one for each kind of worker.
A source of a stream has ten seconds until Spark gives it up, which a busy machine may not keep.
"""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

_SCRIPT = """#!/bin/sh
case $PYTHONPATH in
*/pyspark.zip:*/py4j-*-src.zip:*) PYTHONPATH=${{PYTHONPATH#*/py4j-*-src.zip:}} ;;
esac
exec {python} "$@"
"""


def worker_python(folder: Path) -> Path:
    """An executable in the folder that runs our own Python, without Spark's archives on its path."""
    path = folder / "python"
    path.write_text(_SCRIPT.format(python=shlex.quote(sys.executable)))
    path.chmod(0o700)
    return path
