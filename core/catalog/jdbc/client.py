"""One transaction after the other in the database of a catalog, and errors that say what came of it."""

from __future__ import annotations

import logging
import os
import sqlite3
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, exc
from sqlalchemy.pool import NullPool, QueuePool

from core.catalog.errors import AccessDeniedError, CatalogError, CatalogUnknownError
from core.catalog.jdbc.address import Address, address_of
from core.catalog.jdbc.patience import cut_when_silent
from core.errors import AlreadyExistsError, UnsupportedError

_log = logging.getLogger(__name__)
_guard = threading.Lock()
_engines: dict[tuple[int, str, tuple[tuple[str, str], ...]], Engine] = {}

# What servers say to whom they do not know or do not let: MySQL's numbers, PostgreSQL's states and words.
_DENIED_NUMBERS = (1044, 1045, 1142, 1227, 1698)
_DENIED_STATES = ("28000", "28P01", "42501")
# Two who wait for each other, of whom one is sent away: it may try again.
_BUSY_NUMBERS = (1205, 1213)
_BUSY_STATES = ("40001", "40P01")
# Others are at the file: even a commit is then not made, and is rolled back as the connection is closed.
_BUSY_CODES = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_DENIED_WORDS = ("password authentication failed", "no password supplied", "permission denied")


class BusyError(CatalogError):
    """Others were in the way, and nothing was changed: trying again helps."""


class DuplicateError(AlreadyExistsError):
    """A row with that key is there."""


@dataclass(frozen=True)
class JdbcClient:
    """The database of a catalog. Instances are picklable; connections are shared within a process."""

    uri: str = field(repr=False)
    options: Mapping[str, str] = field(repr=False)

    @property
    def address(self) -> Address:
        return address_of(self.uri, self.options)

    @contextmanager
    def transaction(self, operation: str) -> Iterator[Connection]:
        """A connection whose changes are all made when the block ends, or none.

        Raises:
            DuplicateError: a row is there; CatalogError, AccessDeniedError, BusyError: the database failed,
            and nothing was changed. CatalogUnknownError: it failed at the last moment; all was changed, or
            nothing.
        """
        address = self.address
        try:
            with self._engine(address).connect() as connection:
                yield connection
                try:
                    connection.commit()
                except exc.DBAPIError as error:
                    if _is_busy(error):  # who is sent away has changed nothing
                        raise
                    raise _unknown(address, operation, error) from error
        except exc.IntegrityError as error:
            raise DuplicateError("a row of that name is there", operation=operation) from error
        except exc.SQLAlchemyError as error:
            raise _translated(address, operation, error) from error

    def close(self) -> None:
        """Close the connections of this process."""
        with _guard:
            engine = _engines.pop(self._key(self.address), None)
        if engine is not None:
            engine.dispose()

    def _engine(self, address: Address) -> Engine:
        key = self._key(address)
        with _guard:
            engine = _engines.get(key)
            if engine is None:
                engine = _engines[key] = _created(address)
        return engine

    def _key(self, address: Address) -> tuple[int, str, tuple[tuple[str, str], ...]]:
        """A process that was forked makes connections of its own."""
        arguments = tuple(sorted((key, repr(value)) for key, value in address.arguments.items()))
        seconds = ("answer", str(address.answer_seconds))
        return os.getpid(), address.url.render_as_string(hide_password=False), (*arguments, seconds)


def _created(address: Address) -> Engine:
    pool: dict[str, Any] = (
        {"poolclass": NullPool}
        if address.dialect == "sqlite"
        else {"poolclass": QueuePool, "pool_size": 2, "max_overflow": 8, "pool_pre_ping": True}
    )
    given = dict(address.arguments)
    try:
        engine = create_engine(address.url, connect_args=given, hide_parameters=True, **pool)
        if address.dialect == "postgresql":
            cut_when_silent(engine, address.answer_seconds)
        return engine
    except ImportError as error:
        raise UnsupportedError(
            "the driver of this database is not installed: pip install 'lakescope[jdbc]'",
            feature=f"jdbc:{address.dialect}",
            where="option uri",
        ) from error


def _translated(address: Address, operation: str, error: exc.SQLAlchemyError) -> CatalogError:
    fields = {"catalog": str(address), "operation": operation, "cause": _brief(error)}
    if _is_busy(error):
        return BusyError("others are at work in the catalog; nothing was changed, try again", **fields)
    number, state, words = _told(error)
    if number in _DENIED_NUMBERS or state in _DENIED_STATES or any(w in words for w in _DENIED_WORDS):
        return AccessDeniedError("the database of the catalog does not let us", **fields)
    return CatalogError("the catalog failed", **fields)


def _unknown(address: Address, operation: str, error: exc.DBAPIError) -> CatalogUnknownError:
    return CatalogUnknownError(
        "the connection to the catalog broke while a change was made: it may have been made or not; "
        "look before trying again",
        catalog=str(address),
        operation=operation,
        cause=_brief(error),
    )


def _is_busy(error: exc.SQLAlchemyError) -> bool:
    origin = getattr(error, "orig", None)
    if isinstance(origin, sqlite3.Error):
        # What is wrong in detail stands above the lowest byte; errors of the module itself have no code.
        return getattr(origin, "sqlite_errorcode", 0) & 0xFF in _BUSY_CODES
    number, state, _ = _told(error)
    return number in _BUSY_NUMBERS or state in _BUSY_STATES


def _told(error: exc.SQLAlchemyError) -> tuple[object, object, str]:
    """MySQL's number, PostgreSQL's state and what was said, as far as they are there."""
    origin = getattr(error, "orig", None)
    number = next(iter(getattr(origin, "args", ())), None)
    return number, getattr(origin, "sqlstate", None), str(origin).lower()


def _brief(error: exc.SQLAlchemyError) -> str:
    return str(getattr(error, "orig", None) or error).strip().partition("\n")[0][:200]
