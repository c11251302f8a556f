"""View data for people: levels and their pressure, changes, comparisons, lineage, indexes. Design: 6.

Everything here is neutral: values and totals, no drawing and no JSON.
"""

from core.inspect.changes import (
    FileTotals,
    LevelFlow,
    SnapshotChanges,
    read_changelog,
    read_changes,
)
from core.inspect.compare import LevelTotals, SnapshotComparison, compare_snapshots
from core.inspect.deletion_vectors import BucketVectors, list_deletion_vectors
from core.inspect.file_indexes import (
    DataFileIndexes,
    FileIndexes,
    IndexDetail,
    IndexOverview,
    LevelCoverage,
    list_file_indexes,
    read_file_indexes,
)
from core.inspect.freshness import Freshness, measure_freshness, skips_level_0
from core.inspect.levels import (
    BucketLevels,
    CompactionRule,
    LevelFile,
    LevelSummary,
    NextCompaction,
    read_levels,
)
from core.inspect.lineage import FileLineage, trace_file
from core.inspect.manifest_tree import (
    IndexManifestNode,
    ManifestListNode,
    ManifestNode,
    ManifestTree,
    read_manifest_tree,
)
from core.inspect.pressure import BucketPressure, list_pressure
from core.inspect.probe import KeyProbe, ProbedFile, probe_key
from core.inspect.schema_diff import (
    ChangeKind,
    FieldChange,
    FieldDiff,
    FieldSide,
    KeyChange,
    OptionChange,
    SchemaDiff,
    diff_options,
    diff_schemas,
    mask_option,
)
from core.inspect.schema_usage import (
    ReadEffect,
    Reading,
    SchemaUsage,
    effects_on_reads,
    measure_schema_usage,
)
from core.inspect.selection import BucketFiles, select_bucket
from core.inspect.type_change import TypeChange

__all__ = [
    "BucketFiles",
    "BucketLevels",
    "BucketPressure",
    "BucketVectors",
    "ChangeKind",
    "CompactionRule",
    "DataFileIndexes",
    "FieldChange",
    "FieldDiff",
    "FieldSide",
    "FileIndexes",
    "FileLineage",
    "FileTotals",
    "Freshness",
    "IndexDetail",
    "IndexManifestNode",
    "IndexOverview",
    "KeyChange",
    "KeyProbe",
    "LevelCoverage",
    "LevelFile",
    "LevelFlow",
    "LevelSummary",
    "LevelTotals",
    "ManifestListNode",
    "ManifestNode",
    "ManifestTree",
    "NextCompaction",
    "OptionChange",
    "ProbedFile",
    "ReadEffect",
    "Reading",
    "SchemaDiff",
    "SchemaUsage",
    "SnapshotChanges",
    "SnapshotComparison",
    "TypeChange",
    "compare_snapshots",
    "diff_options",
    "diff_schemas",
    "effects_on_reads",
    "list_deletion_vectors",
    "list_file_indexes",
    "list_pressure",
    "mask_option",
    "measure_freshness",
    "measure_schema_usage",
    "probe_key",
    "read_changelog",
    "read_changes",
    "read_file_indexes",
    "read_levels",
    "read_manifest_tree",
    "select_bucket",
    "skips_level_0",
    "trace_file",
]
