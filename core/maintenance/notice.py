"""What a plan has to say besides what it does: codes with fields, for people of any language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.errors import InvalidRequestError, PaimonError


@dataclass(frozen=True, slots=True)
class Notice:
    """One thing that forbids an action, or that should be looked at before it."""

    code: str  # such as `consumer-holds`
    fields: Mapping[str, str | int] = field(default_factory=dict)

    @staticmethod
    def of_error(code: str, error: PaimonError) -> Notice:
        """The error's kind, what it says and its own fields."""
        fields = {
            name: value if isinstance(value, int) else str(value) for name, value in error.fields.items()
        }
        return Notice(code, {"error": type(error).__name__, "problem": error.what, **fields})

    def __str__(self) -> str:
        fields = ", ".join(f"{name}={value}" for name, value in self.fields.items())
        return f"{self.code} ({fields})" if fields else self.code


def refuse_blocked(action: str, blockers: tuple[Notice, ...]) -> None:
    """Raises `InvalidRequestError` if anything forbids the action."""
    if blockers:
        first = {name: value for name, value in blockers[0].fields.items() if name != "blockers"}
        codes = ", ".join(dict.fromkeys(notice.code for notice in blockers))
        raise InvalidRequestError(f"{action} is blocked", blockers=codes, **first)
