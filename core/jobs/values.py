"""Types of single values in job specs, each with what it has to be."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, TypeAlias

from core.errors import InvalidRequestError
from core.identifier import Identifier
from core.jobs.declared import AtLeast, Blank, Check, NotEmpty, Pattern
from core.options import parse_duration

_EPOCH = "[0-9]{1,18}"
_DAY, _TIME = "[0-9]{4}-[0-9]{2}-[0-9]{2}", r"[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,6})?)?"
_ISO = f"{_DAY}[T ]{_TIME}(?:Z|[+-][0-9]{{2}}:[0-9]{{2}})"
_DURATION = r"\s*[0-9]+\s*[A-Za-zµ]*\s*"


def check_moment(text: str) -> None:
    """`InvalidRequestError` for a day or an hour that there is not."""
    if not re.fullmatch(_EPOCH, text):
        try:
            datetime.fromisoformat(text)
        except ValueError as error:
            raise InvalidRequestError("no such time", found=text) from error


def check_expression(text: str) -> None:
    """`InvalidRequestError` for what is no regular expression."""
    try:
        re.compile(text)
    except re.error as error:
        raise InvalidRequestError("no regular expression", found=text) from error


def check_table(name: str) -> None:
    """`InvalidRequestError` for what does not name a table or a branch of one."""
    if Identifier.parse(name).system is not None:
        raise InvalidRequestError("a table, not a system table", found=name)


AnyText: TypeAlias = Annotated[str, Blank()]
JobId: TypeAlias = Annotated[
    str, Pattern("[A-Za-z0-9][A-Za-z0-9._-]{0,63}", "letters, digits, '.', '_' and '-', at most 64")
]
_TABLE = "database.table, or database.table$branch_NAME"
TableName: TypeAlias = Annotated[
    str, Pattern(r"[^.$]+\.[^$]+(?:\$branch_[^$]+)?", _TABLE), Check(check_table, _TABLE)
]
SnapshotId: TypeAlias = Annotated[int, AtLeast(1)]
Count: TypeAlias = Annotated[int, AtLeast(1, bits=31)]
BucketNumber: TypeAlias = Annotated[int, AtLeast(0, bits=31)]
BucketRange: TypeAlias = Annotated[
    str, Pattern("[0-9]{1,10}-[0-9]{1,10}", "the number of a bucket, or a range such as '2-5'")
]
Duration: TypeAlias = Annotated[
    str, Pattern(_DURATION, "a duration, such as '7 d'"), Check(parse_duration, "a duration, such as '7 d'")
]
Moment: TypeAlias = Annotated[
    str,
    Pattern(f"{_EPOCH}|{_ISO}", "ISO 8601 with a zone, or epoch milliseconds"),
    Check(check_moment, "ISO 8601 with a zone, or epoch milliseconds"),
]
Expression: TypeAlias = Annotated[str, Check(check_expression, "a regular expression")]
Partition: TypeAlias = Mapping[AnyText, AnyText | None]
"""Values by partition key, which may name some of the keys; null is the null partition."""
Partitions: TypeAlias = tuple[Partition, ...]
Columns: TypeAlias = tuple[str, ...]
OneOrMore: TypeAlias = Annotated[tuple[str, ...], NotEmpty()]
Scalar: TypeAlias = bool | int | float | AnyText | None
