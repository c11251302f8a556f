"""What a commit needs of a table; `core.table.Table` is one."""

from __future__ import annotations

from typing import Protocol

from core.commit.home import TableHome
from core.write.target import WriteTarget


class CommitTarget(WriteTarget, Protocol):
    @property
    def home(self) -> TableHome: ...
