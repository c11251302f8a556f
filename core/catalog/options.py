"""Options of catalogs, which are not those of tables. Spec: 04, C; values are written alike."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

from core.options import Option, TableOptions, parse_boolean, parse_duration, parse_integer, parse_text

METASTORE: Option[str] = Option("metastore", parse_text, "filesystem", "kind of catalog")
WAREHOUSE: Option[str | None] = Option("warehouse", parse_text, None, "where the tables lie")
URI: Option[str | None] = Option("uri", parse_text, None, "where the catalog's server is")
CASE_SENSITIVE: Option[bool] = Option(
    "case-sensitive",
    parse_boolean,
    "true",
    "names may differ in the case of letters alone",
    ("allow-upper-case",),
)
SYNC_ALL_PROPERTIES: Option[bool] = Option(
    "sync-all-properties", parse_boolean, "true", "the catalog keeps a copy of the tables' options"
)
LOCK_ENABLED: Option[bool | None] = Option(
    "lock.enabled", parse_boolean, None, "writers take the catalog's lock; default: on object stores"
)
LOCK_ACQUIRE_TIMEOUT: Option[timedelta] = Option(
    "lock-acquire-timeout", parse_duration, "8 min", "how long to wait for a lock, and how long one is held"
)
LOCK_CHECK_MAX_SLEEP: Option[timedelta] = Option(
    "lock-check-max-sleep", parse_duration, "8 s", "longest pause between looks at a lock"
)
CATALOG_KEY: Option[str] = Option("catalog-key", parse_text, "jdbc", "which catalog of the database it is")
LOCK_KEY_MAX_LENGTH: Option[int] = Option(
    "lock-key-max-length", parse_integer, "255", "length of a lock's name when the table of locks is made"
)


def catalog_options(options: Mapping[str, str]) -> TableOptions:
    """The options, to be asked for values; one that is none of its option is an `InvalidRequestError`."""
    return TableOptions(options)
