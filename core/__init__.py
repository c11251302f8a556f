"""The Apache Paimon table format: read, inspect, write and maintain its tables."""

from core.catalog import open_catalog
from core.errors import (
    AlreadyExistsError,
    CommitConflictError,
    CommitUnknownError,
    FormatError,
    InvalidRequestError,
    NotFoundError,
    PaimonError,
    StorageDeniedError,
    StorageError,
    UnsupportedError,
)
from core.table import Table

__all__ = [
    "AlreadyExistsError",
    "CommitConflictError",
    "CommitUnknownError",
    "FormatError",
    "InvalidRequestError",
    "NotFoundError",
    "PaimonError",
    "StorageDeniedError",
    "StorageError",
    "Table",
    "UnsupportedError",
    "open_catalog",
]
