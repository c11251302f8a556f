"""Manifests: which data files a snapshot has, and what each commit changed."""

from core.manifest.columns import ENTRY_SCHEMA, EntryColumns, decode_manifests
from core.manifest.encode import encode_manifest
from core.manifest.entry import FileIdentifier, FileKind, ManifestEntry, merge_entries
from core.manifest.file_meta import DataFileMeta, FileSource
from core.manifest.index_manifest import (
    DeletionVectorRange,
    GlobalIndexMeta,
    IndexManifestEntry,
    decode_index_manifest,
    encode_index_manifest,
)
from core.manifest.manifest_list import ManifestFileMeta, decode_manifest_list, encode_manifest_list
from core.manifest.merge import MergeSettings, merge_manifests, plan_merge
from core.manifest.partitions import partitions_by_stats
from core.manifest.store import ManifestStore
from core.manifest.writer import ManifestWriter, WrittenList

__all__ = [
    "ENTRY_SCHEMA",
    "DataFileMeta",
    "DeletionVectorRange",
    "EntryColumns",
    "FileIdentifier",
    "FileKind",
    "FileSource",
    "GlobalIndexMeta",
    "IndexManifestEntry",
    "ManifestEntry",
    "ManifestFileMeta",
    "ManifestStore",
    "ManifestWriter",
    "MergeSettings",
    "WrittenList",
    "decode_index_manifest",
    "decode_manifest_list",
    "decode_manifests",
    "encode_index_manifest",
    "encode_manifest",
    "encode_manifest_list",
    "merge_entries",
    "merge_manifests",
    "partitions_by_stats",
    "plan_merge",
]
