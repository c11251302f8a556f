"""Consumers: how far streaming readers are; they keep snapshots alive. Spec: 01, 10; 08, 11."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from core.arguments import is_a
from core.errors import InvalidRequestError, NotFoundError, PaimonError
from core.io.decoding import read_decoded
from core.io.file_io import FileIO
from core.io.json_object import JsonObject
from core.io.paths import TablePaths

_PREFIX = "consumer-"


@dataclass(frozen=True, slots=True)
class Consumer:
    id: str
    next_snapshot: int  # the snapshot that will be read next


@dataclass(frozen=True, slots=True)
class UnreadableConsumer:
    """A consumer whose file is there and cannot be used."""

    id: str
    error: PaimonError


class ConsumerStore:
    """The consumer/ directory of a table or branch."""

    def __init__(self, io: FileIO, paths: TablePaths) -> None:
        self._io = io
        self._paths = paths

    def ids(self) -> list[str]:
        """Sorted."""
        files = (status.path.rpartition("/")[2] for status in self._io.list_files(self._paths.consumer_dir))
        return sorted(name.removeprefix(_PREFIX) for name in files if name.startswith(_PREFIX))

    def idle_since(self, millis: int) -> list[str]:
        """Ids of consumers whose progress was last written before a time (epoch milliseconds), sorted.

        With `consumer.expiration-time` they no longer keep snapshots alive. Spec: 01, 10.
        """
        files = self._io.list_files(self._paths.consumer_dir)
        names = (f.path.rpartition("/")[2] for f in files if f.modified_millis < millis)
        return sorted(name.removeprefix(_PREFIX) for name in names if name.startswith(_PREFIX))

    def list(self) -> list[Consumer]:
        """Every consumer, by id."""
        return [self.get(consumer_id) for consumer_id in self.ids()]

    def examine(self) -> Iterator[Consumer | UnreadableConsumer]:
        """Every consumer by id, with the error in place of one that cannot be read."""
        for consumer_id in self.ids():
            try:
                yield self.get(consumer_id)
            except PaimonError as error:
                yield UnreadableConsumer(consumer_id, error)

    def get(self, consumer_id: str) -> Consumer:
        """`NotFoundError` if there is none, `FormatError` if its file is damaged."""
        path = self._paths.consumer_file(_checked_id(consumer_id))
        try:
            return read_decoded(self._io, path, lambda data: decode_consumer(consumer_id, data))
        except NotFoundError as error:
            raise NotFoundError("consumer not found", consumer=consumer_id, path=path) from error

    def put(self, consumer: Consumer) -> None:
        """Write or replace."""
        self._io.write(self._paths.consumer_file(_checked_id(consumer.id)), encode_consumer(consumer))

    def delete(self, consumer_id: str) -> None:
        self._io.delete(self._paths.consumer_file(_checked_id(consumer_id)))

    def earliest_next(self) -> int | None:
        """The first snapshot that any consumer still needs; None without consumers."""
        return min((consumer.next_snapshot for consumer in self.list()), default=None)


def decode_consumer(consumer_id: str, data: bytes) -> Consumer:
    return Consumer(consumer_id, JsonObject.parse(data).integer("nextSnapshot"))


def encode_consumer(consumer: Consumer) -> bytes:
    return json.dumps({"nextSnapshot": consumer.next_snapshot}, indent=2).encode()


def _checked_id(consumer_id: str) -> str:
    if not is_a(consumer_id, str) or not consumer_id.strip() or "/" in consumer_id:
        raise InvalidRequestError(
            "no id of a consumer: it must not be blank or hold a slash", consumer=consumer_id
        )
    return consumer_id
