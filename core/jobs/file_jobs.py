"""Jobs on the files of a table as a whole: what they are asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated

from core.errors import InvalidRequestError
from core.jobs.declared import Pattern
from core.jobs.values import AnyText, Columns, Moment, SnapshotId, TableName
from core.jobs.work import Work


class Where(StrEnum):
    """Where the work is done."""

    LOCAL = "local"  # by the driver, which starts no Spark
    DISTRIBUTED = "distributed"  # by the executors


@dataclass(frozen=True, slots=True)
class RemoveOrphanFilesJob(Work):
    """Delete files that nothing reaches."""

    older_than: Annotated[Moment | None, "only files that are older; without it a day"] = None
    external_paths: Annotated[
        bool, "look through data-file.external-paths, too: no other table may write there"
    ] = False
    mode: Annotated[Where, "who lists and deletes: local, the driver without Spark; or distributed"] = (
        Where.LOCAL
    )


@dataclass(frozen=True, slots=True)
class RemoveMissingFilesJob(Work):
    """Take files that are lost out of the table."""


@dataclass(frozen=True, slots=True)
class RepairHintsJob(Work):
    """Write wrong hint files anew."""

    earliest: Annotated[SnapshotId | None, "the first snapshot behind a gap in the ids"] = None


@dataclass(frozen=True, slots=True)
class PurgeJob(Work):
    """Empty the table for good: rows, history, tags, branches and consumers."""


class Depth(StrEnum):
    """How far a table is looked through."""

    METADATA = "metadata"  # every reference is followed, sizes are told from a listing
    FILES = "files"  # the first and last bytes of every data file, too
    ROWS = "rows"  # every live file is read whole, too, and its rows counted


@dataclass(frozen=True, slots=True)
class VerifyJob(Work):
    """Look for what is missing or damaged; the job fails if anything is."""

    depth: Annotated[
        Depth,
        "metadata: every reference, without Spark; files: the ends of every data file, too; rows: every "
        "live file is read whole in the executors, too",
    ] = Depth.FILES


@dataclass(frozen=True, slots=True)
class CloneJob(Work):
    """Copy the table as of one snapshot, file by file, into a new table."""

    target: Annotated[TableName, "the new table, database.table; the database is made if it is missing"]
    target_catalog: Annotated[
        Mapping[AnyText, AnyText] | None, "of the new table, where it is another: as `catalog`"
    ] = None
    snapshot: Annotated[SnapshotId | None, "id; without it and tag the latest"] = None
    tag: Annotated[str | None, "name of a tag"] = None

    def __post_init__(self) -> None:
        if self.snapshot is not None and self.tag is not None:
            raise InvalidRequestError("give a snapshot or a tag, not both", field="tag")
        if "$" in self.target:
            raise InvalidRequestError("a branch cannot be the target", field="target", found=self.target)
        if self.target_catalog is not None and not self.target_catalog.get("warehouse", "").strip():
            raise InvalidRequestError("the catalog has no warehouse", field="target_catalog.warehouse")


_OptionName = Annotated[str, Pattern(r"[A-Za-z0-9_.-]{1,200}", "the name of an option")]


class MigratedFormat(StrEnum):
    PARQUET = "parquet"
    ORC = "orc"
    AVRO = "avro"


@dataclass(frozen=True, slots=True)
class MigrateJob(Work):
    """Take the files of a folder over into a new append table; they are copied as they are.

    The folders may be named KEY=VALUE, as Hive does.
    """

    path: Annotated[str, "the folder; hidden files and those that begin with _ are passed over"]
    format: Annotated[
        MigratedFormat | None,
        "of all its files, whatever they are called; without it those are taken whose names end with the one "
        "format that there is",
    ] = None
    partition_keys: Annotated[
        Columns | None, "names of the folders' keys, in their order; without it they are found"
    ] = None
    partition_types: Annotated[
        Mapping[str, str], "types of keys, such as DATE; of those not named here STRING"
    ] = field(default_factory=dict)
    options: Annotated[Mapping[_OptionName, AnyText], "of the new table"] = field(default_factory=dict)
