"""What rows of other columns would make of a table's schema, column by column. Design: 6.10; spec: 09, 3.

Nothing is written: a write that merges the schema does it (`merge_schema` of its plan).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from console.inspector.opening import OpenTable
from console.inspector.schemas import compared
from console.jobs.notices import notice, shown
from console.jobs.refusals import told
from core.errors import InvalidRequestError
from core.schema import Disagreement, MergeRules, TableSchema, propose_merge, retyped_keys, validate
from core.types import DataField, type_to_text
from core.write.fit import ColumnFit, FitKind, SchemaFit, fit_schema


@dataclass(frozen=True, slots=True)
class Proposed:
    """A schema that would hold the incoming columns, and what stands in the way of it."""

    schema: TableSchema
    fit: SchemaFit  # of the incoming columns, in the proposed schema
    diff: dict[str, Any]  # as that of two schemas; words are chosen by `worded`
    problems: list[dict[str, Any]]  # notices


def rules_of(asked: Mapping[str, Any]) -> MergeRules:
    """As a job has them: Spark's names of columns are alike in upper and lower case."""
    return MergeRules(
        type_widening=bool(asked.get("type_widening")),
        explicit_casts=bool(asked.get("explicit_casts")),
        case_sensitive=False,
    )


def propose(opened: OpenTable, incoming: Sequence[DataField], rules: MergeRules) -> Proposed:
    """What a write of rows with these columns would make of the latest schema.

    Raises:
        InvalidRequestError: two incoming columns of one name.
    """
    schema = opened.table.schemas.latest()
    proposal = propose_merge(schema, incoming, rules, time_millis=schema.time_millis)
    fit = fit_schema(incoming, proposal.schema)
    diff = compared(opened, schema, proposal.schema)
    found = [*_of_types(proposal.disagreements), *_of_columns(fit), *_of_keys(schema, proposal.schema)]
    for path, kind, reason in found:
        _row_at(diff["rows"], path)["changes"].append({"kind": kind, "detail": None, "notice": reason})
    problems = [reason for _, kind, reason in found if kind == "refused"]
    diff["summary"] |= {kind: sum(k == kind for _, k, _ in found) for kind in ("refused", "kept", "absent")}
    return Proposed(proposal.schema, fit, diff, [*problems, *_invalid(schema, proposal.schema)])


_Mark = tuple[str, str, dict[str, Any]]  # path, kind, notice


def _of_types(found: Iterable[Disagreement]) -> Iterator[_Mark]:
    for one in found:
        path = ".".join(one.path)
        types = {"column": path, "source_type": _text(one.rows_type), "table_type": _text(one.table_type)}
        if one.refusal is None:
            yield path, "kept", notice("merge-kept", ref=path, **types)
        else:
            yield path, "refused", notice(f"merge-{one.refusal.value}", ref=path, **types)


def _of_columns(fit: SchemaFit) -> Iterator[_Mark]:
    for column in fit.columns:
        if column.kind in _ABSENT:
            yield column.column, _ABSENT[column.kind], _fit(column)
        elif column.kind is FitKind.IMPOSSIBLE:
            yield column.column, "refused", _fit(column)


_ABSENT = {FitKind.MISSING: "absent", FitKind.DEFAULT: "absent", FitKind.REQUIRED: "refused"}


def _fit(column: ColumnFit) -> dict[str, Any]:
    code = {FitKind.REQUIRED: "column-required", FitKind.IMPOSSIBLE: "column-impossible"}.get(
        column.kind, f"fit-{column.kind.value}"
    )
    types = {"source_type": column.source_type, "table_type": column.table_type}
    return notice(code, ref=column.column, column=column.column, **types)


def _of_keys(before: TableSchema, after: TableSchema) -> Iterator[_Mark]:
    """Keys say where a row lies: in another type, rows of one key would lie in two places."""
    for name in retyped_keys(before, after):
        types = {
            "source_type": _text(after.field(name).type),
            "table_type": _text(before.field(name).type),
        }
        yield name, "refused", notice("merge-key", ref=name, column=name, **types)


def _invalid(before: TableSchema, after: TableSchema) -> list[dict[str, Any]]:
    """What the rules of a table say against the schema that it would have."""
    if after is before:
        return []
    try:
        validate(after)
    except InvalidRequestError as error:
        return [notice("merge-invalid", reason=told(error))]
    return []


def _row_at(rows: Sequence[dict[str, Any]], path: str) -> dict[str, Any]:
    """The row of the field at a path, or of the one around it: elements and values have no row."""
    sides = [(row["to"] or row["from"])["path"] for row in rows]
    best = max(
        (i for i, other in enumerate(sides) if f"{path}.".startswith(f"{other}.")),
        key=lambda i: len(sides[i]),
    )
    return rows[best]


def _text(data_type: Any) -> str:
    return type_to_text(data_type.with_nullability(True))


def worded(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows of a diff with the reasons of a proposal in the active language."""
    return [row | {"changes": [_worded(mark) for mark in row["changes"]]} for row in rows]


def _worded(mark: dict[str, Any]) -> dict[str, Any]:
    told = mark.get("notice")
    return {"kind": mark["kind"], "detail": shown(told)["detail"] if told else mark["detail"]}
