"""What writers and compactions refuse, by their own list and not only by that of reads."""

from __future__ import annotations

import pytest

from core.errors import UnsupportedError
from core.options import OPTIONS, TableOptions
from core.schema.table_schema import TableSchema
from core.write import support
from core.write.support import check_writable
from tests.builders import schema

REFUSED = {
    "sequence.snapshot-ordering": ("true", "sequence.snapshot-ordering"),
    "pk-clustering-override": ("true", "pk-clustering-override"),
    "write.sequence-number-init-mode": ("snapshot", "write.sequence-number-init-mode = snapshot"),
    "file.format": ("lance", "writing file.format lance"),
    "bucket": ("-2", "writing postponed buckets (bucket = -2)"),
    "manifest.format": ("orc", "manifest.format = orc"),
    "file.format.per.level": ("5:vortex", "writing file.format vortex"),
}

# Writers, commits or compactions do what these say.
HONOURED = """
merge-engine rowkind.field fields.default-aggregate-function
partial-update.remove-record-on-delete partial-update.remove-record-on-sequence-group
aggregation.remove-record-on-delete write-only commit.force-compact compaction.force-up-level-0
full-compaction.delta-commits force-lookup deletion-vectors.enabled deletion-vectors.bitmap64
deletion-vector.index-file.target-size record-level.expire-time record-level.time-field
compaction.delete-ratio-threshold lookup-compact lookup-compact.max-interval lookup-wait
changelog-producer changelog-producer.row-deduplicate changelog-producer.row-deduplicate-ignore-fields
changelog-file.prefix
bucket-key bucket-function.type dynamic-bucket.target-row-num dynamic-bucket.initial-buckets
dynamic-bucket.max-buckets dynamic-bucket.assigner-parallelism index-file-in-data-file-dir
ignore-delete ignore-update-before sequence.field sequence.field.sort-order
primary-key.nullable num-sorted-run.compaction-trigger num-levels
compaction.max-size-amplification-percent compaction.size-ratio compaction.offpeak.start.hour
compaction.offpeak.end.hour compaction.offpeak-ratio compaction.optimization-interval
compaction.file-num-limit compaction.min.file-num
compaction.total-size-threshold compaction.incremental-size-threshold
compaction.small-file-ratio compaction.force-rewrite-all-files source.split.open-file-cost
write-buffer-size write-max-writers-to-spill target-file-size target-file-row-num data-file.prefix
lock.enabled data-file.path-directory data-file.external-paths data-file.external-paths.strategy
data-file.external-paths.specific-fs data-file.external-paths.weights
file.compression file.compression.per.level file.compression.zstd-level file.block-size
file.suffix.include.compression changelog-file.format changelog-file.compression changelog-file.stats-mode
file-index.in-manifest-threshold data-file.thin-mode
manifest.compression manifest.target-file-size manifest.merge-min-count
manifest.full-compaction-threshold-size metadata.stats-mode metadata.stats-mode.per.level
metadata.stats-dense-store metadata.stats-keep-first-n-columns partition.default-name
partition.legacy-name dynamic-partition-overwrite commit.max-retries commit.timeout
commit.min-retry-wait commit.max-retry-wait commit.discard-duplicate-files commit.user-prefix
commit.force-create-snapshot commit.strict-mode.last-safe-snapshot snapshot.ignore-empty-commit
parquet.enable.dictionary overwrite-upgrade data-evolution.enabled blob.target-file-size
row-tracking.enabled row-tracking.partition-group-on-commit branch-merge.enabled
clustering.columns clustering.strategy clustering.incremental zorder.var-length-contribution
"""

# All others by the reason why rows stay right although nothing here looks at them.
HARMLESS = {
    "where and what the table is; what readers refuse is refused for writers too": """
type path branch auto-create primary-key partition query-auth.enabled
alter-column-null-to-not-null.disabled disable-explicit-type-casting add-column-before-partition
metastore.partitioned-table metastore.tag-to-partition
""",
    "belongs to what is refused by its main option or its types": """
deletion-vectors.modifiable
deletion-vectors.merge-on-read
postpone.default-bucket-num
postpone.batch-write-fixed-bucket blob-field
blob-descriptor-field blob-view-field blob-as-descriptor vector-field
vector.file.format vector.target-file-size global-index.column-update-action
""",
    "only speeds reads up, and is not made: table indexes, sorted manifests": """
file-index.read.enabled global-index.enabled
global-index.external-path global-index.row-count-per-shard global-index.thread-num
manifest-sort.enabled manifest-sort.partition-field manifest-sort.max-rewrite-size
""",
    "when somebody compacts: a later compaction, or a longer merge, gives the same rows": """
num-sorted-run.stop-trigger
""",
    "memory, threads, layout inside a file: the same rows": """
cross-partition-upsert.index-ttl cross-partition-upsert.bootstrap-parallelism
bucket-append-ordered local-merge-buffer-size write-buffer-spillable write-buffer-for-append
write.batch-size sort-spill-threshold sort-spill-buffer-size spill-compression
spill-compression.zstd-level local-sort.max-num-file-handles page-size cache-page-size
file-reader-async-threshold async-file-write file-operation.thread-num
read.batch-size
manifest.merge-optimize.enabled manifest.delete-file-drop-stats lookup.cache-file-retention
lookup.cache-max-disk-size lookup.cache-max-memory-size lookup.cache-spill-compression
lookup.cache.bloom.filter.enabled lookup.cache.bloom.filter.fpp
""",
    "what expires, and when: writers here remove nothing": """
changelog.num-retained.min changelog.num-retained.max changelog.time-retained
partition.expiration-time partition.expiration-strategy partition.expiration-check-interval
partition.expiration-max-num partition.expiration-batch-size partition.timestamp-formatter
partition.timestamp-pattern snapshot.num-retained.min snapshot.num-retained.max
snapshot.time-retained snapshot.expire.limit snapshot.expire.execution-mode
snapshot.clean-empty-directories consumer.expiration-time
""",
    "what a commit does besides: tags, marks and callbacks change no row": """
partition.mark-done-action partition.idle-time-to-report-statistic partition.end-input-to-done
snapshot.watermark-idle-timeout commit.callbacks tag.callbacks tag.automatic-creation tag.creation-period
tag.creation-period-duration
tag.creation-delay tag.period-formatter tag.num-retained-max tag.default-time-retained
tag.time-expire-enabled tag.automatic-completion tag.create-success-file tag.batch.customized-name
sink.watermark-time-zone sink.process-time-zone
""",
    "how rows are read": """
consumer-id consumer.mode consumer.ignore-progress consumer.changelog-only scan.mode scan.snapshot-id
scan.tag-name scan.timestamp scan.timestamp-millis scan.watermark scan.version
scan.file-creation-time-millis scan.creation-time-millis incremental-between
incremental-between-timestamp incremental-between-scan-mode incremental-between-tag-to-snapshot
incremental-to-auto-tag scan.bounded.watermark continuous.discovery-interval streaming.read.snapshot.delay
scan.max-splits-per-task scan.manifest.parallelism scan.plan-sort-partition scan.fallback-branch
scan.primary-branch source.split.target-size streaming-read-overwrite streaming-read-append-overwrite
stream-scan-mode batch-scan-mode table-read.sequence-number.enabled
""",
}


@pytest.fixture(autouse=True)
def _reads_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever reads learn some day, the list of writers stands by itself."""
    monkeypatch.setattr(support, "check_readable", lambda schema: None)


def refusal_of(table_schema: TableSchema) -> object:
    with pytest.raises(UnsupportedError) as refusal:
        check_writable(table_schema, TableOptions(table_schema.options))
    return refusal.value.fields["feature"]


@pytest.mark.parametrize("key", sorted(REFUSED))
def test_an_option_that_we_would_write_wrongly_is_refused(key: str) -> None:
    value, feature = REFUSED[key]
    options = {"bucket": "1", key: value}
    assert refusal_of(schema(primary_keys=["k"], options=options)) == feature


def test_every_option_is_refused_or_honoured_or_does_no_harm() -> None:
    decided = [*REFUSED, *HONOURED.split(), *(key for keys in HARMLESS.values() for key in keys.split())]
    assert len(set(decided)) == len(decided)
    assert {option.key for option in OPTIONS.values()} - set(decided) == set()


def test_a_default_is_never_a_reason_to_refuse() -> None:
    options = {o.key: o.default_text for o in OPTIONS.values() if o.default_text is not None}
    check_writable(schema(), TableOptions({**options, "bucket": "1"}))


def test_a_type_that_is_not_written_is_refused_at_any_depth() -> None:
    assert refusal_of(schema({"c": "ARRAY<GEOMETRY>"})) == "type GEOMETRY of column c"


def test_blobs_of_keyed_tables_are_refused() -> None:
    keyed = schema({"k": "INT", "b": "BLOB"}, primary_keys=["k"], options={"bucket": "1"})
    assert refusal_of(keyed) == "type BLOB of column b without data evolution"


@pytest.mark.parametrize(
    ("options", "feature"),
    [
        ({"file.format": "orc"}, "VARIANT in ORC files"),
        ({"file.format.per.level": "5:avro"}, "VARIANT in Avro files"),
        ({"changelog-file.format": "orc"}, "VARIANT in ORC files"),
    ],
)
def test_a_type_that_a_format_does_not_hold_is_refused(options: dict[str, str], feature: str) -> None:
    keyed = schema(
        {"k": "INT", "c": "ARRAY<VARIANT>"}, primary_keys=["k"], options={"bucket": "1", **options}
    )
    assert refusal_of(keyed) == feature
