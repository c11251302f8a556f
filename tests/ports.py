"""Ports for the servers that tests start."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator

LOOPBACK = "127.0.0.1"
# Below those that outgoing connections get, one of which could take a port before its server does.
FIRST, COUNT = 20_000, 12_000
_APART = 64  # between the first ports of two processes of tests, so that they don't take each other's


def _ports() -> Iterator[int]:
    start = os.getpid() * _APART
    for number in range(10 * COUNT):
        yield FIRST + (start + number) % COUNT


_left = _ports()


def free_port() -> int:
    """A port of the loopback that nobody listens on, another one each time."""
    for port in _left:
        with socket.socket() as probe:
            try:
                probe.bind((LOOPBACK, port))
            except OSError:
                continue
        return port
    raise AssertionError("no port is free")
