"""The parts of a filter that a file's own statistics can answer. Spec: 09, 4."""

from __future__ import annotations

from collections.abc import Sequence

from core.datafile.read import RowFilter
from core.predicate import Predicate, leaves, passes_nan, positive, references, to_expression, translate
from core.schema.evolution import FieldMapping
from core.types import DataField

_MOST_TESTS = 200  # of a file: Arrow's time grows with their square, and some 40,000 break its stack


def row_filters(conjuncts: Sequence[Predicate], mapping: FieldMapping) -> list[RowFilter]:
    """Each conjunct that holds in the file as it does in the table, in the file's names."""
    return filters_of_file(file_conjuncts(conjuncts, mapping), mapping)


def file_conjuncts(conjuncts: Sequence[Predicate], mapping: FieldMapping) -> list[Predicate]:
    """The conjuncts in the names and types of the file; those that do not carry over are left out."""
    return translate(conjuncts, mapping.targets, mapping.file_fields)


def filters_of_file(conjuncts: Sequence[Predicate], mapping: FieldMapping) -> list[RowFilter]:
    """The conjuncts, in the file's names, that its statistics can answer, as many as Arrow can bear."""
    return filters_on(conjuncts, mapping.file_fields)


def filters_on(conjuncts: Sequence[Predicate], fields: Sequence[DataField]) -> list[RowFilter]:
    """The conjuncts over `fields`, as a file has them, that its statistics can answer."""
    stored = {field.name: field for field in fields}
    found, room = [], _MOST_TESTS
    for conjunct in conjuncts:
        tests = sum(1 for _ in leaves(conjunct))
        if tests <= room and _stats_hold(conjunct):
            room -= tests
            columns = tuple(stored[name] for name in references(conjunct))
            found.append(RowFilter(columns, to_expression(conjunct), conjunct))
    return found


def _stats_hold(conjunct: Predicate) -> bool:
    """False for what NaN satisfies, as `f > 1`: the statistics of a file may leave NaN out."""
    return not any(map(passes_nan, leaves(positive(conjunct))))
