"""What the pages have to say, asked of `core` on the same warehouse, and in the words of the pages."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Context
from pathlib import Path
from typing import Any

from core import Table, open_catalog

Row = dict[str, Any]
_UNITS = ("B", "KiB", "MiB", "GiB")
_THREE_DIGITS = Context(prec=3, rounding=ROUND_HALF_UP)  # as browsers round


class Facts:
    """The tables of a warehouse as core reads them at this moment."""

    def __init__(self, warehouse: Path) -> None:
        self._catalog = open_catalog(str(warehouse))

    def table(self, name: str) -> Table:
        return self._catalog.get_data_table(name)

    def databases(self) -> list[str]:
        return self._catalog.list_databases()

    def tables(self, database: str) -> list[str]:
        return self._catalog.list_tables(database)

    def system(self, name: str, kind: str) -> list[Row]:
        """The rows of a system table, such as `files`."""
        rows: list[Row] = self._catalog.get_table(f"{name}${kind}").to_arrow().to_pylist()
        return rows

    def files(self, name: str, **pin: Any) -> list[Row]:
        """The live files, at a snapshot if one is given."""
        rows: list[Row] = self._catalog.get_table(f"{name}$files").to_arrow(**pin).to_pylist()
        return rows

    def file_names(self, name: str, **pin: Any) -> set[str]:
        return {base(row["file_path"]) for row in self.files(name, **pin)}

    def rows(self, name: str, **read: Any) -> list[Row]:
        """The rows of a table, ordered."""
        found: list[Row] = self.table(name).to_arrow(**read).to_pylist()
        return sorted(found, key=str)


def base(path: str) -> str:
    return path.rpartition("/")[2]


def count(number: int) -> str:
    return f"{number:,}"


def signed(number: int) -> str:
    return count(0) if number == 0 else f"{'+' if number > 0 else '−'}{abs(number):,}"


def size(number: int) -> str:
    """Bytes in IEC units with three significant digits."""
    value, unit = float(number), 0
    while value >= 1024 and unit < len(_UNITS) - 1:
        value, unit = value / 1024, unit + 1
    digits = _THREE_DIGITS.create_decimal(value) if value < 999.5 else round(value)
    return f"{float(digits):,g} {_UNITS[unit]}"
