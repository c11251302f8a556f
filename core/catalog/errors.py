"""What can be wrong with a name in a catalog: the same mistake is the same error in every catalog.

Each stands below the general kind in `core.errors`, so who only asks for `NotFoundError` gets them all.

    NotFoundError        DatabaseNotFoundError, TableNotFoundError, ViewNotFoundError, DialectNotFoundError,
                         FunctionNotFoundError, DefinitionNotFoundError
    AlreadyExistsError   DatabaseAlreadyExistsError, TableAlreadyExistsError, ViewAlreadyExistsError,
                         DialectAlreadyExistsError, FunctionAlreadyExistsError, DefinitionAlreadyExistsError
    InvalidRequestError  DatabaseNotEmptyError
    StorageError         CatalogError: the catalog's server fails
                             AccessDeniedError: it does not know us, or does not let us
                             CatalogUnknownError: it may have done what was asked, or not
                             LockTimeoutError: somebody else holds the lock; nothing was done

Fields: `database`, `table` (with its database), `view`, `function`; `catalog`, `operation`, `cause`.
"""

from __future__ import annotations

from core.errors import AlreadyExistsError, InvalidRequestError, NotFoundError, StorageError
from core.identifier import Identifier


class DatabaseNotFoundError(NotFoundError):
    """There is no such database; field `database`."""

    @classmethod
    def of(cls, database: str) -> DatabaseNotFoundError:
        return cls("database not found", database=database)


class DatabaseAlreadyExistsError(AlreadyExistsError):
    """A database of that name is there; field `database`."""

    @classmethod
    def of(cls, database: str) -> DatabaseAlreadyExistsError:
        return cls("database exists already", database=database)


class DatabaseNotEmptyError(InvalidRequestError):
    """A database goes with its tables and views only if that is asked for; `database`, `tables`, `views`."""

    @classmethod
    def of(cls, database: str, tables: int, views: int) -> DatabaseNotEmptyError:
        return cls("database is not empty", database=database, tables=tables, views=views or None)


class TableNotFoundError(NotFoundError):
    """There is no such table; field `table`."""

    @classmethod
    def of(cls, table: Identifier) -> TableNotFoundError:
        return cls("table not found", table=str(table))


class TableAlreadyExistsError(AlreadyExistsError):
    """A table, or a view, of that name is there; field `table`."""

    @classmethod
    def of(cls, table: Identifier) -> TableAlreadyExistsError:
        return cls("table exists already", table=str(table))


class ViewNotFoundError(NotFoundError):
    """There is no such view; field `view`."""

    @classmethod
    def of(cls, view: Identifier) -> ViewNotFoundError:
        return cls("view not found", view=str(view))


class ViewAlreadyExistsError(AlreadyExistsError):
    """A view, or a table, of that name is there; field `view`."""

    @classmethod
    def of(cls, view: Identifier) -> ViewAlreadyExistsError:
        return cls("view exists already", view=str(view))


class DialectNotFoundError(NotFoundError):
    """The view has no text for that dialect of SQL; fields `view`, `dialect`."""


class DialectAlreadyExistsError(AlreadyExistsError):
    """The view has a text for that dialect; fields `view`, `dialect`."""


class FunctionNotFoundError(NotFoundError):
    """There is no such function; field `function`."""

    @classmethod
    def of(cls, function: Identifier) -> FunctionNotFoundError:
        return cls("function not found", function=str(function))


class FunctionAlreadyExistsError(AlreadyExistsError):
    """A function of that name is there; field `function`."""


class DefinitionNotFoundError(NotFoundError):
    """The function has no definition of that name; fields `function`, `definition`."""


class DefinitionAlreadyExistsError(AlreadyExistsError):
    """The function has a definition of that name; fields `function`, `definition`."""


class CatalogError(StorageError):
    """The server of a catalog failed or cannot be reached; `catalog`, `operation`, `cause`."""


class AccessDeniedError(CatalogError):
    """The server of a catalog does not know the caller, or does not let it do that."""


class CatalogUnknownError(CatalogError):
    """The answer was lost: what was asked may have been done, or not. Look before asking again."""


class LockTimeoutError(CatalogError):
    """The lock of a table was not granted in time; nothing was done. Fields `lock`, `waited`, `held_for`."""
