"""Which network addresses a warehouse may name: never one of the machine's own metadata service."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from ipaddress import IPv4Address, IPv6Address, ip_address
from urllib.parse import urlsplit

from core.errors import InvalidRequestError

METADATA_SERVICES = frozenset({ip_address("fd00:ec2::254"), ip_address("100.100.100.200")})
"""Of clouds whose service is not at a link-local address."""


def check_endpoints(options: Mapping[str, str]) -> None:
    """Nothing, if every endpoint among the options is an http address outside of the forbidden ranges.

    Raises:
        InvalidRequestError: names the option.
    """
    for key, address in options.items():
        if key.lower().endswith("endpoint"):
            _check(key, address)


def is_address(key: str) -> bool:
    """Whether an option says where requests are sent, credentials with them."""
    return key.lower().endswith(("endpoint", "uri", "url", "region", "host"))


def _check(key: str, address: str) -> None:
    parts = urlsplit(address if "://" in address else f"https://{address}")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InvalidRequestError("an endpoint is an http or https address", option=key, found=address)
    if any(_is_forbidden(found) for found in _addresses(parts.hostname)):
        raise InvalidRequestError("an endpoint may not be link-local", option=key, found=address)


def _addresses(host: str) -> list[IPv4Address | IPv6Address]:
    """What the name stands for, in any spelling that the system understands; nothing where it is unknown."""
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return []  # the connection will fail, and say so
    return [ip_address(str(entry[4][0]).partition("%")[0]) for entry in found]


def _is_forbidden(address: IPv4Address | IPv6Address) -> bool:
    plain = getattr(address, "ipv4_mapped", None) or address
    return plain.is_link_local or plain in METADATA_SERVICES
