"""Files of one table are not read by the name of another."""

from __future__ import annotations

import pytest

from core.catalog.plain_places import check_is_own_place
from core.errors import UnsupportedError
from core.identifier import Identifier

OWN, TABLES = Identifier("db", "files"), {"db.files", "db.t", "other.secret"}


@pytest.mark.parametrize(
    ("place", "refused"),
    [
        ("/wh/db.db/files/data", None),
        ("/wh/db.db/folder", None),
        ("/wh/landing/db.db/t", None),
        ("/wh/db.db/t", "another table"),
        ("/wh/other.db/secret/bucket-0", "another table"),
        ("/wh/other.db", "a database"),
        ("/wh", "a warehouse"),
    ],
)
def test_the_place_of_plain_files_is_no_other_tables(place: str, refused: str | None) -> None:
    def check() -> None:
        check_is_own_place(OWN, place, "/wh/", lambda table: str(table) in TABLES)

    if refused is None:
        return check()
    with pytest.raises(UnsupportedError, match=refused):
        check()
