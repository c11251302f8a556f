"""What a job reports: one JSON object a line."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from types import MappingProxyType
from typing import Any

from core.errors import (
    AlreadyExistsError,
    CommitConflictError,
    CommitUnknownError,
    FormatError,
    InvalidRequestError,
    NotFoundError,
    PaimonError,
    StorageDeniedError,
    StorageError,
    UnsupportedError,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """The engine has started."""

    name: str  # spark
    version: str
    application_id: str
    ui_url: str | None = None
    time_millis: int = 0  # of every line: epoch milliseconds UTC


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a phase has come; `total` None while it is not known."""

    phase: str  # start, plan, write, compact, commit, rollback, ...
    done: int
    total: int | None
    unit: str  # rows, files, buckets, bytes, snapshots, tasks
    time_millis: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Log:
    level: str  # debug, info, warning, error
    message: str
    time_millis: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The job is done."""

    snapshots: tuple[str, ...] = ()  # references (`id~identity`) of the snapshots made, oldest first
    latest: str | None = None  # reference of the table's latest snapshot afterwards
    metrics: Mapping[str, int] = field(default_factory=dict)  # rows_written, files_before, ...
    details: Mapping[str, Any] = field(default_factory=dict)  # e.g. `fit` of a write
    time_millis: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """The job failed. Whether it committed something is told by the table, not by this line."""

    code: str  # of ERROR_CODES, or `internal`
    message: str
    fields: Mapping[str, str] = field(default_factory=dict)
    transient: bool = False  # the same job may succeed when it is tried again
    latest: str | None = None  # where the table stands, when the job could still look
    time_millis: int = 0


JobReport = Engine | Progress | Log | Result | Failure

_REPORT_TYPES: Mapping[str, type[JobReport]] = MappingProxyType(
    {"engine": Engine, "progress": Progress, "log": Log, "result": Result, "error": Failure}
)
_REPORT_NAMES = {kind: name for name, kind in _REPORT_TYPES.items()}

ERROR_CODES: Mapping[type[PaimonError], str] = MappingProxyType(
    {
        NotFoundError: "not-found",
        AlreadyExistsError: "already-exists",
        InvalidRequestError: "invalid-request",
        FormatError: "format",
        UnsupportedError: "unsupported",
        CommitConflictError: "conflict",
        CommitUnknownError: "commit-unknown",
        StorageError: "storage",
        PaimonError: "paimon",
    }
)
_TRANSIENT = (CommitConflictError, CommitUnknownError, StorageError)


def failure_of(error: BaseException, *, latest: str | None = None, time_millis: int = 0) -> Failure:
    """The line that tells of an error; one that is not of core's tree is `internal`."""
    kind = next((k for k in type(error).__mro__ if k in ERROR_CODES), None)
    fields = error.fields if isinstance(error, PaimonError) else {}
    return Failure(
        code=ERROR_CODES[kind] if kind is not None else "internal",
        message=str(error) or type(error).__name__,
        fields={name: str(value) for name, value in fields.items()},
        transient=isinstance(error, _TRANSIENT) and not isinstance(error, StorageDeniedError),
        latest=latest,
        time_millis=time_millis,
    )


def encode_report(line: JobReport) -> str:
    """One line of JSON, without the line break."""
    return json.dumps({"type": _REPORT_NAMES[type(line)], **asdict(line)}, ensure_ascii=False)


def decode_report(text: str) -> JobReport:
    """What a line tells.

    Raises:
        FormatError: the line is no report, for instance because the job died while writing it.
    """
    try:
        parsed = json.loads(text)
        kind = _REPORT_TYPES[parsed.pop("type")]
        if kind is Result:
            parsed["snapshots"] = tuple(parsed.get("snapshots", ()))
        return kind(**parsed)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise FormatError("not a line of a job's report", found=text[:200]) from error
