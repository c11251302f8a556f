"""Where new data files go that lie outside of their table. Spec: 01, 1.3.

The roots take turns from file to file. Whose turn it is follows from the name of the file: the files
of a writer share a random id and are numbered, so the id says where to begin, and the number goes on
from there. Nothing has to be remembered, and many writers together use all roots alike.

    file:///a, file:///b   file:///a/dt=1/bucket-0/data-<uuid>-0.parquet, file:///b/dt=1/bucket-0/data-<uuid>-1...
"""

from __future__ import annotations

import re
import zlib
from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate

from core.binary.murmur import hash_text
from core.errors import InvalidRequestError
from core.options import (
    DATA_FILE_EXTERNAL_FS,
    DATA_FILE_EXTERNAL_PATHS,
    DATA_FILE_EXTERNAL_STRATEGY,
    DATA_FILE_EXTERNAL_WEIGHTS,
    DATA_FILE_PATH_DIRECTORY,
    TableOptions,
    parse_integer,
)

_NONE, _SPECIFIC_FS, _ENTROPY, _WEIGHTED = "none", "specific-fs", "entropy-inject", "weight-robin"
_STRATEGIES = (_NONE, _SPECIFIC_FS, "round-robin", _ENTROPY, _WEIGHTED)
_NUMBERED = re.compile(r"(.*-)(\d+)(?:\..*)?")
_ENTROPY_BITS = 20
_ENTROPY_FOLDERS = (slice(0, 4), slice(4, 8), slice(8, 12), slice(12, 20))


@dataclass(frozen=True, slots=True)
class ExternalPaths:
    """The roots of a table's data files, and the rule by which a file gets its own."""

    roots: tuple[str, ...]  # without a trailing slash, each with a scheme
    levels: int  # directories from the table down to a bucket: the tail that paths below a root share
    weights: tuple[int, ...] = ()  # how many of all files a root gets, in proportion; none: all alike
    spreads: bool = (
        False  # whether folders named by a hash stand before the file, for stores that shard by prefix
    )

    @staticmethod
    def of(options: TableOptions, partition_keys: int) -> ExternalPaths | None:
        """As a table's options want it; None if its files lie in the table itself.

        Raises:
            InvalidRequestError: a strategy or a root that Paimon refuses, or weights that fit no roots.
        """
        strategy = options.get(DATA_FILE_EXTERNAL_STRATEGY).lower()
        if strategy not in _STRATEGIES:
            raise InvalidRequestError(
                "no such strategy",
                option=DATA_FILE_EXTERNAL_STRATEGY.key,
                value=strategy,
                expected=", ".join(_STRATEGIES),
            )
        given = [root.rstrip("/") for root in options.get(DATA_FILE_EXTERNAL_PATHS)]
        if strategy == _NONE or not given:
            return None
        roots = _roots(given, options.get(DATA_FILE_EXTERNAL_FS) if strategy == _SPECIFIC_FS else "")
        below = [part for part in (options.get(DATA_FILE_PATH_DIRECTORY) or "").split("/") if part]
        return ExternalPaths(
            roots,
            levels=len(below) + partition_keys + 1,
            weights=_weights(options, len(roots)) if strategy == _WEIGHTED else (),
            spreads=strategy == _ENTROPY,
        )

    def path(self, directory: str, name: str) -> str:
        """The whole path of a new file of the bucket whose own directory is `directory`."""
        below = "/".join(directory.split("/")[-self.levels :])
        hashed = f"{_entropy(name)}/" if self.spreads else ""
        return f"{self._root(name)}/{below}/{hashed}{name}"

    def _root(self, name: str) -> str:
        if self.weights:
            ends = list(accumulate(self.weights))
            return self.roots[bisect_right(ends, zlib.crc32(name.encode()) % ends[-1])]
        match = _NUMBERED.fullmatch(name)
        writer, number = (match[1], int(match[2])) if match else (name, 0)
        return self.roots[(zlib.crc32(writer.encode()) + number) % len(self.roots)]


def _roots(given: list[str], only: str | None) -> tuple[str, ...]:
    """`only`: the scheme that counts, "" for any."""
    bare = next((root for root in given if not _scheme(root)), None)
    if bare is not None:
        raise InvalidRequestError(
            "an external path needs a scheme", option=DATA_FILE_EXTERNAL_PATHS.key, path=bare
        )
    if only is None:
        raise InvalidRequestError("the strategy needs a scheme", option=DATA_FILE_EXTERNAL_FS.key)
    roots = [root for root in given if not only or _scheme(root) == only.lower()]
    if not roots:
        raise InvalidRequestError(
            "no external path has the scheme", option=DATA_FILE_EXTERNAL_FS.key, value=only
        )
    return tuple(roots)


def _scheme(root: str) -> str:
    scheme, colon, _ = root.partition(":")
    return scheme.lower() if colon and "/" not in scheme else ""


def _weights(options: TableOptions, roots: int) -> tuple[int, ...]:
    given = tuple(parse_integer(text) for text in options.get(DATA_FILE_EXTERNAL_WEIGHTS))
    if roots < 2 or not given:
        return ()
    if len(given) != roots or min(given) < 1:
        raise InvalidRequestError(
            "each external path needs a positive weight",
            option=DATA_FILE_EXTERNAL_WEIGHTS.key,
            paths=roots,
            found=", ".join(map(str, given)),
        )
    return given


def _entropy(name: str) -> str:
    """Four folders of binary digits: the last 20 bits of the name's hash."""
    bits = f"{hash_text(name) % 2**_ENTROPY_BITS:0{_ENTROPY_BITS}b}"
    return "/".join(bits[part] for part in _ENTROPY_FOLDERS)
