"""Which member of a spec an error is about, where what raised it knows the table and not the spec."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass

from core.errors import PaimonError
from core.jobs.work import Work


def with_member(error: PaimonError, kind: str, work: Work) -> PaimonError:
    """The error with `field`, the path of the member that holds what it found; as it is if that is not one.

    Args:
        error: what a plan was refused by.
        kind: the name of the job's kind.
        work: what the job was asked.
    """
    if "field" in error.fields:
        return error
    values = {field.name: list(_told(getattr(work, field.name))) for field in fields(work)}  # type: ignore[arg-type]
    named: list[str] = []
    for kinds in (str, (int, float)):  # a number is told of many things: a position, another snapshot
        found = {value for value in error.fields.values() if isinstance(value, kinds)}
        named = named or [name for name, told in values.items() if found.intersection(told)]
    if not named and "column" in error.fields:  # of a condition, or an expression of SQL
        word = re.compile(rf"(?<!\w){re.escape(str(error.fields['column']))}(?!\w)")
        named = [name for name, told in values.items() if any(word.search(str(one)) for one in told)]
    if len(named) != 1:
        return error
    return type(error)(error.what, **{"field": f"{kind}.{named[0]}", **error.fields})


def _told(value: object) -> Iterator[str | int | float]:
    """Every text and number of a member, names of its parts among them."""
    if isinstance(value, Mapping):
        for name, part in value.items():
            yield str(name)
            yield from _told(part)
    elif isinstance(value, tuple):
        for part in value:
            yield from _told(part)
    elif is_dataclass(value):
        for field in fields(value):
            yield from _told(getattr(value, field.name))
    elif isinstance(value, str | int | float) and not isinstance(value, bool):
        yield value
