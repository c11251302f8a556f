"""Options that say nothing to us although they were meant to: refused, as rows would be wrong without them.

Paimon keeps keys that it does not know, and so does a table. In a read or write of Spark a key is most
often one of Spark's readers (`header`), which does no harm, a known one misspelled, or another format's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from types import MappingProxyType

from core.errors import InvalidRequestError, UnsupportedError
from core.options import OPTIONS, family_of

_ALIKE = 0.85  # of 1, as difflib counts: a letter or sign too many, too few or wrong
_OF_OTHER_FORMATS: Mapping[str, str] = MappingProxyType(
    {
        "replacewhere": "partitionOverwriteMode dynamic, or dml.delete before",
        "overwriteschema": "write.merge-schema",
        "mergeschema": "write.merge-schema",
        "versionasof": "scan.version",
        "timestampasof": "scan.timestamp",
        "readchangefeed": "read.changelog",
        "readchangedata": "read.changelog",
        "startingversion": "scan.snapshot-id",
        "startingtimestamp": "scan.timestamp",
    }
)


def check_known(keys: Iterable[str], own: frozenset[str]) -> None:
    """Nothing, unless a key is another format's, or all but one of those that there are.

    Args:
        keys: in lower case.
        own: those that are not of a table.

    Raises:
        UnsupportedError: the option of another format; names ours.
        InvalidRequestError: it looks like a misspelled one; names that.
    """
    known = {*own, *(text.lower() for key, option in OPTIONS.items() for text in (key, *option.old_keys))}
    for key in keys:
        if key in known or family_of(key) is not None:
            continue
        if key in _OF_OTHER_FORMATS:
            raise UnsupportedError(
                "an option of another format; what it asks for is said by one of ours",
                feature=f"option {key}",
                instead=_OF_OTHER_FORMATS[key],
            )
        for alike in get_close_matches(key, known, n=1, cutoff=_ALIKE):
            raise InvalidRequestError("there is no such option", option=key, meant=alike)
