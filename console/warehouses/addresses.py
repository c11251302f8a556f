"""Where a warehouse's servers are, and which network addresses it may name: never a metadata service."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address
from urllib.parse import urlsplit

from core.errors import InvalidRequestError
from core.io.webhdfs import hdfs_namenode

METADATA_SERVICES = frozenset({ip_address("fd00:ec2::254"), ip_address("100.100.100.200")})
"""Of clouds whose service is not at a link-local address."""

_PORTS = {"http": 80, "https": 443, "postgresql": 5432, "mysql": 3306}


@dataclass(frozen=True, slots=True)
class Server:
    """A server that has to take connections; any of its hosts will do."""

    hosts: tuple[tuple[str, int], ...]
    tls: bool = False  # from the first byte on

    def __str__(self) -> str:
        return ", ".join(f"{host}:{port}" for host, port in self.hosts)


def server_of(options: Mapping[str, str]) -> Server | None:
    """The catalog's server, if it is on one; one that may not be named is refused.

    Raises:
        InvalidRequestError, UnsupportedError: the option `uri` is none for this kind of catalog.
    """
    kind, uri = options.get("metastore", "filesystem"), options.get("uri", "")
    # Imported where they are wanted: a console of directories need not load SQLAlchemy and Thrift.
    if kind == "hive":
        from core.catalog.hive.client import HiveClient

        found = Server(HiveClient.at(uri).servers)
    elif kind == "jdbc":
        from core.catalog.jdbc.address import address_of

        url = address_of(uri, options).url
        if url.host is None:
            return None
        found = Server(((url.host, url.port or _PORTS[url.get_backend_name()]),))
    elif kind == "rest":
        found = _of_http(uri if "://" in uri else f"http://{uri}")
    else:
        return None
    for host, _ in found.hosts:
        _check_host("uri", uri, host)
    return found


def store_server_of(options: Mapping[str, str]) -> Server | None:
    """The server of the store, where the options name it."""
    location = options.get("warehouse", "")
    if location.startswith("hdfs://"):
        return _of_http(f"http://{hdfs_namenode(location, options)}")
    endpoint = next((v for k, v in sorted(options.items()) if k.endswith(".endpoint") and "." in k), None)
    if endpoint is None or not location.startswith(("s3", "oss")):
        return None
    return _of_http(endpoint if "://" in endpoint else f"https://{endpoint}")


def _of_http(address: str) -> Server:
    parts = urlsplit(address)
    try:
        port = parts.port or _PORTS.get(parts.scheme, 0)
    except ValueError as error:
        raise InvalidRequestError("the port of an address is a number", found=address) from error
    return Server(((parts.hostname or "", port),), parts.scheme == "https")


def check_endpoints(options: Mapping[str, str]) -> None:
    """Nothing, if every endpoint among the options is an http address outside of the forbidden ranges.

    Raises:
        InvalidRequestError: names the option.
    """
    for key, address in options.items():
        if key.lower().endswith("endpoint"):
            parts = urlsplit(address if "://" in address else f"https://{address}")
            if parts.scheme not in ("http", "https") or not parts.hostname:
                raise InvalidRequestError(
                    "an endpoint is an http or https address", option=key, found=address
                )
            _check_host(key, address, parts.hostname)
    location = options.get("warehouse", "")
    if location.startswith("hdfs://"):
        namenode = hdfs_namenode(location, options)
        _check_host("warehouse", namenode, urlsplit(f"//{namenode}").hostname or "")


def is_address(key: str) -> bool:
    """Whether an option says where requests are sent, credentials with them."""
    return key.lower().endswith(("endpoint", "uri", "url", "region", "host", "http-address"))


def _check_host(key: str, address: str, host: str) -> None:
    if any(_is_forbidden(found) for found in _addresses(host)):
        raise InvalidRequestError(
            "an endpoint may not be link-local", reason="forbidden-address", option=key, found=address
        )


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
