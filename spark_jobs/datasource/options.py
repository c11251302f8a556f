"""The options of reads and writes that are ours or Spark's, beside Paimon's of the table.

Spark hands over keys in lower case, whatever case they were given in.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from core.errors import InvalidRequestError
from core.options import parse_boolean, parse_integer

PATH = "path"
WAREHOUSE = "warehouse"
TABLE = "table"
COLUMNS = "columns"  # names with commas between, or a JSON list of them
FILTER = "filter"  # in the grammar of docs/reading.md
LIMIT = "limit"  # rows, of the whole read

# Names of Paimon's own connector.
READ_CHANGELOG = "read.changelog"
MERGE_SCHEMA = "write.merge-schema"
TYPE_WIDENING = "write.merge-schema.type-widening"
EXPLICIT_CAST = "write.merge-schema.explicit-cast"
ROWKIND_FIELD = "rowkind.field"  # of a write: a column of the rows, which need not be one of the table
MAX_FILES = "read.stream.maxfilespertrigger"
MAX_BYTES = "read.stream.maxbytespertrigger"
MAX_ROWS = "read.stream.maxrowspertrigger"
MIN_ROWS = "read.stream.minrowspertrigger"

# Ours alone.
UNTIL = "read.stream.until-snapshot"  # with Trigger.AvailableNow: the last that is read, if it is there

# Names of Spark's own sources and sinks.
OVERWRITE_MODE = "partitionoverwritemode"
CHECKPOINT = "checkpointlocation"

OWN_OPTIONS = frozenset(
    {
        PATH,
        WAREHOUSE,
        TABLE,
        COLUMNS,
        FILTER,
        LIMIT,
        READ_CHANGELOG,
        MERGE_SCHEMA,
        TYPE_WIDENING,
        EXPLICIT_CAST,
        ROWKIND_FIELD,
        MAX_FILES,
        MAX_BYTES,
        MAX_ROWS,
        MIN_ROWS,
        UNTIL,
        OVERWRITE_MODE,
        CHECKPOINT,
    }
)
"""Those that say nothing about the table itself."""


def flag(options: Mapping[str, str], key: str) -> bool:
    """Whether an option is `true`; `InvalidRequestError` if it is neither `true` nor `false`."""
    text = options.get(key, "false")
    try:
        return parse_boolean(text)
    except InvalidRequestError as error:
        raise InvalidRequestError(error.what, **{"option": key, **error.fields}) from error


def count(options: Mapping[str, str], key: str) -> int | None:
    """The number of an option that counts something; None if it is not given."""
    text = options.get(key)
    if text is None:
        return None
    try:
        number = parse_integer(text)
    except InvalidRequestError as error:
        raise InvalidRequestError(error.what, **{"option": key, **error.fields}) from error
    if number < 1:
        raise InvalidRequestError("a number above 0 is needed", option=key, found=number)
    return number


def column_names(options: Mapping[str, str]) -> list[str] | None:
    """The columns that a read names; None for all.

    Raises:
        InvalidRequestError: neither names with commas between nor a JSON list of names.
    """
    text = options.get(COLUMNS)
    if text is None:
        return None
    if not text.lstrip().startswith("["):
        return [name.strip() for name in text.split(",")]
    try:
        names = json.loads(text)
    except ValueError as error:
        raise InvalidRequestError("not a list of columns", option=COLUMNS, found=text) from error
    if not all(isinstance(name, str) for name in names):
        raise InvalidRequestError("not a list of columns", option=COLUMNS, found=text)
    return list(names)
