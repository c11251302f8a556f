"""Giving new files of a format table their names, and taking old ones away."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from core.errors import InvalidRequestError, PaimonError, StorageError
from core.format_table.home import DIRECTORIES, FormatHome
from core.format_table.partitions import PartitionNames, files_of, find_partitions, prefix_of
from core.io.file_io import FileIO
from core.schema.table_schema import TableSchema

STAGING = "_temporary"  # shared with every other writer of a directory: it is never deleted


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """A file that no reader sees yet. Picklable: tasks send it to who commits."""

    staged: str  # where it is
    path: str  # where it belongs
    record_count: int
    file_size: int  # bytes

    @property
    def directory(self) -> str:
        return self.path.rpartition("/")[0]


class FormatCommit:
    """Makes files of a format table visible, one after the other. See `core.format_table` on crashes."""

    def __init__(
        self, io: FileIO, location: str, schema: TableSchema, home: FormatHome = DIRECTORIES
    ) -> None:
        self._io = io
        self._location = location
        self._schema = schema
        self._home = home

    def append(self, files: Sequence[WrittenFile]) -> None:
        """Give the files their names. On a failure none keeps it, as far as the store still takes deletes.

        Raises:
            StorageError: the store failed; what could not be taken back is named.
            UnsupportedError, CatalogError: the catalog did not take the partitions of the files.
        """
        try:
            self._home.partitions_come(self._specs(files))
            for file in files:
                self._io.rename_file(file.staged, file.path)
        except PaimonError as error:
            left = self._take_back(files)
            if not left:
                raise
            raise StorageError(
                "an append failed and some of its files could not be taken back: delete them",
                path=", ".join(left),
                operation="append to a format table",
                cause=error,
            ) from error

    def overwrite(
        self, files: Sequence[WrittenFile], partition: Mapping[str, str | None] | None = None
    ) -> int:
        """Give the files their names, then delete those that were there before; how many these were.

        Args:
            files: that a `FormatWrite` made.
            partition: the first keys of partitions with their texts: all below is replaced, `{}` is the
                whole table. None: just the partitions that the files are of.

        Raises:
            InvalidRequestError: no such keys, or files lie outside `partition`; none of them is left.
            StorageError: as `append`, or old files are left beside the new ones; overwriting again takes
                them away.
        """
        if partition is None:
            directories = sorted({file.directory for file in files})
        else:
            directories = self._below(partition)
            self._check_inside(files, partition)
        old = [status.path for directory in directories for status in files_of(self._io, directory)]
        self.append(files)
        for path in old:
            self._io.delete(path)
        return len(old)

    def abort(self, files: Sequence[WrittenFile]) -> None:
        """Delete files that were never named."""
        for file in files:
            self._io.delete(file.staged)

    def _specs(self, files: Sequence[WrittenFile]) -> list[dict[str, str]]:
        """The partitions that the files are of; none of a table without keys."""
        if not self._schema.partition_keys:
            return []
        names = PartitionNames.of(self._schema)
        directories = sorted({file.directory for file in files})
        return [names.spec(directory.removeprefix(f"{self._location}/")) for directory in directories]

    def _below(self, partition: Mapping[str, str | None]) -> list[str]:
        values = prefix_of(self._schema, partition)
        names = PartitionNames.of(self._schema)
        if not names.fields:
            return [self._location]
        found, _ = find_partitions(self._io, self._location, names, ())
        return [one.directory for one in found if one.values[: len(values)] == values]

    def _check_inside(self, files: Sequence[WrittenFile], partition: Mapping[str, str | None]) -> None:
        step = PartitionNames.of(self._schema).directory(prefix_of(self._schema, partition))
        place = f"{self._location}/{step}/" if step else f"{self._location}/"
        outside = [file.directory for file in files if not f"{file.directory}/".startswith(place)]
        if outside:
            self.abort(files)
            raise InvalidRequestError(
                "new rows lie outside the partition that is overwritten",
                partition=step,
                found=outside[0].removeprefix(f"{self._location}/"),
            )

    def _take_back(self, files: Sequence[WrittenFile]) -> list[str]:
        """Delete all of these, named or not; the names that may be left."""
        left = []
        for file in files:
            if not _done(lambda file=file: self._io.delete(file.path)):  # type: ignore[misc]
                left.append(file.path)
            with suppress(PaimonError):
                self._io.delete(file.staged)
        return left


def _done(act: Callable[[], object]) -> bool:
    try:
        act()
    except PaimonError:
        return False
    return True
