"""What is wrong with a warehouse that does not answer: from the error of core to a code of `codes.WORDS`.

A driver tells little by the type of its errors, so what stands below core's error is looked at, too: types
of Python's sockets and TLS first, then the words of the servers.
"""

from __future__ import annotations

import re
import socket
import ssl
import urllib.error
from collections.abc import Iterator

from core.catalog.errors import AccessDeniedError, CatalogError, LockTimeoutError
from core.errors import (
    FormatError,
    InvalidRequestError,
    NotFoundError,
    PaimonError,
    StorageDeniedError,
    StorageError,
    UnsupportedError,
)

_DEPTH = 12  # errors below one another

_TYPES: tuple[tuple[type[BaseException], str], ...] = (
    (socket.gaierror, "host-unknown"),
    (ConnectionRefusedError, "refused"),
    (ssl.SSLError, "tls"),
    (TimeoutError, "timeout"),
)

# The first that fits counts. What servers and their drivers say, in small letters.
_WORDS: tuple[tuple[str, str], ...] = (
    (
        "host-unknown",
        r"failed to resolve host|could not translate host|name or service not known|unknown host|"
        r"temporary failure in name resolution|dns error|failed to lookup address|no address associated",
    ),
    ("refused", r"connection refused|errno 111"),
    (
        "tls",
        r"certificate|does not support ssl|ssl is required|ssl negotiation|\btls\b|wrong version number|"
        r"invalidcontenttype|handshake",
    ),
    ("database-denied", r"access denied for user '[^']*'@'[^']*' to database|permission denied for database"),
    ("sign-in", r"password authentication failed|no password supplied|access denied for user '[^']*'@"),
    ("database-missing", r'database ".*" does not exist|unknown database'),
    ("tables-denied", r"permission denied for (table|schema|relation)|command denied"),
    ("file-missing", r"unable to open database file"),
    ("not-a-database", r"file is not a database"),
    ("key-unknown", r"invalidaccesskeyid"),
    ("key-wrong", r"signaturedoesnotmatch"),
    ("bucket-missing", r"nosuchbucket|the specified bucket does not exist"),
    ("timeout", r"timed out|timeout expired|deadline has elapsed"),
    ("store-denied", r"accessdenied|403 forbidden"),
)


def code_of(error: BaseException, *, kind: str) -> str:
    """Which of the codes an error of a step stands for; `kind` is the catalog's, as `metastore` has it."""
    chain = list(_chain(error))
    by_type = next((code for e in chain for known, code in _TYPES if isinstance(e, known)), None)
    if by_type is not None:
        return by_type
    status = error.fields.get("status") if isinstance(error, PaimonError) else None
    if kind == "rest" and status is not None:
        return _OF_STATUS.get(status if isinstance(status, int) else 0, "server-refuses")
    said = "\n".join(str(e) for e in chain).lower()
    found = next((code for code, pattern in _WORDS if re.search(pattern, said)), None)
    return found or _by_kind(error, kind)


_OF_STATUS = {401: "token", 403: "token-denied", 404: "catalog-unknown", 501: "unsupported"}


def _by_kind(error: BaseException, kind: str) -> str:
    match error:
        case LockTimeoutError():
            return "locked"
        case AccessDeniedError():
            return "catalog-denied"
        case CatalogError():
            return {"hive": "not-a-metastore", "rest": "not-a-catalog"}.get(kind, "catalog-failed")
        case UnsupportedError():
            return "unsupported"
        case InvalidRequestError():
            return "wrong-option"
        case FormatError():
            return "unreadable"
        case NotFoundError():
            return "gone"
        case StorageDeniedError():
            return "store-denied"
        case StorageError():
            return "store-failed"
    return "failed"


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The error and those that it was made of; what drivers keep in members of their own, too."""
    waiting: list[object] = [error]
    for _ in range(_DEPTH):
        found = next((e for e in waiting if isinstance(e, BaseException)), None)
        if found is None:
            return
        waiting.remove(found)
        yield found
        if isinstance(found, urllib.error.URLError):
            waiting.append(found.reason)
        waiting += [getattr(found, "orig", None), getattr(found, "original_exception", None)]
        waiting += [found.__cause__, found.__context__]
