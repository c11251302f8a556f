"""Tries of one change until a snapshot is made, or surely is not. Spec: 08, 2."""

from __future__ import annotations

from datetime import timedelta

from core.commit.attempt import CommitAttempts
from core.commit.clock import Clock
from core.errors import (
    AlreadyExistsError,
    CommitConflictError,
    CommitUnknownError,
    PaimonError,
    StorageError,
)
from core.options import (
    COMMIT_MAX_RETRIES,
    COMMIT_MAX_RETRY_WAIT,
    COMMIT_MIN_RETRY_WAIT,
    COMMIT_TIMEOUT,
    TableOptions,
)
from core.snapshot.snapshot import Snapshot


def run_attempts(attempts: CommitAttempts, options: TableOptions, clock: Clock) -> Snapshot | None:
    """The snapshot made, by the last attempt or, as it turns out, by an earlier one; None for no change.

    Raises:
        CommitConflictError: the change does not fit, or others were faster each time.
        CommitUnknownError: the snapshot may or may not be there.
        PaimonError: any other failure; no snapshot was made.
    """
    timeout = options.get(COMMIT_TIMEOUT)
    started = clock.now_millis()
    tries = options.get(COMMIT_MAX_RETRIES) + 1
    last: PaimonError
    for number in range(tries):
        if number:
            clock.sleep(_wait(number - 1, options, clock))
        try:
            return attempts.run()
        except (AlreadyExistsError, CommitUnknownError) as error:
            last = error
        except PaimonError as error:
            if attempts.unknown_id is None:
                raise
            # This attempt failed for sure; the one before it may have succeeded all the same.
            last = error
        spent = timedelta(milliseconds=clock.now_millis() - started)
        if timeout is not None and spent > timeout:
            break
    return _after_last(attempts, last, number + 1)


def _after_last(attempts: CommitAttempts, last: PaimonError, tries: int) -> Snapshot:
    user = attempts.author.user
    try:
        found = attempts.look_again()
    except StorageError as error:
        raise CommitUnknownError(
            "the store fails: whether the commit was made is not known", user=user, tries=tries
        ) from error
    if found is not None:
        return found
    if attempts.unknown_id is not None:
        raise CommitUnknownError(
            "the snapshot may or may not have been created",
            snapshot_id=attempts.unknown_id,
            user=user,
            tries=tries,
        ) from last
    raise CommitConflictError(
        "other commits were faster each time", check="retries", user=user, tries=tries
    ) from last


def _wait(retry: int, options: TableOptions, clock: Clock) -> float:
    """Seconds before a retry: doubled each time, up to a limit, and a bit of chance."""
    shortest = options.get(COMMIT_MIN_RETRY_WAIT).total_seconds()
    longest = options.get(COMMIT_MAX_RETRY_WAIT).total_seconds()
    return float(min(shortest * 2.0 ** min(retry, 60), longest) * (1 + 0.2 * clock.jitter()))
