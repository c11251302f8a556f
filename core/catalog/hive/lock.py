"""The lock of a table in a Hive metastore: exclusive, kept alive while it is held. Spec: 04, C3.

A holder that died sends no signs of life, and the metastore's housekeeper, where one runs, lets others in
after `hive.txn.timeout`.
Paimon's own clients take the same locks.
"""

from __future__ import annotations

import getpass
import logging
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from pymetastore.hive_metastore.ttypes import (
    CheckLockRequest,
    DataOperationType,
    HeartbeatRequest,
    LockComponent,
    LockLevel,
    LockRequest,
    LockState,
    LockType,
    ShowLocksRequest,
    UnlockRequest,
)

from core.catalog.errors import CatalogError, LockTimeoutError
from core.catalog.hive.client import HiveClient
from core.errors import PaimonError
from core.identifier import Identifier

_log = logging.getLogger(__name__)
_FIRST_PAUSE = 0.05  # seconds; doubles up to the longest
_SIGN_OF_LIFE = 30.0  # seconds between two; Hive's default timeout is 300


@dataclass(frozen=True, slots=True)
class HiveLock:
    """The lock of one table; a `core.commit.CommitLock`. Instances are picklable."""

    client: HiveClient
    table: Identifier
    timeout: float  # seconds to wait for it
    max_pause: float  # seconds between looks

    @contextmanager
    def held(self) -> Iterator[None]:
        """The lock, taken while the context is open.

        Raises:
            LockTimeoutError: another held it all the time. CatalogError: the metastore failed. Nothing has
            been done in either case.
        """
        number = self._take()
        done = threading.Event()
        alive = threading.Thread(target=self._live, args=(number, done), name="hive lock", daemon=True)
        alive.start()
        try:
            yield
        finally:
            done.set()
            alive.join()
            self._give_back(number)

    def _take(self) -> int:
        started, pause = time.monotonic(), _FIRST_PAUSE
        asked = self._request()
        answer = self.client.change("take a lock", lambda hms: hms.lock(asked))
        number: int = answer.lockid
        try:
            while answer.state == LockState.WAITING:
                left = started + self.timeout - time.monotonic()
                if left <= 0:
                    raise LockTimeoutError(
                        "another writer holds the lock of the table; nothing was done. If it has died, the "
                        "metastore's housekeeper frees the lock after hive.txn.timeout, where one runs",
                        lock=str(self.table),
                        waited=f"{time.monotonic() - started:.0f} s",
                        holder=self._holder(),
                    )
                time.sleep(min(pause, left))
                pause = min(pause * 2, self.max_pause)
                look = CheckLockRequest(lockid=number)
                answer = self.client.ask("look at a lock", lambda hms: hms.check_lock(look))  # noqa: B023
            if answer.state != LockState.ACQUIRED:
                raise CatalogError(
                    "the metastore gave no lock; nothing was done",
                    catalog=self.client,
                    operation="take a lock",
                    cause=LockState._VALUES_TO_NAMES.get(answer.state, answer.state),
                )
        except BaseException:
            self._give_back(number)
            raise
        return number

    def _holder(self) -> str | None:
        """Who has it, and for how long nothing was heard of them, as far as that can be told."""
        asked = ShowLocksRequest(dbname=self.table.database, tablename=self.table.table)
        try:
            found = self.client.ask("look at locks", lambda hms: hms.show_locks(asked)).locks
        except PaimonError:
            return None
        held = [lock for lock in found if lock.state == LockState.ACQUIRED]
        silent = (f"{time.time() - lock.lastheartbeat / 1000:.0f} s" for lock in held)
        return ", ".join(
            f"lock {lock.lockid} of {lock.user} on {lock.hostname}, silent for {seconds}"
            for lock, seconds in zip(held, silent, strict=True)
        )

    def _request(self) -> LockRequest:
        component = LockComponent(
            type=LockType.EXCLUSIVE,
            level=LockLevel.TABLE,
            dbname=self.table.database,
            tablename=self.table.table,
            operationType=DataOperationType.NO_TXN,  # of the others a metastore asks for a transaction
            isTransactional=False,
        )
        return LockRequest(
            component=[component], user=_user(), hostname=socket.gethostname(), agentInfo="lakescope"
        )

    def _live(self, number: int, done: threading.Event) -> None:
        sign = HeartbeatRequest(lockid=number)
        while not done.wait(_SIGN_OF_LIFE):
            try:
                self.client.ask("keep a lock", lambda hms: hms.heartbeat(sign))
            except PaimonError as error:
                _log.warning("lock %s of %s gets no sign of life: %s", number, self.table, error)

    def _give_back(self, number: int) -> None:
        """Never raises: what was done under the lock is done, and the lock runs out by itself."""
        try:
            self.client.change("give a lock back", lambda hms: hms.unlock(UnlockRequest(lockid=number)))
        except PaimonError as error:
            _log.warning("lock %s of %s is not given back and runs out: %s", number, self.table, error)


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container's user may have no name
        return "lakescope"
