"""One call of a Hive metastore after the other, and errors that say what came of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import urlsplit

from pymetastore.hive_metastore import ThriftHiveMetastore
from pymetastore.hive_metastore.ttypes import (
    AlreadyExistsException,
    InvalidObjectException,
    InvalidOperationException,
    MetaException,
    NoSuchObjectException,
    UnknownDBException,
)
from thrift.protocol.TBinaryProtocol import TBinaryProtocol
from thrift.Thrift import TException
from thrift.transport.TSocket import TSocket
from thrift.transport.TTransport import TBufferedTransport

from core.catalog.errors import AccessDeniedError, CatalogError, CatalogUnknownError
from core.errors import AlreadyExistsError, InvalidRequestError, NotFoundError, UnsupportedError

A = TypeVar("A")

DEFAULT_PORT = 9083
CONNECT_SECONDS, ANSWER_SECONDS = 20, 600  # as Hive's own client waits

_DENIED = ("permission denied", "not authorized", "does not have", "accesscontrolexception")


@dataclass(frozen=True, slots=True)
class HiveClient:
    """A metastore at one address, or at any of several. Instances are picklable: each call connects anew."""

    servers: tuple[tuple[str, int], ...]

    @classmethod
    def at(cls, uri: str) -> HiveClient:
        """That of option `uri`: `thrift://host:port`, or several with commas between.

        Raises:
            InvalidRequestError: no such address. UnsupportedError: another way to speak to it.
        """
        servers = []
        for one in uri.split(","):
            parts = urlsplit(one.strip())
            if parts.scheme in ("http", "https"):
                raise UnsupportedError(
                    "a metastore is spoken to by Thrift over TCP", feature=f"{parts.scheme}://", where="uri"
                )
            try:
                host, port = parts.hostname, parts.port or DEFAULT_PORT
            except ValueError:
                host, port = None, 0
            if parts.scheme != "thrift" or not host or parts.path.strip("/"):
                shown = one.strip().rpartition("@")[2]
                raise InvalidRequestError(
                    "a Hive catalog needs the address of a metastore",
                    uri=shown,
                    expected="thrift://<host>:<port>",
                )
            servers.append((host, port))
        return cls(tuple(servers))

    def __str__(self) -> str:
        return ",".join(f"thrift://{host}:{port}" for host, port in self.servers)

    def ask(self, operation: str, call: Callable[[Any], A]) -> A:
        """What the metastore answers to a call that changes nothing.

        Raises:
            NotFoundError, AlreadyExistsError, InvalidRequestError: the metastore says so.
            CatalogError, AccessDeniedError: it fails, or is not there.
        """
        return self._call(operation, call, changes=False)

    def change(self, operation: str, call: Callable[[Any], A]) -> A:
        """The same for a call that changes something.

        Raises:
            CatalogUnknownError: the answer was lost, so it is done or not. As `ask` besides.
        """
        return self._call(operation, call, changes=True)

    def _call(self, operation: str, call: Callable[[Any], A], *, changes: bool) -> A:
        transport = self._connect(operation)
        try:
            return call(ThriftHiveMetastore.Client(TBinaryProtocol(transport)))
        except (NoSuchObjectException, UnknownDBException) as error:
            raise NotFoundError("the metastore does not know it", cause=_brief(error)) from error
        except AlreadyExistsException as error:
            raise AlreadyExistsError("the metastore has it already", cause=_brief(error)) from error
        except (InvalidObjectException, InvalidOperationException) as error:
            if _is_denial(error):  # this is how an authorizer of Hive's says it
                raise self._failed(operation, error) from error
            raise InvalidRequestError(
                "the metastore refuses it", operation=operation, cause=_brief(error)
            ) from error
        except MetaException as error:
            raise self._failed(operation, error) from error
        except (TException, OSError, EOFError) as error:
            kind = CatalogUnknownError if changes else CatalogError
            what = "the metastore gave no answer that we understand"
            if changes:
                what += ": it may have done what was asked, or not; look before trying again"
            raise kind(what, catalog=self, operation=operation, cause=_brief(error)) from error
        finally:
            transport.close()

    def _connect(self, operation: str) -> TBufferedTransport:
        """To the first server that is there."""
        failures = []
        for host, port in self.servers:
            socket = TSocket(host, port)
            socket.setTimeout(CONNECT_SECONDS * 1000)
            transport = TBufferedTransport(socket)
            try:
                transport.open()
            except (TException, OSError) as error:
                transport.close()
                failures.append(_brief(error))
                continue
            socket.setTimeout(ANSWER_SECONDS * 1000)
            return transport
        raise CatalogError(
            "no Hive metastore can be reached; nothing was done: see that it runs there, that option uri is "
            "right, and that no firewall is between",
            catalog=self,
            operation=operation,
            cause="; ".join(failures),
        )

    def _failed(self, operation: str, error: TException) -> CatalogError:
        cause = _brief(error)
        if _is_denial(error):
            what = "the metastore does not let us: its owner gives the permission"
            return AccessDeniedError(what, catalog=self, operation=operation, cause=cause)
        return CatalogError("the metastore failed", catalog=self, operation=operation, cause=cause)


def _is_denial(error: TException) -> bool:
    said = _brief(error).lower()
    return any(words in said for words in _DENIED)


def _brief(error: BaseException) -> str:
    """The first line of what a server said."""
    said = getattr(error, "message", None) or getattr(error, "o1", None) or str(error) or type(error).__name__
    return str(said).strip().partition("\n")[0][:300]
