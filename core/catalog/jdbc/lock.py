"""The lock of a table: one row of `paimon_distributed_locks`. Spec: 04, C2.

Whoever puts the row there has the lock; whoever takes it away gives it back. A holder that died leaves its
row, which says for how long it counts: after that anyone may take it away. Paimon's own clients do the same.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from sqlalchemy import ColumnElement, delete, insert, literal_column, select

from core.catalog.errors import CatalogError, LockTimeoutError
from core.catalog.jdbc.client import BusyError, DuplicateError, JdbcClient
from core.catalog.jdbc.schema import locks

_log = logging.getLogger(__name__)
_LOCKS = locks()
_FIRST_PAUSE = 0.1  # seconds; doubles up to the longest
_TRIES = 10  # to give a lock back while others ask for it

# How old a row is, in seconds, by the clock of the database.
_AGE = {
    "sqlite": "strftime('%s', 'now') - strftime('%s', acquired_at)",
    "mysql": "TIMESTAMPDIFF(SECOND, acquired_at, NOW())",
    "postgresql": "EXTRACT(EPOCH FROM AGE(NOW(), acquired_at))",
}


@dataclass(frozen=True)
class JdbcLock:
    """The lock of one name in one catalog; a `core.commit.CommitLock`. Instances are picklable."""

    client: JdbcClient
    name: str  # `<catalog key>.<database>.<table>`
    timeout: float  # seconds to wait for it, and for which a holder may keep it
    max_pause: float  # seconds between looks

    @contextmanager
    def held(self) -> Iterator[None]:
        """The lock, taken while the context is open.

        Raises:
            LockTimeoutError: it was not given back in time, nor did its holder's time run out.
            CatalogError: the database failed. Nothing has been done in either case.
        """
        taken = self._take()
        try:
            yield
        finally:
            self._give_back(taken)

    def _take(self) -> float:
        """When we got it, by our own clock."""
        started, pause = time.monotonic(), _FIRST_PAUSE
        while True:
            asked = time.monotonic()
            if self._is_taken_now():
                return asked
            left = started + self.timeout - time.monotonic()
            if left <= 0:
                raise LockTimeoutError(
                    "another writer holds the lock of the table; nothing was done. It runs out by itself",
                    lock=self.name,
                    waited=f"{time.monotonic() - started:.0f} s",
                    held_for=self._age(),
                )
            time.sleep(min(pause, left))
            pause = min(pause * 2, self.max_pause)

    def _is_taken_now(self) -> bool:
        try:
            self._free()
            with self.client.transaction("take a lock") as connection:
                row = {"lock_id": self.name, "expire_time_seconds": int(self.timeout)}
                connection.execute(insert(_LOCKS).values(row))
        except (DuplicateError, BusyError):
            return False
        return True

    def _free(self) -> None:
        """Take the row away if it has run out."""
        with self.client.transaction("free a lock that has run out") as connection:
            run_out = literal_column(_AGE[self.client.address.dialect]) > _LOCKS.c.expire_time_seconds
            connection.execute(delete(_LOCKS).where(_LOCKS.c.lock_id == self.name, run_out))

    def _give_back(self, taken: float) -> None:
        """Never raises: what was done under the lock is done. One that ran out may be another's by now."""
        if time.monotonic() - taken >= int(self.timeout):
            _log.warning("lock %s had run out before its work was done", self.name)
            return
        for number in range(_TRIES):
            try:
                with self.client.transaction("give a lock back") as connection:
                    connection.execute(delete(_LOCKS).where(_LOCKS.c.lock_id == self.name))
                return
            except BusyError as error:
                failure: CatalogError = error
                time.sleep(_FIRST_PAUSE * number)
            except CatalogError as error:
                failure = error
                break
        _log.warning("lock %s is not given back and runs out by itself: %s", self.name, failure)

    def _age(self) -> str | None:
        """For how long the holder has had it, if that can be told."""
        try:
            with self.client.transaction("look at a lock") as connection:
                age: ColumnElement[float] = literal_column(_AGE[self.client.address.dialect])
                found = connection.execute(
                    select(age).select_from(_LOCKS).where(_LOCKS.c.lock_id == self.name)
                )
                seconds = found.scalar()
        except CatalogError:
            return None
        return None if seconds is None else f"{int(seconds)} s"
