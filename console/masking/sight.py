"""What one caller is told of the values of one table: the one decision that every answer asks.

Statistics, keys, partitions, previews, system tables, plans and logs do not look at permissions: they ask the
`Sight` of the table they are about. Pure: who may what, and which policies there are, is given.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from console.accounts.roles import Permission
from console.masking.policies import Kind, Mask, stand_in


@dataclass(frozen=True)
class Sight:
    """Whether rows may be read, and the masks that this caller does not see through, the strictest first."""

    reads_data: bool = True
    masks: tuple[Mask, ...] = ()
    is_closed: bool = False  # a schema cannot be read: which columns are masked is not known, so all are

    def tells(self, column: str) -> bool:
        """Whether values of the column may be told, in bounds and statistics too."""
        return self.reads_data and not self.masks_column(column)

    def tells_all(self, columns: Iterable[str]) -> bool:
        return all(self.tells(column) for column in columns)

    @property
    def tells_everything(self) -> bool:
        return self.reads_data and not self.masks and not self.is_closed

    def masks_column(self, column: str) -> bool:
        """Whether the column, or a member of it, is masked; `_KEY_id` of a file is the column `id`."""
        name = column.lower()
        return self.is_closed or name in self._columns or name.removeprefix("_key_") in self._columns

    @cached_property
    def _columns(self) -> frozenset[str]:
        return frozenset(column for mask in self.masks for column in mask.columns)

    @property
    def columns(self) -> frozenset[str]:
        """The names of the masked columns, in small letters."""
        return self._columns

    def partition_text(self, column: str, text: str) -> str:
        """A partition's value as it is shown: itself, or what stands in for it.

        Partitions are metadata, and told to those who may not read data unless a policy is about them.
        """
        if not self.masks_column(column):
            return text
        return stand_in(self._key(column), column.lower(), text)

    def hides_partitions(self, keys: Iterable[str]) -> bool:
        return any(self.masks_column(key) for key in keys)

    def _key(self, column: str) -> bytes:
        return next((m.policy.key for m in self.masks if column.lower() in m.columns), b"closed")

    @property
    def needed(self) -> Permission:
        """What the caller lacks to be told more."""
        if not self.reads_data:
            return Permission.DATA_READ
        return Permission.DATA_UNMASKED

    @cached_property
    def mark(self) -> str:
        """What answers that are kept depend on: the same for callers who are told the same of partitions."""
        if not self.masks and not self.is_closed:
            return ""
        told = sorted(f"{'/'.join(path)}:{m.policy.key.hex()}" for m in self.masks for path in m.paths)
        return f"{self.is_closed}|{'|'.join(told)}"

    def for_reader(self) -> list[dict[str, Any]]:
        """The masks as the process of previews takes them."""
        return [
            {
                "paths": sorted(list(path) for path in mask.paths),
                "kind": mask.policy.kind.value if mask.policy.kind is not Kind.SENSITIVE else Kind.HIDE.value,
                "keep": mask.policy.keep,
                "key": mask.policy.key.hex(),
            }
            for mask in self.masks
        ]


ALL = Sight()
