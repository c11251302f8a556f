"""From a jdbc: address and the options `jdbc.*` to a database, in the words of its Python driver."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, unquote, urlsplit

from sqlalchemy import URL

from core.errors import InvalidRequestError, UnsupportedError

PREFIX = "jdbc."
BUSY_SECONDS = 60  # how long SQLite waits for another writer
CONNECT_SECONDS, ANSWER_SECONDS = 20, 600  # how long a server may take, unless an option says otherwise

_DRIVERS = {"postgresql": "postgresql+psycopg", "mysql": "mysql+pymysql", "mariadb": "mysql+pymysql"}
_ANSWER = "answer seconds"  # no name of an argument
_NO_TLS = ("disable", "disabled", "false")


@dataclass(frozen=True, slots=True)
class Address:
    """A database. `repr` tells no secret."""

    url: URL
    arguments: Mapping[str, object] = field(default_factory=dict, repr=False)  # of the driver
    answer_seconds: float = ANSWER_SECONDS  # PostgreSQL's: its driver has no such argument

    @property
    def dialect(self) -> str:
        """sqlite, postgresql or mysql."""
        return self.url.get_backend_name()

    def __str__(self) -> str:
        if self.url.host is None:
            return f"jdbc:{self.dialect}:{self.url.database}"
        port = f":{self.url.port}" if self.url.port else ""
        return f"jdbc:{self.dialect}://{self.url.host}{port}/{self.url.database or ''}"


def address_of(uri: str, options: Mapping[str, str]) -> Address:
    """The database that a catalog's `uri` names, with its options `jdbc.user`, `jdbc.password` and others.

    Raises:
        InvalidRequestError: no such address. UnsupportedError: another kind of database, a database in
            memory, or a setting of a Java driver that we cannot follow.
    """
    kind, colon, rest = uri.removeprefix("jdbc:").partition(":")
    if not uri.startswith("jdbc:") or not colon or not rest:
        raise InvalidRequestError(
            "a JDBC catalog needs the address of a database", uri=_shown(uri), expected="jdbc:<kind>:<place>"
        )
    given = {key.removeprefix(PREFIX): value for key, value in options.items() if key.startswith(PREFIX)}
    if kind == "sqlite":
        return _sqlite(rest)
    if kind not in _DRIVERS:
        raise UnsupportedError("no such database for a catalog", feature=f"jdbc:{kind}", where="option uri")
    return _server(kind, rest if rest.startswith("//") else f"//localhost/{rest}", given)


def _sqlite(rest: str) -> Address:
    path, _, _ = rest.removeprefix("file:").partition("?")
    if ":memory:" in rest or not path:
        raise UnsupportedError(
            "a database in the memory of one process is no catalog for others",
            feature=f"jdbc:sqlite:{rest}",
            where="option uri",
        )
    return Address(URL.create("sqlite", database=path), {"timeout": BUSY_SECONDS})


def _server(kind: str, rest: str, given: Mapping[str, str]) -> Address:
    try:
        parts = urlsplit(f"{kind}:{rest}")
        port = parts.port
    except ValueError as error:
        raise InvalidRequestError("not the address of a database", uri=f"jdbc:{kind}://...") from error
    if "," in parts.netloc:
        raise UnsupportedError("one host, not a list of them", feature="several hosts", where="option uri")
    settings = {**dict(parse_qsl(parts.query, keep_blank_values=True)), **given}
    user, password = settings.pop("user", parts.username), settings.pop("password", parts.password)
    translate = _postgres if kind == "postgresql" else _mysql
    arguments: dict[str, object] = {"connect_timeout": CONNECT_SECONDS}
    if kind != "postgresql":
        arguments |= {"read_timeout": ANSWER_SECONDS, "write_timeout": ANSWER_SECONDS}
    for key, value in settings.items():
        found = translate(key, value)
        if found is None:
            raise UnsupportedError(
                "a setting of the Java driver that has no meaning here", feature=f"{PREFIX}{key}", where="uri"
            )
        arguments |= found
    url = URL.create(
        _DRIVERS[kind],
        username=user,
        password=password,
        host=parts.hostname or "localhost",
        port=port,
        database=unquote(parts.path.lstrip("/")) or None,
        query={"charset": "utf8mb4"} if kind != "postgresql" else {},
    )
    answer = arguments.pop(_ANSWER, ANSWER_SECONDS)
    assert isinstance(answer, int | float)
    return Address(url, arguments, answer)


def _postgres(key: str, value: str) -> dict[str, object] | None:
    """A setting of PostgreSQL's Java driver as libpq has it; None for one that we do not know."""
    match key:
        case "sslmode" | "sslrootcert" | "sslcert" | "sslkey":
            return {key: value}
        case "ssl":
            return {"sslmode": "disable" if value.lower() in _NO_TLS else "verify-full"}
        case "connectTimeout" | "loginTimeout":
            return {"connect_timeout": value}
        case "socketTimeout":  # in seconds, unlike MySQL's; none is what the driver calls 0
            return {_ANSWER: int(value) or ANSWER_SECONDS} if value.isdigit() else None
        case "currentSchema":
            return {"options": f"-csearch_path={value}"}
        case "ApplicationName":
            return {"application_name": value}
        case "tcpKeepAlive" | "reWriteBatchedInserts" | "stringtype" | "prepareThreshold":
            return {}
    return None


def _mysql(key: str, value: str) -> dict[str, object] | None:
    """A setting of the Java drivers of MySQL and MariaDB as PyMySQL has it; None for one that is unknown."""
    match key:
        case "useSSL" | "requireSSL" | "sslMode":
            return {} if value.lower() in (*_NO_TLS, "preferred") else {"ssl": {"check_hostname": False}}
        case "connectTimeout":
            return {"connect_timeout": max(1, int(value) // 1000)} if value.isdigit() else None
        case "socketTimeout":
            if not value.isdigit():
                return None
            seconds = max(1, int(value) // 1000)
            return {"read_timeout": seconds, "write_timeout": seconds}
        case (
            "useUnicode"
            | "characterEncoding"
            | "serverTimezone"
            | "allowPublicKeyRetrieval"
            | "autoReconnect"
            | "rewriteBatchedStatements"
            | "zeroDateTimeBehavior"
            | "permitMysqlScheme"
            | "createDatabaseIfNotExist"
        ):
            return {}
    return None


def _shown(uri: str) -> str:
    """Without what may be a password."""
    return uri.partition("?")[0].rpartition("@")[2] if "@" in uri else uri.partition("?")[0]
