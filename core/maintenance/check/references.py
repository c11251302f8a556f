"""Follows metadata from a table's branches down to the files that their snapshots need.

Of a run of consecutive snapshots the first gives all its live files and each later one only
what its delta adds, so together they give every file that any of them needs, once.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from core.errors import PaimonError
from core.io import MAIN_BRANCH, TablePaths
from core.io.decoding import read_decoded
from core.io.json_object import JsonObject
from core.maintenance.check.finding import FindingKind, Findings, Severity
from core.maintenance.check.listing import Listing
from core.maintenance.check.manifest_reader import ManifestReader
from core.manifest import EntryColumns, IndexManifestEntry
from core.snapshot import (
    ChangelogStore,
    CommitKind,
    Snapshot,
    SnapshotStore,
    UnreadableConsumer,
    UnreadableSnapshot,
    UnreadableTag,
)
from core.snapshot.hints import parse_hint
from core.table import Table


@dataclass(frozen=True, slots=True)
class Required:
    """Files that one root needs."""

    pointer: str  # "snapshot 4", "tag v1 of branch dev"
    branch: str
    snapshot: Snapshot
    entries: EntryColumns
    is_changelog: bool = False


@dataclass(frozen=True, slots=True)
class Delta:
    """What one snapshot of a branch changed."""

    branch: str
    snapshot_id: int
    entries: EntryColumns


@dataclass(slots=True)
class References:
    """What was reached so far, and the faults met on the way."""

    table: Table
    listing: Listing
    findings: Findings
    reader: ManifestReader
    required: list[Required] = field(default_factory=list)
    deltas: list[Delta] = field(default_factory=list)
    index_files: dict[str, tuple[IndexManifestEntry, list[str]]] = field(default_factory=dict)
    schema_pointers: dict[tuple[str, int], list[str]] = field(default_factory=dict)

    def branch(self, name: str) -> None:
        """Everything that a branch holds."""
        view = self.table if name == self.table.branch else self.table.with_branch(name)
        where = "" if name == MAIN_BRANCH else f" of branch {name}"
        paths = TablePaths(self.table.location, name)
        self._schemas(view, paths)
        self._hints(view.snapshots, paths.snapshot_dir, "snapshot", where)
        self._hints(view.changelogs, paths.changelog_dir, "changelog", where)
        self._snapshots(view, paths, name, where)
        self._changelogs(view, paths, name, where)
        self._tags(view, paths, name, where)
        self._consumers(view, paths, where)

    def _schemas(self, view: Table, paths: TablePaths) -> None:
        for schema_id in view.schemas.ids():
            self.reader.count("schemas")
            try:
                view.schemas.get(schema_id)
            except PaimonError as error:
                self.findings.add_error("schema", paths.schema_file(schema_id), error)

    def _hints(self, store: SnapshotStore | ChangelogStore, directory: str, what: str, where: str) -> None:
        report = store.hint_report()
        for gap in report.gaps:
            self.reader.lost(f"{what} {gap}{where}")  # what it named may be needed to repair it
            self.findings.add(
                FindingKind.GAP,
                what,
                f"{directory}/{what}-{gap}",
                f"id {gap} is missing between {report.earliest} and {report.latest}",
                pointed_by=(f"the {what} ids{where}",),
            )
        self._hint("EARLIEST", report.earliest_hint, report.earliest, directory, what)
        self._hint("LATEST", report.latest_hint, report.latest, directory, what)

    def _hint(self, name: str, hint: str | None, listed: int | None, directory: str, what: str) -> None:
        """A hint that readers get past is a warning; one that leads them astray is an error."""
        if hint is None or hint.strip() == str(listed):
            return
        astray = name == "LATEST" and _is_trusted(hint, listed)
        self.findings.add(
            FindingKind.HINT,
            "hint",
            f"{directory}/{name}",
            f"{name} and the listing of {what}s disagree"
            + (f": readers that trust it do not find {what} {listed}" if astray else ""),
            severity=Severity.ERROR if astray else Severity.WARNING,
            expected=listed,
            found=repr(hint.strip()[:40]),
        )

    def _snapshots(self, view: Table, paths: TablePaths, branch: str, where: str) -> None:
        last: Snapshot | None = None
        unreadable: list[UnreadableSnapshot] = []
        for snapshot in view.snapshots.examine():
            self.reader.count("snapshots")
            if isinstance(snapshot, UnreadableSnapshot):
                unreadable.append(snapshot)
                continue
            follows = last is not None and snapshot.id == last.id + 1
            other = follows and last is not None and self._of_another_history(paths, last, snapshot)
            self._snapshot(
                snapshot, f"snapshot {snapshot.id}{where}", branch, continues=follows and not other
            )
            last = snapshot
        latest_hint = view.snapshots.hint_report().latest_hint
        for bad in unreadable:
            self.reader.lost(f"snapshot {bad.id}{where}")
            good = f"the last good snapshot is {last.id}" if last else "no snapshot is readable"
            self.findings.add_error(
                "snapshot",
                paths.snapshot_file(bad.id),
                bad.error,
                pointed_by=("LATEST",) if (latest_hint or "").strip() == str(bad.id) else (),
                note=f"; {good}",
            )

    def _of_another_history(self, paths: TablePaths, before: Snapshot, snapshot: Snapshot) -> bool:
        """Whether the counts of rows show that the snapshot was not made from the one before; a finding then.

        So it is where a commit took an id that was missing: what it wrote is in no later snapshot.
        """
        rows, changed, had = (
            snapshot.total_record_count, snapshot.delta_record_count, before.total_record_count
        )  # fmt: skip
        if rows is None or changed is None or had is None or rows == had + changed:
            return False
        self.findings.add(
            FindingKind.WRONG_CONTENT,
            "snapshot",
            paths.snapshot_file(snapshot.id),
            f"does not continue snapshot {before.id}: what that committed is not in the later ones",
            expected=f"{had + changed} rows in files",
            found=rows,
        )
        return True

    def _changelogs(self, view: Table, paths: TablePaths, branch: str, where: str) -> None:
        for changelog in view.changelogs.examine():
            self.reader.count("changelogs")
            if isinstance(changelog, UnreadableSnapshot):
                self.reader.lost(f"changelog {changelog.id}{where}")
                self.findings.add_error("changelog", paths.changelog_file(changelog.id), changelog.error)
                continue
            pointer = f"changelog {changelog.id}{where}"
            self._names(changelog)
            if changelog.changelog_manifest_list:
                self._changelog_files(changelog, pointer, branch)
            elif changelog.commit_kind not in (CommitKind.COMPACT, CommitKind.ANALYZE):
                # The delta list is kept in its place, and those of its files that were not compacted away.
                metas = self.reader.manifest_list(changelog.delta_manifest_list, None, pointer)
                self.reader.entries(metas, f"the delta list of {pointer}")

    def _tags(self, view: Table, paths: TablePaths, branch: str, where: str) -> None:
        kept = set(view.snapshots.ids())
        for tag in view.tags.examine():
            self.reader.count("tags")
            if isinstance(tag, UnreadableTag):
                self.reader.lost(f"tag {tag.name}{where}")
                self.findings.add_error("tag", paths.tag_file(tag.name), tag.error)
                continue
            pointer = f"tag {tag.name}{where}"
            same = tag.snapshot.id in kept and self._is_kept(view, tag.snapshot)
            self._snapshot(tag.snapshot, pointer, branch, continues=same)

    @staticmethod
    def _is_kept(view: Table, snapshot: Snapshot) -> bool:
        """Whether the snapshot that a tag copied is still there itself."""
        try:
            return view.snapshots.get(snapshot.id).identity == snapshot.identity
        except PaimonError:
            return False  # reported with the snapshots; the tag then stands for itself

    def _consumers(self, view: Table, paths: TablePaths, where: str) -> None:
        for consumer in view.consumers.examine():
            self.reader.count("consumers")
            if isinstance(consumer, UnreadableConsumer):
                path = paths.consumer_file(consumer.id)
                self.findings.add_error("consumer", path, consumer.error, severity=Severity.WARNING)

    def _snapshot(self, snapshot: Snapshot, pointer: str, branch: str, *, continues: bool) -> None:
        """All that a snapshot names; `continues` if its predecessor was looked at just before."""
        self._names(snapshot)
        self.schema_pointers.setdefault((branch, snapshot.schema_id), []).append(pointer)
        base = self.reader.manifest_list(
            snapshot.base_manifest_list, snapshot.base_manifest_list_size, pointer
        )
        delta = self.reader.manifest_list(
            snapshot.delta_manifest_list, snapshot.delta_manifest_list_size, pointer
        )
        before = self.reader.entries(base, f"the base list of {pointer}")
        changes = self.reader.entries(delta, f"the delta list of {pointer}")
        if pointer.startswith("snapshot "):
            self.deltas.append(Delta(branch, snapshot.id, changes))
        needed = changes.adds() if continues else self._live(snapshot, pointer, [before, changes])
        self.required.append(Required(pointer, branch, snapshot, needed))
        if snapshot.changelog_manifest_list and pointer.startswith("snapshot "):
            # The changelog of a tag expires with its snapshot.
            self._changelog_files(snapshot, pointer, branch)
        if snapshot.index_manifest:
            self._index_files(snapshot.index_manifest, pointer)
        if snapshot.statistics:
            self._statistics(snapshot.statistics, pointer)

    def _live(self, snapshot: Snapshot, pointer: str, parts: list[EntryColumns]) -> EntryColumns:
        entries = EntryColumns.concat(parts)
        try:
            return entries.live().adds()
        except PaimonError as error:
            path = TablePaths(self.table.location).manifest_file(snapshot.delta_manifest_list)
            self.findings.add_error("manifest entries", path, error, pointed_by=(pointer,))
            return entries.adds()

    def _changelog_files(self, snapshot: Snapshot, pointer: str, branch: str) -> None:
        name = snapshot.changelog_manifest_list or ""
        metas = self.reader.manifest_list(name, snapshot.changelog_manifest_list_size, pointer)
        entries = self.reader.entries(metas, f"the changelog list of {pointer}")
        self.required.append(Required(pointer, branch, snapshot, entries.adds(), is_changelog=True))

    def _names(self, snapshot: Snapshot) -> None:
        names = (
            snapshot.base_manifest_list,
            snapshot.delta_manifest_list,
            snapshot.changelog_manifest_list,
            snapshot.index_manifest,
            snapshot.statistics,
        )
        self.reader.used_names.update(name for name in names if name)

    def _index_files(self, name: str, pointer: str) -> None:
        for entry in self.reader.index_manifest(name, pointer):
            self.index_files.setdefault(entry.file_name, (entry, []))[1].append(pointer)

    def _statistics(self, name: str, pointer: str) -> None:
        path = TablePaths(self.table.location).statistics_file(name)
        try:
            read_decoded(self.table.io, path, JsonObject.parse)
        except PaimonError as error:
            warning = Severity.WARNING
            self.findings.add_error("statistics", path, error, pointed_by=(pointer,), severity=warning)


def _is_trusted(hint: str, listed: int | None) -> bool:
    """Whether Paimon follows a LATEST that is wrong: it does unless the next id exists. Spec: 01, 3."""
    latest = parse_hint(hint)
    return latest is not None and (listed is None or latest >= listed)
