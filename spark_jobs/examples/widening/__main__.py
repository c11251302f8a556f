"""`python -m spark_jobs.examples.widening [WAREHOUSE] --seconds 60`.

Exit codes: 0 the tables hold what they have to, 1 they do not or the run has failed, 2 wrong usage.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from pyspark.errors import PySparkException

from core.errors import PaimonError
from spark_jobs.examples.widening.run import Settings, run
from spark_jobs.examples.widening.tables import DATABASE, create_tables
from spark_jobs.failures import failure_from
from spark_jobs.java import JavaNotFoundError
from spark_jobs.session import open_session

_DEFAULTS = Settings()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the pipeline once; the exit code."""
    options = _parser().parse_args(arguments)
    with ExitStack() as stack:
        folder = options.warehouse or stack.enter_context(tempfile.TemporaryDirectory(prefix="widening-"))
        try:
            return 0 if _run(folder, options) else 1
        except (PaimonError, PySparkException, JavaNotFoundError) as error:
            print(failure_from(error).message, file=sys.stderr)
            return 1


def _run(folder: str, options: argparse.Namespace) -> bool:
    tables = create_tables(folder)
    print(f"the tables are in {folder}, database {DATABASE}", flush=True)
    spark = open_session("lakescope widening", master=options.master)
    try:
        spark.sparkContext.setLogLevel("ERROR")
        settings = Settings(options.seconds, options.rate, options.every)
        return run(spark, tables, Path(folder) / "work", settings, partial(print, flush=True))
    finally:
        spark.stop()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m spark_jobs.examples.widening",
        description="Two streams widen one table, a third layer follows its changes (docs/pipeline.md).",
    )
    parser.add_argument(
        "warehouse", nargs="?", help="folder for the tables; without it a temporary one that goes at the end"
    )
    parser.add_argument("--seconds", type=_positive, default=_DEFAULTS.seconds, help="how long events come")
    parser.add_argument("--rate", type=_positive, default=_DEFAULTS.rate, help="orders a second")
    parser.add_argument(
        "--every", type=_positive, default=_DEFAULTS.every, help="seconds between two looks at the layers"
    )
    parser.add_argument("--master", help="where Spark runs, as for any job: local[2], spark://...")
    return parser


def _positive(text: str) -> float:
    number = float(text)
    if not number > 0:
        raise argparse.ArgumentTypeError(f"{text} is not above 0")
    return number


if __name__ == "__main__":
    sys.exit(main())
