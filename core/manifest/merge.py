"""The merge of manifests before each commit, so that lists stay short. Spec: 02, 5.1.

What to do is decided on the list records alone (`plan_merge`); doing it (`apply_merge`) reads
and writes only the manifests that the decision names.

- Full: the manifests that hold DELETE entries or are small weigh as much as the threshold.
  All entries that are cancelled go away. Manifests that no DELETE can touch stay as they are.
- Minor: runs of neighbours are joined once they weigh a target size, or are very many. Their
  order stays, and so does a DELETE whose ADD lies in an earlier manifest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from core.manifest.columns import EntryColumns
from core.manifest.manifest_list import ManifestFileMeta
from core.manifest.store import ManifestStore
from core.manifest.writer import ManifestWriter
from core.options import (
    MANIFEST_FULL_COMPACTION_SIZE,
    MANIFEST_MERGE_MIN_COUNT,
    MANIFEST_TARGET_FILE_SIZE,
    TableOptions,
)

MayContain: TypeAlias = Callable[[ManifestFileMeta, Sequence[bytes]], bool]
"""Whether a manifest can hold an entry of one of some partitions (serialized rows)."""


@dataclass(frozen=True, slots=True)
class MergeSettings:
    target_size: int = 8 << 20  # bytes
    min_count: int = 30
    full_size: int = 16 << 20  # bytes

    def of_all(self) -> MergeSettings:
        """The same for a merge of all manifests, however few."""
        return replace(self, min_count=1, full_size=1)

    @staticmethod
    def of(options: TableOptions) -> MergeSettings:
        return MergeSettings(
            options.get(MANIFEST_TARGET_FILE_SIZE),
            options.get(MANIFEST_MERGE_MIN_COUNT),
            options.get(MANIFEST_FULL_COMPACTION_SIZE),
        )

    def must_rewrite(self, meta: ManifestFileMeta) -> bool:
        """Whether a full merge cannot leave the manifest as it is."""
        return meta.num_deleted_files > 0 or meta.file_size < self.target_size


@dataclass(frozen=True, slots=True)
class FullMerge:
    """Rewrite the changed manifests without what is cancelled."""

    manifests: tuple[ManifestFileMeta, ...]


@dataclass(frozen=True, slots=True)
class MinorMerge:
    """Join each group of neighbours into one; a group of one stays as it is."""

    groups: tuple[tuple[ManifestFileMeta, ...], ...]

    @property
    def changes_nothing(self) -> bool:
        return all(len(group) == 1 for group in self.groups)


def plan_merge(manifests: Sequence[ManifestFileMeta], settings: MergeSettings) -> FullMerge | MinorMerge:
    """What to do with the manifests of base + delta of the previous snapshot, in order."""
    changed = sum(m.file_size for m in manifests if settings.must_rewrite(m))
    if changed >= settings.full_size and len(manifests) > 1:
        return FullMerge(tuple(manifests))
    return plan_minor_merge(manifests, settings)


def plan_minor_merge(manifests: Sequence[ManifestFileMeta], settings: MergeSettings) -> MinorMerge:
    groups: list[tuple[ManifestFileMeta, ...]] = []
    candidates: list[ManifestFileMeta] = []
    for meta in manifests:
        candidates.append(meta)
        if sum(m.file_size for m in candidates) >= settings.target_size:
            groups.append(tuple(candidates))
            candidates = []
    if len(candidates) >= settings.min_count:
        groups.append(tuple(candidates))
    else:
        groups += [(meta,) for meta in candidates]
    return MinorMerge(tuple(groups))


def manifests_to_rewrite(
    manifests: Sequence[ManifestFileMeta], settings: MergeSettings
) -> list[ManifestFileMeta]:
    """Those that a merge of all that there are would replace; none where it would win nothing.

    It wins if DELETE entries go, or if what is small fits into fewer manifests.
    """
    found = [meta for meta in manifests if settings.must_rewrite(meta)]
    needed = -(-sum(meta.file_size for meta in found) // settings.target_size)
    wins = any(meta.num_deleted_files for meta in found) or needed < len(found)
    return found if wins else []


def merge_manifests(
    manifests: Sequence[ManifestFileMeta],
    settings: MergeSettings,
    store: ManifestStore,
    writer: ManifestWriter,
    may_contain: MayContain,
) -> list[ManifestFileMeta]:
    """The manifests of the next base list: the same live files, in fewer or smaller manifests."""
    plan = plan_merge(manifests, settings)
    if isinstance(plan, FullMerge):
        merged = _full_merge(plan, settings, store, writer, may_contain)
        if merged is not None:
            return merged
        plan = plan_minor_merge(manifests, settings)
    return [meta for group in plan.groups for meta in _joined(group, store, writer)]


def _joined(
    group: Sequence[ManifestFileMeta], store: ManifestStore, writer: ManifestWriter
) -> list[ManifestFileMeta]:
    if len(group) == 1:
        return list(group)
    return writer.write_manifests(store.read_entries(group).live())


def _full_merge(
    plan: FullMerge,
    settings: MergeSettings,
    store: ManifestStore,
    writer: ManifestWriter,
    may_contain: MayContain,
) -> list[ManifestFileMeta] | None:
    """None where there is at most one manifest to rewrite: nothing would be won."""
    changed = _touched_partitions(plan.manifests, store)
    keep: list[ManifestFileMeta] = []
    rewrite: list[ManifestFileMeta] = []
    for meta in plan.manifests:
        untouched = not settings.must_rewrite(meta) and not (changed and may_contain(meta, changed))
        (keep if untouched else rewrite).append(meta)
    if len(rewrite) <= 1:
        return None
    parts = [store.read_entries([meta]) for meta in rewrite]
    standing = _split(EntryColumns.concat(parts).standing(), parts)
    rewritten = []
    for meta, part, stands in zip(rewrite, parts, standing, strict=True):
        if not settings.must_rewrite(meta) and stands.all():
            keep.append(meta)
        else:
            rewritten.append(part.filter(stands).adds())
    return keep + writer.write_manifests(EntryColumns.concat(rewritten))


def _touched_partitions(manifests: Sequence[ManifestFileMeta], store: ManifestStore) -> list[bytes]:
    """Distinct partitions of all DELETE entries."""
    entries = store.read_entries([m for m in manifests if m.num_deleted_files])
    partitions: list[Any] = entries.deletes().column("partition").unique().to_pylist()
    return partitions


def _split(
    mask: np.ndarray[tuple[int], np.dtype[np.bool_]], parts: Sequence[EntryColumns]
) -> list[np.ndarray[tuple[int], np.dtype[np.bool_]]]:
    ends = np.cumsum([len(part) for part in parts])[:-1]
    return list(np.split(mask, ends))
