"""Core's errors as answers of a REST catalog, and such answers as core's errors. Spec: 04, C4, Errors."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from core.catalog.errors import (
    AccessDeniedError,
    CatalogError,
    DatabaseAlreadyExistsError,
    DatabaseNotFoundError,
    DefinitionAlreadyExistsError,
    DefinitionNotFoundError,
    DialectAlreadyExistsError,
    DialectNotFoundError,
    FunctionAlreadyExistsError,
    FunctionNotFoundError,
    TableAlreadyExistsError,
    TableNotFoundError,
    ViewAlreadyExistsError,
    ViewNotFoundError,
)
from core.catalog.rest.objects import Wire
from core.errors import (
    AlreadyExistsError,
    CommitConflictError,
    InvalidRequestError,
    NotFoundError,
    PaimonError,
    StorageDeniedError,
    StorageError,
    UnsupportedError,
)
from core.io.json_object import JsonObject


class Resource(StrEnum):
    """What an error is about."""

    DATABASE = "DATABASE"
    TABLE = "TABLE"
    PARTITION = "PARTITION"
    COLUMN = "COLUMN"
    SNAPSHOT = "SNAPSHOT"
    BRANCH = "BRANCH"
    TAG = "TAG"
    VIEW = "VIEW"
    DIALECT = "DIALECT"
    FUNCTION = "FUNCTION"
    DEFINITION = "DEFINITION"


# Fields of our errors that name a resource: the narrowest first, as an error also says whose it was.
_NAMED_BY = {
    "column": Resource.COLUMN,
    "dialect": Resource.DIALECT,
    "definition": Resource.DEFINITION,
    "partition": Resource.PARTITION,
    "tag": Resource.TAG,
    "snapshot_id": Resource.SNAPSHOT,
    "version": Resource.SNAPSHOT,
    "branch": Resource.BRANCH,
    "view": Resource.VIEW,
    "function": Resource.FUNCTION,
    "table": Resource.TABLE,
    "database": Resource.DATABASE,
}
_FIELD_OF = {resource: name for name, resource in reversed(_NAMED_BY.items())}
_IN_DATABASE = frozenset({Resource.TABLE, Resource.VIEW, Resource.FUNCTION})

NO_SUCH_COLUMN = "no such column"


@dataclass(frozen=True, slots=True)
class ErrorResponse:
    """The body of an answer of 400 or more; `code` is its status."""

    message: str
    code: int
    resource_type: str | None = None
    resource_name: str | None = None

    @classmethod
    def from_wire(cls, value: JsonObject) -> ErrorResponse:
        return cls(
            value.text_or_none("message") or "",
            value.integer("code"),
            value.text_or_none("resourceType"),
            value.text_or_none("resourceName"),
        )

    def to_wire(self) -> Wire:
        return {
            "resourceType": self.resource_type,
            "resourceName": self.resource_name,
            "message": self.message,
            "code": self.code,
        }


def error_response(error: PaimonError) -> ErrorResponse:
    """The answer that tells of an error of core."""
    code = status_of(error)
    is_told = code == 404 or isinstance(error, AlreadyExistsError)  # of a conflict nothing is there already
    resource, name = _about(error) if is_told else (None, None)
    return ErrorResponse(str(error), code, resource, name)


def status_of(error: PaimonError) -> int:
    match error:
        case NotFoundError():
            # A file of a table that is there: damage, which is no answer to "is there such a table".
            return 404 if _about(error)[0] or "path" not in error.fields else 500
        case AlreadyExistsError() | CommitConflictError():
            return 409
        case InvalidRequestError():
            return 404 if error.what == NO_SUCH_COLUMN else 400
        case UnsupportedError():
            return 501
        case StorageDeniedError() | AccessDeniedError():
            return 500  # of ours, whose credentials are refused: to ask again is of no use
        case StorageError():
            return 503
        case _:
            return 500


def _about(error: PaimonError) -> tuple[str | None, str | None]:
    fields = error.fields
    for name, resource in _NAMED_BY.items():
        if name in fields:
            if resource is Resource.TABLE and not isinstance(
                error, TableNotFoundError | TableAlreadyExistsError
            ):
                # It is the table's: to clients 404 of a table would say that it is gone.
                return (Resource.SNAPSHOT.value, "LATEST") if "no snapshot" in error.what else (None, None)
            # Ours have the database in front, which the address of the request says already.
            named = str(fields[name])
            return resource.value, named.partition(".")[2] or named if resource in _IN_DATABASE else named
    return None, None


def error_of(response: ErrorResponse, request_id: str | None = None) -> PaimonError:
    """The error of core that an answer stands for; its message has the server's and the request's id."""
    fields: dict[str, object] = {"status": response.code, "request_id": request_id}
    resource = response.resource_type
    if resource in _FIELD_OF:
        fields = {_FIELD_OF[Resource(resource)]: response.resource_name, **fields}
    general = _ERROR_OF.get(response.code, CatalogError)
    kind = _ERROR_ABOUT.get((response.code, resource or ""), general)
    return kind(response.message or "the catalog's server refused the request", **fields)


_ERROR_OF: dict[int, type[PaimonError]] = {
    400: InvalidRequestError,
    401: AccessDeniedError,
    403: AccessDeniedError,
    404: NotFoundError,
    409: AlreadyExistsError,
    501: UnsupportedError,
}
_ERROR_ABOUT: dict[tuple[int, str], type[PaimonError]] = {
    (404, Resource.DATABASE): DatabaseNotFoundError,
    (404, Resource.TABLE): TableNotFoundError,
    (404, Resource.VIEW): ViewNotFoundError,
    (404, Resource.DIALECT): DialectNotFoundError,
    (404, Resource.FUNCTION): FunctionNotFoundError,
    (404, Resource.DEFINITION): DefinitionNotFoundError,
    (404, Resource.COLUMN): InvalidRequestError,
    (409, Resource.DATABASE): DatabaseAlreadyExistsError,
    (409, Resource.TABLE): TableAlreadyExistsError,
    (409, Resource.VIEW): ViewAlreadyExistsError,
    (409, Resource.DIALECT): DialectAlreadyExistsError,
    (409, Resource.FUNCTION): FunctionAlreadyExistsError,
    (409, Resource.DEFINITION): DefinitionAlreadyExistsError,
}
