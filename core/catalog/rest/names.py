"""The addresses of a REST catalog. Spec: 04, C4."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote_plus, unquote_plus

from core.identifier import Identifier

VERSION = "v1"
CONFIG = f"/{VERSION}/config"


def encode_name(name: str) -> str:
    """A name as one step of an address, as HTML forms write values: a blank is `+`."""
    return quote_plus(name, safe="*").replace("~", "%7E")


def decode_name(text: str) -> str:
    """The reverse of `encode_name`."""
    return unquote_plus(text)


def object_name(identifier: Identifier) -> str:
    """What stands behind the database: `t`, `t$branch_b`, `t$branch_b$files`."""
    return str(identifier).removeprefix(f"{identifier.database}.")


@dataclass(frozen=True, slots=True)
class ResourcePaths:
    """Where the resources of one catalog are, below the server's address."""

    prefix: str = ""  # as the config response says; part of the address as it stands

    @property
    def base(self) -> str:
        return f"/{VERSION}/{encode_name(self.prefix)}" if self.prefix else f"/{VERSION}"

    def all(self, kind: str) -> str:
        """`databases`, or all `tables`, `views` or `functions` of all databases."""
        return f"{self.base}/{kind}"

    def database(self, name: str) -> str:
        return f"{self.base}/databases/{encode_name(name)}"

    def of_database(self, name: str, kind: str) -> str:
        """Its `tables`, `table-details`, `views`, `functions`, and where one is registered."""
        return f"{self.database(name)}/{kind}"

    def table(self, identifier: Identifier, *below: str) -> str:
        """A table, a branch of it, or what is below it, such as `("tags", name)`."""
        steps = (object_name(identifier), *below)
        return "/".join((f"{self.database(identifier.database)}/tables", *map(encode_name, steps)))

    def view(self, database: str, name: str) -> str:
        return f"{self.database(database)}/views/{encode_name(name)}"

    def function(self, database: str, name: str) -> str:
        return f"{self.database(database)}/functions/{encode_name(name)}"
