"""What the catalog of a format table does for it beyond naming its directory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


class FormatHome:
    """Where a format table is at home: this one, a directory, leaves all to the listing of it.

    Catalogs that keep records of partitions have homes of their own. Instances are picklable.
    """

    def check_readable(self) -> None:
        """Raises `UnsupportedError` where the table's directory does not tell all of its rows."""

    def check_writable(self) -> None:
        """Raises `UnsupportedError` where new files would break what the catalog promises of the table."""

    def partitions_come(self, specs: Sequence[Mapping[str, str]]) -> None:
        """Told of the partitions that new files are of, before any of these is seen.

        Values are as directories are called, not escaped. Raises `PaimonError` if the catalog fails or keeps
        such a partition at another place: then no file gets its name.
        """


DIRECTORIES = FormatHome()
