"""Where entries of the audit log are sent: a setting, read before Django's models are there."""

from __future__ import annotations

import socket
from dataclasses import dataclass
from urllib.parse import urlsplit


@dataclass(frozen=True, slots=True)
class SyslogServer:
    """Where syslog messages go: a host and port by UDP or TCP, or a socket of this machine."""

    address: tuple[str, int] | str
    kind: socket.SocketKind

    @classmethod
    def parse(cls, url: str) -> SyslogServer:
        """That of `udp://host:514`, `tcp://host:601` or `unix:///dev/log`.

        Raises:
            ValueError: another scheme, or a part is missing.
        """
        parts = urlsplit(url)
        if parts.scheme == "unix" and parts.path and not parts.netloc:
            return cls(parts.path, socket.SOCK_DGRAM)
        kind = {"udp": socket.SOCK_DGRAM, "tcp": socket.SOCK_STREAM}.get(parts.scheme)
        if kind is None or not parts.hostname or parts.port is None:
            raise ValueError(f"{url!r} is none of udp://host:port, tcp://host:port and unix:///path")
        return cls((parts.hostname, parts.port), kind)
