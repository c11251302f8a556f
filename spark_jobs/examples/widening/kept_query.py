"""A streaming query that goes on after a failure, as a service manager would see to it."""

from __future__ import annotations

import logging
from collections.abc import Callable

from pyspark.errors import StreamingQueryException
from pyspark.sql.streaming.query import StreamingQuery

_RESTARTS = 10  # in a row

_log = logging.getLogger(__name__)


class KeptQuery:
    """A query that is started again from its checkpoint when it has failed, but not for ever.

    The usual reason is a busy machine: Spark gives the process of a Python source ten seconds to start.
    """

    def __init__(self, start: Callable[[], StreamingQuery]) -> None:
        self._start = start
        self._restarts = 0  # since the last batch
        self.query = start()

    def keep(self) -> None:
        """Start it again if it has failed; raises its error if it does too often without a batch between."""
        error = self.query.exception()
        if error is None:
            return
        if self.query.lastProgress is not None:
            self._restarts = 0
        if self._restarts == _RESTARTS:
            raise error
        _log.warning("%s has failed and is started again: %s", self.query.name, error)
        self._restarts += 1
        self.query = self._start()

    def restart(self, between: Callable[[], None]) -> None:
        """Stop it, do something, start it again."""
        self.query.stop()
        between()
        self.query = self._start()

    def drain(self) -> None:
        """Return when it has taken all that there is."""
        self._outlast(lambda: self.query.processAllAvailable())

    def wait(self) -> None:
        """Return when it has ended by itself."""
        self._outlast(lambda: self.query.awaitTermination())

    def _outlast(self, wait: Callable[[], object]) -> None:
        while True:
            try:
                wait()
            except StreamingQueryException:
                self.keep()
            else:
                return
