"""Errors of a job as the line that reports them.

Spark brings an error of a task to the driver as text. Errors of core cross as a line of the
report inside that text, so that their code and fields arrive.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from pyspark.errors import AnalysisException, ParseException, PySparkException

from core.errors import FormatError, PaimonError
from core.jobs import Failure, decode_report, encode_report, failure_of
from spark_jobs.java import JavaNotFoundError
from spark_jobs.preflight import ExecutorPythonError

_MARK = "lakescope-failure:"
_CARRIED = re.compile(re.escape(_MARK) + r"(\{.*\})")
_LACKING = re.compile(r"ModuleNotFoundError: No module named '([\w.]+)'")
_CONDITION = re.compile(r"\[([A-Z][A-Z0-9_.]+)\]")  # as Spark calls what went wrong
_LONGEST = 2000  # characters of Spark's message; the log has all of it


class TaskError(Exception):
    """An error of core in an executor; the message carries a line of the report."""


@contextmanager
def carrying_errors() -> Iterator[None]:
    """Inside a task: let errors of core reach the driver whole."""
    try:
        yield
    except PaimonError as error:
        raise TaskError(f"{error}\n{_MARK}{encode_report(failure_of(error))}") from error


def failure_from(error: BaseException) -> Failure:
    """The line for an error that ended the job."""
    if isinstance(error, PaimonError):
        return failure_of(error)
    if isinstance(error, (JavaNotFoundError, ExecutorPythonError)):
        return Failure(code="engine", message=str(error))
    carried = _carried(str(error))
    if carried is not None:
        return carried
    if isinstance(error, (AnalysisException, ParseException)):
        return Failure(code="invalid-request", message=shortened(error))
    if isinstance(error, PySparkException) or type(error).__module__.startswith("py4j"):
        return Failure(code="engine", message=_lack(str(error)) or shortened(error))
    return failure_of(error)


def unquoted(failure: Failure) -> Failure:
    """The failure without Spark's sentence about it, which may quote values of rows; its name stays."""
    if failure.code != "engine":
        return failure
    named = _CONDITION.search(failure.message)
    what = f" ({named[1]})" if named else ""
    return replace(failure, message=f"Spark could not compute the query{what}; the log of the job says why")


def _carried(text: str) -> Failure | None:
    match = _CARRIED.search(text)
    if match is None:
        return None
    try:
        line = decode_report(match.group(1))
    except FormatError:
        return None
    return line if isinstance(line, Failure) else None


def _lack(text: str) -> str | None:
    """What to do about a module that a task did not find: an executor that came after the first look."""
    match = _LACKING.search(text)
    if match is None:
        return None
    return f"the Python of an executor lacks {match[1]}: install the packages of requirements.lock there"


def shortened(error: BaseException) -> str:
    """Spark's message without the stack of the JVM."""
    text = str(error).split("\n\tat ", 1)[0].split("JVM stacktrace:", 1)[0].strip()
    return text[:_LONGEST]
