"""An UPDATE of a partial-update table: whole rows on top, of which the engine must show all. Spec: 06, 3.

The engine merges the updated row into the one it was made of. A null there says that nothing is
known, and a group without a sequence is not there at all; so what such an update asks for would not
happen, and is refused rather than passed over in silence.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from typing import Any

import pyarrow as pa
import pyarrow.compute as _pc

from core.errors import InvalidRequestError, UnsupportedError
from core.mergetree.merge.partial_update import PartialUpdate
from core.options import DEFAULT_AGGREGATE_FUNCTION, MERGE_ENGINE, MergeEngine, TableOptions
from core.schema.table_schema import TableSchema

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time

_REPLACE = frozenset({"last_value", "last_non_null_value"})


def partial_update_of(schema: TableSchema, options: TableOptions) -> PartialUpdate | None:
    """The rules of the engine; None if the table has another.

    Raises:
        UnsupportedError: a column is aggregated, and a row merged into itself would count twice.
    """
    if not schema.primary_keys or options.get(MERGE_ENGINE) is not MergeEngine.PARTIAL_UPDATE:
        return None
    engine = PartialUpdate.of(schema)
    for name in engine.functions:
        function = options.of_field(name, "aggregate-function") or options.get(DEFAULT_AGGREGATE_FUNCTION)
        if function not in _REPLACE:
            raise UnsupportedError(
                "an update writes whole rows, which would be aggregated once more",
                feature=f"UPDATE with fields.{name}.aggregate-function = {function}",
            )
    return engine


def check_shown(engine: PartialUpdate, columns: Iterable[str], before: pa.Table, after: pa.Table) -> None:
    """Refuse updated rows that the engine would not show.

    Args:
        engine: the rules of the table.
        columns: those that were assigned.
        before: the rows as they were.
        after: the same rows as they are to be.

    Raises:
        InvalidRequestError: a value becomes null, or belongs to a sequence group that is not there.
    """
    for name in columns:
        group = engine.group_of(name)
        if group is None:
            lost = pc.and_(pc.is_null(after.column(name)), pc.is_valid(before.column(name)))
            reason = "partial-update keeps the old value where an update says null"
        else:
            sequence = engine.groups[group].sequence
            lost = reduce(pc.and_, (pc.is_null(after.column(each)) for each in sequence))
            reason = "partial-update leaves a sequence group alone whose sequence is null"
        if pc.any(lost).as_py():
            raise InvalidRequestError(reason, column=name)
