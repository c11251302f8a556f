"""Of which kind written rows are: what their writer says, or a column of the table. Spec: 06, 1 and 7."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as _pc

from core.errors import InvalidRequestError
from core.options import IGNORE_DELETE, IGNORE_UPDATE_BEFORE, ROWKIND_FIELD, TableOptions
from core.schema.table_schema import TableSchema
from core.types.row_kind import RowKind

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time

RowKinds: TypeAlias = "pa.Array[Any] | pa.ChunkedArray[Any] | Sequence[RowKind]"
_SHORT = [kind.short for kind in RowKind]  # by their codes


def kinds_of(
    rows: pa.Table, given: RowKinds | None, schema: TableSchema, options: TableOptions
) -> pa.ChunkedArray[Any] | None:
    """The kind of each row; None if all are inserts. `rowkind.field` counts more than what is given.

    Raises:
        InvalidRequestError: a row has no kind, or none that there is; a table without a primary key.
    """
    column = options.get(ROWKIND_FIELD)
    if column and schema.primary_keys:
        return kinds_of_texts(rows.column(column), column)
    if given is None:
        return None
    if not schema.primary_keys:
        raise InvalidRequestError("only tables with a primary key take kinds of rows")
    return _of_codes(given, len(rows))


def kinds_of_texts(texts: pa.ChunkedArray[Any], column: str) -> pa.ChunkedArray[Any]:
    """The codes of `+I`, `-U`, `+U` and `-D`.

    Raises:
        InvalidRequestError: a null, or another text; names the column.
    """
    if texts.null_count:
        raise InvalidRequestError("Row kind cannot be null.", column=column, rows=texts.null_count)
    codes = pc.index_in(texts, value_set=pa.array(_SHORT, texts.type))
    if codes.null_count:
        unknown = texts.filter(pc.is_null(codes))[0].as_py()
        raise InvalidRequestError(
            "not a kind of row", column=column, found=unknown, expected=", ".join(_SHORT)
        )
    kinds: pa.ChunkedArray[Any] = codes.cast(pa.int8())
    return kinds


def ignored_kinds(options: TableOptions) -> list[int]:
    """Kinds of rows that the table does not take. Spec: 06, 1, step 3."""
    if options.get(IGNORE_DELETE):
        return [RowKind.UPDATE_BEFORE, RowKind.DELETE]
    return [RowKind.UPDATE_BEFORE] if options.get(IGNORE_UPDATE_BEFORE) else []


def _of_codes(given: RowKinds, count: int) -> pa.ChunkedArray[Any]:
    codes: Any = given if isinstance(given, (pa.Array, pa.ChunkedArray)) else [int(k) for k in given]
    kinds = pa.chunked_array([codes], pa.int8()) if isinstance(codes, list) else codes.cast(pa.int8())
    kinds = kinds if isinstance(kinds, pa.ChunkedArray) else pa.chunked_array([kinds])
    if len(kinds) != count or kinds.null_count:
        raise InvalidRequestError("each row needs a kind", rows=count, kinds=len(kinds) - kinds.null_count)
    if count and not pc.all(pc.is_in(kinds, pa.array([int(k) for k in RowKind], pa.int8()))).as_py():
        raise InvalidRequestError("not a kind of row", expected="0 (+I), 1 (-U), 2 (+U) or 3 (-D)")
    return kinds
