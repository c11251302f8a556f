"""What an integrity check finds, and how findings about one object are gathered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from core.errors import NotFoundError, PaimonError


class FindingKind(StrEnum):
    MISSING = "missing"  # named, and not there
    UNREADABLE = "unreadable"  # there, and not what it should be; or out of reach
    WRONG_SIZE = "wrong-size"
    WRONG_CONTENT = "wrong-content"  # readable, and not what its parent says of it
    GAP = "gap"  # ids that should be consecutive are not
    HINT = "hint"  # a hint file and the listing disagree


class Severity(StrEnum):
    ERROR = "error"  # some read or write fails, or gives wrong rows
    WARNING = "warning"  # every row can still be read


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault of one object."""

    kind: FindingKind
    severity: Severity
    what: str  # kind of object: "snapshot", "manifest list", "data file", ...
    path: str  # relative to the table where it lies inside
    pointed_by: tuple[str, ...]  # what names the object, in the order found
    problem: str  # one sentence
    expected: str | None = None
    found: str | None = None
    details: tuple[tuple[str, str], ...] = ()  # of a data file: partition, bucket, level, rows

    def __str__(self) -> str:
        parts = [f"{self.what} {self.kind.value}: {self.path}: {self.problem}"]
        values = [
            f"{n} {v}" for n, v in (("expected", self.expected), ("found", self.found)) if v is not None
        ]
        if values:
            parts.append(f" ({', '.join(values)})")
        if self.details:
            parts.append(f" [{', '.join(f'{name} {value}' for name, value in self.details)}]")
        if self.pointed_by:
            parts.append(f"; named by {', '.join(self.pointed_by)}")
        return "".join(parts)


@dataclass(frozen=True, slots=True)
class Orphan:
    """A file that nothing names."""

    path: str  # relative to the table
    size: int  # bytes
    modified_millis: int  # epoch milliseconds, UTC


@dataclass(frozen=True, slots=True)
class CheckReport:
    """All that was found in one table."""

    table: str
    findings: tuple[Finding, ...]
    orphans: tuple[Orphan, ...]
    orphans_unknown: str | None  # why orphans could not be told; they are then empty
    checked: Mapping[str, int]  # objects looked at, by kind


class Findings:
    """Gathers findings; what several parents name is one finding with several pointers."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._found: dict[tuple[FindingKind, str, str], Finding] = {}

    def add(
        self,
        kind: FindingKind,
        what: str,
        path: str,
        problem: str,
        *,
        pointed_by: tuple[str, ...] = (),
        severity: Severity = Severity.ERROR,
        expected: object = None,
        found: object = None,
        details: tuple[tuple[str, str], ...] = (),
    ) -> None:
        relative = path.removeprefix(f"{self._root}/")
        key = (kind, relative, problem)
        before = self._found.get(key)
        pointers = (*(before.pointed_by if before else ()), *pointed_by)
        self._found[key] = Finding(
            kind,
            severity,
            what,
            relative,
            tuple(dict.fromkeys(pointers)),
            problem,
            None if expected is None else str(expected),
            None if found is None else str(found),
            details,
        )

    def add_error(
        self,
        what: str,
        path: str,
        error: PaimonError,
        *,
        pointed_by: tuple[str, ...] = (),
        severity: Severity = Severity.ERROR,
        note: str = "",
    ) -> None:
        """The finding that an error of reading the object stands for; `note` adds to its sentence."""
        missing = isinstance(error, NotFoundError)
        self.add(
            FindingKind.MISSING if missing else FindingKind.UNREADABLE,
            what,
            path,
            ("is not there" if missing else error.what) + note,
            pointed_by=pointed_by,
            severity=severity,
            expected=None if missing else error.fields.get("expected"),
            found=None if missing else error.fields.get("found"),
        )

    def all(self) -> tuple[Finding, ...]:
        """Errors before warnings, then in the order found."""
        return tuple(sorted(self._found.values(), key=lambda finding: finding.severity is not Severity.ERROR))
