"""Integrity check: follow every reference of a table, and say what is missing or damaged.

    branches -> hints, schemas, snapshots, changelogs, tags, consumers      references.py
      -> manifest lists -> manifests -> entries, index manifests            manifest_reader.py
        -> data files and their companions                                  data_files.py, edges.py
        -> table index files, read to the last byte                         index_files.py
    what is left of the listing is orphaned                                 orphans.py

Nothing is written. A commit or an expiration that runs meanwhile can show as a fault: ask
again before acting on one.
"""

from __future__ import annotations

from core.errors import PaimonError
from core.io import MAIN_BRANCH, TablePaths
from core.maintenance.check.data_files import (
    DataFiles,
    Removals,
    check_companions,
    check_data_files,
    name_schemas,
)
from core.maintenance.check.edges import LookAtEdges, edge_problems
from core.maintenance.check.finding import CheckReport, Finding, FindingKind, Findings, Orphan, Severity
from core.maintenance.check.index_files import READ_INDEXES, check_index_file
from core.maintenance.check.listing import Listing
from core.maintenance.check.manifest_reader import ManifestReader
from core.maintenance.check.orphans import iter_orphans
from core.maintenance.check.references import References
from core.table import Table

__all__ = [
    "CheckReport",
    "Finding",
    "FindingKind",
    "LookAtEdges",
    "Orphan",
    "Severity",
    "check_table",
    "edge_problems",
]


def check_table(
    table: Table, *, read_files: bool = True, look_at_edges: LookAtEdges = edge_problems
) -> CheckReport:
    """What is wrong with the table, all branches and tags included.

    With `read_files` the first and last bytes of every data file are read as well, by `look_at_edges`:
    others than this process may do it. Without it, existence and size are told from one listing.
    """
    findings = Findings(table.location)
    listing = Listing.of(table.io, table.location)
    reader = ManifestReader(table, listing, findings)
    references = References(table, listing, findings, reader)
    for branch in (MAIN_BRANCH, *table.branches.names()):
        references.branch(branch)
    name_schemas(references)
    _check_schemas(table, references)
    if _schema_is_readable(table):
        _check_files(table, references, listing, look_at_edges if read_files else None)
    unknown = None if reader.incomplete is None else f"{reader.incomplete} could not be read"
    orphans = () if unknown else tuple(iter_orphans(table.location, listing.files, reader.used_names))
    return CheckReport(
        str(table.identifier), findings.all(), orphans, unknown, dict(sorted(reader.checked.items()))
    )


def _check_schemas(table: Table, references: References) -> None:
    """Schemas that are named and are not there; damaged ones were met in the listing."""
    present = {branch: _schema_ids(table, branch) for branch, _ in references.schema_pointers}
    for (branch, schema_id), pointers in sorted(references.schema_pointers.items()):
        if schema_id not in present[branch]:
            path = TablePaths(table.location, branch).schema_file(schema_id)
            references.findings.add(
                FindingKind.MISSING, "schema", path, "is not there", pointed_by=tuple(pointers)
            )


def _schema_ids(table: Table, branch: str) -> set[int]:
    view = table if branch == table.branch else table.with_branch(branch)
    return set(view.schemas.ids())


def _schema_is_readable(table: Table) -> bool:
    """Whether partitions can be decoded; if not, that is a finding already."""
    try:
        return table.schema is not None
    except PaimonError:
        return False


def _check_files(table: Table, references: References, listing: Listing, look: LookAtEdges | None) -> None:
    findings, reader = references.findings, references.reader
    files = DataFiles.of(table, references.required)
    removals = Removals(tuple(references.deltas))
    reader.checked["data files"] = files.table.num_rows
    check_data_files(table.io, files, listing, findings, removals, look)
    reader.checked["extra files"] = check_companions(table.io, files, listing, findings, reader.count)
    reader.checked["index files"] = len(references.index_files)
    for entry, pointers in references.index_files.values():
        check_index_file(table, entry, listing, findings, tuple(pointers))
        if entry.index_type not in READ_INDEXES:
            reader.count(f"{entry.index_type} index whose content is not read")
