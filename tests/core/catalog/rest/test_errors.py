from __future__ import annotations

import json

import pytest

from core.catalog.errors import (
    AccessDeniedError,
    CatalogError,
    TableAlreadyExistsError,
    TableNotFoundError,
)
from core.catalog.rest.errors import ErrorResponse, error_of, error_response
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
from core.io.json_object import JsonObject


@pytest.mark.parametrize(
    ("error", "code", "resource", "name"),
    [
        (NotFoundError("database not found", database="db"), 404, "DATABASE", "db"),
        (TableNotFoundError("table not found", table="db.t"), 404, "TABLE", "t"),
        (NotFoundError("the table has no snapshot", table="db.t"), 404, "SNAPSHOT", "LATEST"),
        (NotFoundError("schema not found", schema_id=7, table="db.t"), 404, None, None),
        (CommitConflictError("the tag was replaced", tag="v"), 409, None, None),
        (NotFoundError("branch not found", table="db.t", branch="b"), 404, "BRANCH", "b"),
        (NotFoundError("tag not found", tag="v1", path="/x"), 404, "TAG", "v1"),
        (NotFoundError("snapshot not found", snapshot_id=7, path="/x"), 404, "SNAPSHOT", "7"),
        (InvalidRequestError("no such column", column="c"), 404, "COLUMN", "c"),
        (AlreadyExistsError("column exists already", column="c"), 409, "COLUMN", "c"),
        (TableAlreadyExistsError("table exists already", table="db.t"), 409, "TABLE", "t"),
        (InvalidRequestError("no", option="bucket"), 400, None, None),
        (UnsupportedError("no", feature="f"), 501, None, None),
        (CommitConflictError("moved"), 409, None, None),
        (StorageError("down", path="/x"), 503, None, None),
        (StorageDeniedError("wrong key", path="/x"), 500, None, None),  # in vain to ask again
        (FormatError("cut", path="/x"), 500, None, None),
        (NotFoundError("no file", path="/x"), 500, None, None),
        (CommitUnknownError("may be", snapshot_id=4), 500, None, None),
    ],
)
def test_each_error_of_core_has_its_answer(
    error: PaimonError, code: int, resource: str | None, name: str | None
) -> None:
    answer = error_response(error)
    assert (answer.code, answer.resource_type, answer.resource_name) == (code, resource, name)
    assert answer.message == str(error)


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (404, NotFoundError),
        (409, AlreadyExistsError),
        (400, InvalidRequestError),
        (403, AccessDeniedError),
        (503, CatalogError),
    ],
)
def test_an_answer_is_an_error_with_the_resource_and_the_requests_id(
    code: int, kind: type[PaimonError]
) -> None:
    wire = json.dumps(ErrorResponse("gone", code, "TAG", "v1").to_wire()).encode()
    error = error_of(ErrorResponse.from_wire(JsonObject.parse(wire)), "r-1")
    assert type(error) is kind
    assert error.fields == {"tag": "v1", "status": code, "request_id": "r-1"}
    assert str(error).startswith("gone (")


def test_what_is_missing_is_the_error_that_other_catalogs_raise() -> None:
    assert type(error_of(ErrorResponse("no", 404, "TABLE", "t"))) is TableNotFoundError
