"""The one tree of errors that core raises.

    PaimonError
    ├── NotFoundError            catalog, database, table, snapshot, tag, file
    ├── AlreadyExistsError       the same, and a file that must be created once
    ├── InvalidRequestError      option, schema change, predicate: the caller's mistake
    ├── FormatError              bytes differ from the spec: path, offset, expected, found
    ├── UnsupportedError         legal Paimon that we do not implement: feature, where
    ├── CommitConflictError      another commit won: base and winning snapshot, first clash
    ├── CommitUnknownError       written or not, we cannot tell: never clean up after it
    └── StorageError             the store failed: path, operation, cause
        └── StorageDeniedError   it does not know who asks, or does not let them

Those of names in catalogs stand below these, in `core.catalog.errors`.

Every error carries fields, and its message is made of them: a first sentence that says
what went wrong, then `name=value` pairs. Errors of pyarrow, fastavro and the stores are
translated where they enter, with `from`.
"""

from __future__ import annotations


class PaimonError(Exception):
    """Base of all errors of core; `fields` holds what the message is made of."""

    def __init__(self, what: str, /, **fields: object) -> None:
        self.what = what
        self.fields = {name: value for name, value in fields.items() if value is not None}
        details = ", ".join(f"{name}={value}" for name, value in self.fields.items())
        super().__init__(f"{what} ({details})" if details else what)

    def __reduce__(self) -> tuple[object, ...]:
        # Errors travel from Spark executors to the driver: keep their fields when pickled.
        return _rebuild, (type(self), self.what, self.fields)


def _rebuild(kind: type[PaimonError], what: str, fields: dict[str, object]) -> PaimonError:
    return kind(what, **fields)


class NotFoundError(PaimonError):
    """A catalog, database, table, snapshot, tag or file that was named does not exist."""


class AlreadyExistsError(PaimonError):
    """What was to be created is there already."""


class InvalidRequestError(PaimonError):
    """The caller's mistake: an option, a schema change, a predicate, a job spec."""


class FormatError(PaimonError):
    """Bytes differ from the spec; fields `path`, `offset`, `expected`, `found` where known."""


class UnsupportedError(PaimonError):
    """Legal Paimon that we do not implement; fields `feature` and `where`."""


class CommitConflictError(PaimonError):
    """Another commit won; fields `base`, `winner`, `file` name the snapshots and the first clash."""


class CommitUnknownError(PaimonError):
    """The commit may or may not have been written: nothing may be cleaned up after it."""


class StorageError(PaimonError):
    """The store failed; fields `path`, `operation`, `cause`."""


class StorageDeniedError(StorageError):
    """The store refused: the credentials are wrong or have expired, or do not allow it. Nothing was done."""
