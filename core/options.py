"""Every table option once: key, type, default, meaning. Spec: 04, D.

`TableOptions` reads them from a table's map of texts. Options of a family (`fields.<f>.*`,
`file-index.<type>.columns`) are in `FAMILIES`; what is in neither is kept and not understood.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Generic, TypeVar

from core.errors import InvalidRequestError

T = TypeVar("T")
E = TypeVar("E", bound=StrEnum)


@dataclass(frozen=True, slots=True)
class Option(Generic[T]):
    """One option. `default_text` None means that there is no default and `get` may give None."""

    key: str
    parse: Callable[[str], T]
    default_text: str | None
    meaning: str
    old_keys: tuple[str, ...] = ()  # read when `key` is not set

    @property
    def default(self) -> T:
        """The typed default; None where there is none (T then includes None)."""
        return None if self.default_text is None else self.parse(self.default_text)  # type: ignore[return-value]


@dataclass(frozen=True, slots=True)
class OptionFamily:
    """Options whose key holds a column, index type or level."""

    pattern: str
    meaning: str


# --- values ------------------------------------------------------------------------

_SIZE_UNITS = {
    **dict.fromkeys(("", "b", "bytes"), 1),
    **dict.fromkeys(("k", "kb", "kibibytes"), 1 << 10),
    **dict.fromkeys(("m", "mb", "mebibytes"), 1 << 20),
    **dict.fromkeys(("g", "gb", "gibibytes"), 1 << 30),
    **dict.fromkeys(("t", "tb", "tebibytes"), 1 << 40),
}
_DURATION_NANOS = {
    **dict.fromkeys(("d", "day", "days"), 86_400 * 10**9),
    **dict.fromkeys(("h", "hour", "hours"), 3_600 * 10**9),
    **dict.fromkeys(("m", "min", "minute", "minutes"), 60 * 10**9),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), 10**9),
    **dict.fromkeys(("", "ms", "milli", "millis", "millisecond", "milliseconds"), 10**6),
    **dict.fromkeys(("us", "µs", "micro", "micros", "microsecond", "microseconds"), 10**3),
    **dict.fromkeys(("ns", "nano", "nanos", "nanosecond", "nanoseconds"), 1),
}
_AMOUNT = re.compile(r"\s*([0-9]+)\s*([^\s0-9]*)\s*")


def parse_size(text: str) -> int:
    """Bytes of `128 mb`, `500 B`, `64kb`; a bare number is bytes, units are powers of 1024."""
    return _amount(text, _SIZE_UNITS, "a size, such as 128 mb")


def parse_duration(text: str) -> timedelta:
    """The time of `1 h`, `10 s`, `3d`; a bare number is milliseconds."""
    nanos = _amount(text, _DURATION_NANOS, "a duration, such as 10 s")
    try:
        return timedelta(microseconds=nanos // 1000)
    except OverflowError as error:
        raise _bad(text, "a duration below 999999999 days") from error


def _amount(text: str, units: Mapping[str, int], expected: str) -> int:
    match = _AMOUNT.fullmatch(text)
    unit = units.get(match.group(2).lower()) if match else None
    if match is None or unit is None:
        raise _bad(text, expected)
    return int(match.group(1)) * unit


def parse_boolean(text: str) -> bool:
    """`true` or `false`, in any case."""
    value = {"true": True, "false": False}.get(text.strip().lower())
    if value is None:
        raise _bad(text, "true or false")
    return value


def parse_integer(text: str) -> int:
    """A decimal integer that fits into 64 bits."""
    stripped = text.strip()
    if not re.fullmatch(r"[+-]?[0-9]{1,19}", stripped) or not -(1 << 63) <= int(stripped) < 1 << 63:
        raise _bad(text, "an integer")
    return int(stripped)


def parse_number(text: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        raise _bad(text, "a number") from error


def parse_list(text: str) -> tuple[str, ...]:
    """The trimmed parts between commas; blank parts are dropped."""
    return tuple(part.strip() for part in text.split(",") if part.strip())


def parse_level_map(text: str) -> dict[int, str]:
    """`0:avro,3:parquet` by level."""
    pairs = [part.partition(":") for part in parse_list(text)]
    if any(not colon or not value.strip() for _, colon, value in pairs):
        raise _bad(text, "level:value, level:value")
    return {parse_integer(level): value.strip() for level, _, value in pairs}


def parse_text(text: str) -> str:
    return text


def parse_enum(kind: type[E]) -> Callable[[str], E]:
    """A parser of the enum's values, in any case, `_` for `-` allowed."""

    def parse(text: str) -> E:
        wanted = text.strip().lower().replace("_", "-")
        for member in kind:
            if member.value.lower().replace("_", "-") == wanted:
                return member
        raise _bad(text, " or ".join(member.value for member in kind))

    return parse


def _bad(text: str, expected: str) -> InvalidRequestError:
    return InvalidRequestError("not a legal option value", value=repr(text), expected=expected)


class MergeEngine(StrEnum):
    DEDUPLICATE = "deduplicate"
    PARTIAL_UPDATE = "partial-update"
    AGGREGATION = "aggregation"
    FIRST_ROW = "first-row"


class ChangelogProducer(StrEnum):
    NONE = "none"
    INPUT = "input"
    FULL_COMPACTION = "full-compaction"
    LOOKUP = "lookup"


class BucketFunction(StrEnum):
    DEFAULT = "default"
    MOD = "mod"
    HIVE = "hive"


class SortOrder(StrEnum):
    ASCENDING = "ascending"
    DESCENDING = "descending"


class ExpireExecution(StrEnum):
    SYNC = "sync"
    ASYNC = "async"


class PartitionExpireStrategy(StrEnum):
    VALUES_TIME = "values-time"
    UPDATE_TIME = "update-time"


class ConsumerMode(StrEnum):
    EXACTLY_ONCE = "exactly-once"
    AT_LEAST_ONCE = "at-least-once"


class TagCreation(StrEnum):
    NONE = "none"
    PROCESS_TIME = "process-time"
    WATERMARK = "watermark"
    BATCH = "batch"


class ScanMode(StrEnum):
    DEFAULT = "default"
    LATEST_FULL = "latest-full"
    FULL = "full"
    LATEST = "latest"
    LATEST_DELTA = "latest-delta"
    FROM_TIMESTAMP = "from-timestamp"
    FROM_SNAPSHOT = "from-snapshot"
    FROM_SNAPSHOT_FULL = "from-snapshot-full"
    FROM_FILE_CREATION_TIME = "from-file-creation-time"
    FROM_CREATION_TIMESTAMP = "from-creation-timestamp"
    COMPACTED_FULL = "compacted-full"
    INCREMENTAL = "incremental"


class IncrementalScanMode(StrEnum):
    AUTO = "auto"
    DELTA = "delta"
    CHANGELOG = "changelog"
    DIFF = "diff"


# --- the table ---------------------------------------------------------------------

_ALL: dict[str, Option[object]] = {}


def _option(key: str, parse: Callable[[str], T], default: str, meaning: str, *old_keys: str) -> Option[T]:
    option = Option(key, parse, default, meaning, old_keys)
    _ALL[key] = option  # type: ignore[assignment]
    return option


def _unset(key: str, parse: Callable[[str], T], meaning: str, *old_keys: str) -> Option[T | None]:
    option: Option[T | None] = Option(key, parse, None, meaning, old_keys)
    _ALL[key] = option  # type: ignore[assignment]
    return option


def _flag(key: str, default: bool, meaning: str, *old_keys: str) -> Option[bool]:
    return _option(key, parse_boolean, str(default).lower(), meaning, *old_keys)


def _text(key: str, meaning: str, *old_keys: str) -> Option[str | None]:
    return _unset(key, parse_text, meaning, *old_keys)


def _int(key: str, default: int, meaning: str) -> Option[int]:
    return _option(key, parse_integer, str(default), meaning)


def _size(key: str, default: str, meaning: str) -> Option[int]:
    return _option(key, parse_size, default, meaning)


def _duration(key: str, default: str, meaning: str) -> Option[timedelta]:
    return _option(key, parse_duration, default, meaning)


_MAX_LONG = 2**63 - 1
_MAX_INT = 2**31 - 1

# kind and place
TYPE = _option("type", parse_text, "table", "kind of table")
PATH = _text("path", "location of the table")
BRANCH = _option("branch", parse_text, "main", "branch that is read and written")
AUTO_CREATE = _flag("auto-create", False, "create the table's storage when it is missing")

# keys and buckets
POSTPONE_BUCKET = -2  # as the value of `bucket`, and as the bucket of files that wait for theirs
BUCKET = _int("bucket", -1, "number of buckets; -1 dynamic or unaware, -2 postponed")
BUCKET_KEY = _option(
    "bucket-key", parse_list, "", "columns that choose the bucket; default: the trimmed primary key"
)
BUCKET_FUNCTION = _option(
    "bucket-function.type", parse_enum(BucketFunction), "default", "how a key chooses its bucket"
)
BUCKET_APPEND_ORDERED = _flag("bucket-append-ordered", True, "keep the order of writing in each bucket")
PRIMARY_KEY = _option("primary-key", parse_list, "", "primary key in DDL; moved into the schema")
PARTITION = _option("partition", parse_list, "", "partition keys in DDL; moved into the schema")
PRIMARY_KEY_NULLABLE = _flag("primary-key.nullable", False, "allow null in primary key columns")

# merging
MERGE_ENGINE = _option(
    "merge-engine", parse_enum(MergeEngine), "deduplicate", "how the versions of a key become one row"
)
IGNORE_DELETE = _flag(
    "ignore-delete",
    False,
    "drop -D and -U rows",
    "first-row.ignore-delete",
    "deduplicate.ignore-delete",
    "partial-update.ignore-delete",
    "aggregation.ignore-delete",
)
IGNORE_UPDATE_BEFORE = _flag("ignore-update-before", False, "drop -U rows")
SEQUENCE_FIELD = _option("sequence.field", parse_list, "", "columns that order the versions of a key")
SEQUENCE_FIELD_SORT_ORDER = _option(
    "sequence.field.sort-order", parse_enum(SortOrder), "ascending", "which version of a key is the newest"
)
SEQUENCE_SNAPSHOT_ORDERING = _flag("sequence.snapshot-ordering", False, "the snapshot id orders versions")
SEQUENCE_INIT_MODE = _option(
    "write.sequence-number-init-mode", parse_text, "scan", "where writers find the last sequence number"
)
ROWKIND_FIELD = _text("rowkind.field", "column that holds +I, -U, +U or -D")
PARTIAL_UPDATE_REMOVE_ON_DELETE = _flag(
    "partial-update.remove-record-on-delete", False, "a -D removes the whole row"
)
PARTIAL_UPDATE_REMOVE_ON_SEQUENCE_GROUP = _option(
    "partial-update.remove-record-on-sequence-group", parse_list, "", "groups whose -D removes the whole row"
)
AGGREGATION_REMOVE_ON_DELETE = _flag(
    "aggregation.remove-record-on-delete", False, "a -D removes the whole row"
)
DEFAULT_AGGREGATE_FUNCTION = _text("fields.default-aggregate-function", "aggregate of columns that name none")

# changelog
CHANGELOG_PRODUCER = _option(
    "changelog-producer", parse_enum(ChangelogProducer), "none", "who writes changelog files"
)
CHANGELOG_ROW_DEDUPLICATE = _flag(
    "changelog-producer.row-deduplicate", False, "leave out -U and +U of equal rows"
)
CHANGELOG_ROW_DEDUPLICATE_IGNORE = _option(
    "changelog-producer.row-deduplicate-ignore-fields", parse_list, "", "columns left out of that comparison"
)
CHANGELOG_FILE_PREFIX = _option(
    "changelog-file.prefix", parse_text, "changelog-", "start of changelog file names"
)
CHANGELOG_FILE_FORMAT = _text("changelog-file.format", "format of changelog files; default: as data files")
CHANGELOG_FILE_COMPRESSION = _text("changelog-file.compression", "codec of changelog files")
CHANGELOG_FILE_STATS_MODE = _text("changelog-file.stats-mode", "statistics of changelog files")
CHANGELOG_NUM_RETAINED_MIN = _unset(
    "changelog.num-retained.min", parse_integer, "changelogs kept at least; default: as snapshots"
)
CHANGELOG_NUM_RETAINED_MAX = _unset("changelog.num-retained.max", parse_integer, "changelogs kept at most")
CHANGELOG_TIME_RETAINED = _unset(
    "changelog.time-retained", parse_duration, "age to which changelogs are kept"
)

# compaction
FULL_COMPACTION_DELTA_COMMITS = _unset(
    "full-compaction.delta-commits", parse_integer, "commits between full compactions"
)
NUM_SORTED_RUN_TRIGGER = _int("num-sorted-run.compaction-trigger", 5, "sorted runs that start a compaction")
NUM_SORTED_RUN_STOP = _unset(
    "num-sorted-run.stop-trigger", parse_integer, "sorted runs at which writes wait; default: trigger + 3"
)
NUM_LEVELS = _unset("num-levels", parse_integer, "levels of the merge tree; default: trigger + 1")
COMPACTION_MAX_SIZE_AMPLIFICATION = _int(
    "compaction.max-size-amplification-percent", 200, "size above the last run that forces a full compaction"
)
COMPACTION_SIZE_RATIO = _int("compaction.size-ratio", 1, "percent by which runs may differ to be one pick")
COMPACTION_OFFPEAK_START = _int("compaction.offpeak.start.hour", -1, "first off-peak hour; -1 none")
COMPACTION_OFFPEAK_END = _int("compaction.offpeak.end.hour", -1, "end of the off-peak hours; -1 none")
COMPACTION_OFFPEAK_RATIO = _int("compaction.offpeak-ratio", 0, "size ratio in off-peak hours, percent")
COMPACTION_OPTIMIZATION_INTERVAL = _unset(
    "compaction.optimization-interval", parse_duration, "longest time between full compactions"
)
COMPACTION_TOTAL_SIZE_THRESHOLD = _unset(
    "compaction.total-size-threshold", parse_size, "full compaction while a bucket is smaller"
)
COMPACTION_INCREMENTAL_SIZE_THRESHOLD = _unset(
    "compaction.incremental-size-threshold", parse_size, "full compaction once the new runs are larger"
)
COMPACTION_MIN_FILE_NUM = _int(
    "compaction.min.file-num", 5, "small files that start a compaction (append tables)"
)
COMPACTION_SMALL_FILE_RATIO = _option(
    "compaction.small-file-ratio", parse_number, "0.7", "share of the target size below which a file is small"
)
COMPACTION_DELETE_RATIO = _option(
    "compaction.delete-ratio-threshold", parse_number, "0.2", "share of deleted rows that rewrites a file"
)
COMPACTION_FILE_NUM_LIMIT = _int("compaction.file-num-limit", 100_000, "files in one compaction at most")
COMPACTION_FORCE_UP_LEVEL_0 = _flag("compaction.force-up-level-0", False, "always compact level 0")
COMPACTION_FORCE_REWRITE = _flag(
    "compaction.force-rewrite-all-files", False, "a full compaction rewrites every file"
)
WRITE_ONLY = _flag("write-only", False, "writers neither compact nor expire", "write.compaction-skip")
COMMIT_FORCE_COMPACT = _flag("commit.force-compact", False, "each commit waits for a full compaction")
FORCE_LOOKUP = _flag("force-lookup", False, "look up old values in compactions")
LOOKUP_WAIT = _flag("lookup-wait", True, "a commit waits for the lookup compaction")
LOOKUP_COMPACT = _option("lookup-compact", parse_text, "RADICAL", "when lookup compactions run")
LOOKUP_COMPACT_MAX_INTERVAL = _unset(
    "lookup-compact.max-interval", parse_integer, "commits between gentle lookup compactions"
)
LOCAL_MERGE_BUFFER_SIZE = _unset("local-merge-buffer-size", parse_size, "buffer that merges before shuffling")

# writing
WRITE_BUFFER_SIZE = _size("write-buffer-size", "256 mb", "memory for rows before they are flushed")
WRITE_BUFFER_SPILLABLE = _flag("write-buffer-spillable", True, "a full buffer may go to local disk")
WRITE_BUFFER_FOR_APPEND = _flag("write-buffer-for-append", False, "buffer rows of append tables too")
WRITE_MAX_WRITERS_TO_SPILL = _int(
    "write-max-writers-to-spill", 10, "open writers before append writers spill"
)
WRITE_BATCH_SIZE = _int("write.batch-size", 1024, "rows handed to a file writer at once")
SORT_SPILL_THRESHOLD = _unset(
    "sort-spill-threshold", parse_integer, "sorted readers before spilling; default: stop trigger + 1"
)
SORT_SPILL_BUFFER_SIZE = _size("sort-spill-buffer-size", "64 mb", "memory of a spilling sort")
SPILL_COMPRESSION = _option("spill-compression", parse_text, "zstd", "codec of spilled rows")
SPILL_COMPRESSION_ZSTD_LEVEL = _int("spill-compression.zstd-level", 1, "zstd level of spilled rows")
LOCAL_SORT_MAX_FILES = _int("local-sort.max-num-file-handles", 128, "files merged at once by a sort")
PAGE_SIZE = _size("page-size", "64 kb", "memory page")
CACHE_PAGE_SIZE = _size("cache-page-size", "64 kb", "memory page of caches")
FILE_READER_ASYNC_THRESHOLD = _size(
    "file-reader-async-threshold", "10 mb", "files above this size are read ahead"
)
ASYNC_FILE_WRITE = _flag("async-file-write", True, "write files in the background")
FILE_OPERATION_THREADS = _unset("file-operation.thread-num", parse_integer, "threads for file operations")

# data files
TARGET_FILE_SIZE = _unset(
    "target-file-size", parse_size, "size at which a file is closed; default: 128 mb, append tables 256 mb"
)
TARGET_FILE_ROW_NUM = _int("target-file-row-num", _MAX_LONG, "rows at which a file is closed")
DATA_FILE_PREFIX = _option("data-file.prefix", parse_text, "data-", "start of data file names")
DATA_FILE_PATH_DIRECTORY = _text("data-file.path-directory", "directory of data files below the table")
DATA_FILE_THIN_MODE = _flag("data-file.thin-mode", False, "leave the _KEY_ columns out of data files")
DATA_FILE_EXTERNAL_PATHS = _option(
    "data-file.external-paths", parse_list, "", "roots outside the table for data files"
)
DATA_FILE_EXTERNAL_STRATEGY = _option(
    "data-file.external-paths.strategy", parse_text, "none", "how an external root is chosen"
)
DATA_FILE_EXTERNAL_FS = _text("data-file.external-paths.specific-fs", "scheme for the strategy specific-fs")
DATA_FILE_EXTERNAL_WEIGHTS = _option(
    "data-file.external-paths.weights", parse_list, "", "weights for the strategy weight-robin"
)
INDEX_FILE_IN_DATA_FILE_DIR = _flag(
    "index-file-in-data-file-dir", False, "table index files lie in the bucket directory"
)
FILE_FORMAT = _option("file.format", parse_text, "parquet", "format of data files")
FILE_FORMAT_PER_LEVEL = _option("file.format.per.level", parse_level_map, "", "format by level")
FILE_COMPRESSION = _option("file.compression", parse_text, "zstd", "codec of data files")
FILE_COMPRESSION_PER_LEVEL = _option("file.compression.per.level", parse_level_map, "", "codec by level")
FILE_COMPRESSION_ZSTD_LEVEL = _int("file.compression.zstd-level", 1, "zstd level")
FILE_BLOCK_SIZE = _unset("file.block-size", parse_size, "row group, stripe or block size")
FILE_SUFFIX_COMPRESSION = _flag("file.suffix.include.compression", False, "name the codec in file names")
PARQUET_ENABLE_DICTIONARY = _unset(
    "parquet.enable.dictionary", parse_boolean, "dictionary encoding in Parquet"
)
READ_BATCH_SIZE = _int("read.batch-size", 1024, "rows a file reader returns at once")

# manifests and statistics
MANIFEST_FORMAT = _option("manifest.format", parse_text, "avro", "format of manifests; only Avro is written")
MANIFEST_COMPRESSION = _option("manifest.compression", parse_text, "zstd", "codec of manifests")
MANIFEST_TARGET_FILE_SIZE = _size("manifest.target-file-size", "8 mb", "size at which a manifest is closed")
MANIFEST_MERGE_MIN_COUNT = _int("manifest.merge-min-count", 30, "small manifests that are merged into one")
MANIFEST_FULL_COMPACTION_SIZE = _size(
    "manifest.full-compaction-threshold-size", "16 mb", "size of changed manifests that rewrites the base"
)
MANIFEST_MERGE_OPTIMIZE = _flag(
    "manifest.merge-optimize.enabled", True, "skip manifests a merge cannot change"
)
MANIFEST_DELETE_DROP_STATS = _flag(
    "manifest.delete-file-drop-stats", False, "write DELETE entries without statistics"
)
MANIFEST_SORT_ENABLED = _flag("manifest-sort.enabled", False, "sort manifests by partition")
MANIFEST_SORT_PARTITION_FIELD = _text("manifest-sort.partition-field", "partition key to sort manifests by")
MANIFEST_SORT_MAX_REWRITE = _size("manifest-sort.max-rewrite-size", "256 mb", "bytes rewritten by one sort")
STATS_MODE = _option("metadata.stats-mode", parse_text, "truncate(16)", "statistics kept of each column")
STATS_MODE_PER_LEVEL = _option("metadata.stats-mode.per.level", parse_level_map, "", "statistics by level")
STATS_DENSE_STORE = _flag("metadata.stats-dense-store", True, "leave columns without statistics out")
STATS_KEEP_FIRST_N = _int("metadata.stats-keep-first-n-columns", -1, "columns with statistics; -1 all")

# partitions
PARTITION_DEFAULT_NAME = _option(
    "partition.default-name", parse_text, "__DEFAULT_PARTITION__", "directory name for null and blank values"
)
PARTITION_LEGACY_NAME = _flag("partition.legacy-name", True, "Java's text of values in directory names")
OVERWRITE_UPGRADE = _flag(
    "overwrite-upgrade", True, "overwriting rows that need no merge go to the top level at once"
)
DYNAMIC_PARTITION_OVERWRITE = _flag(
    "dynamic-partition-overwrite", True, "an overwrite replaces only the partitions it writes"
)
PARTITION_EXPIRATION_TIME = _unset("partition.expiration-time", parse_duration, "age at which partitions go")
PARTITION_EXPIRATION_STRATEGY = _option(
    "partition.expiration-strategy",
    parse_enum(PartitionExpireStrategy),
    "values-time",
    "what a partition's age is",
)
PARTITION_EXPIRATION_CHECK = _duration("partition.expiration-check-interval", "1 h", "time between checks")
PARTITION_EXPIRATION_MAX_NUM = _int("partition.expiration-max-num", 100, "partitions expired at once")
PARTITION_EXPIRATION_BATCH_SIZE = _unset(
    "partition.expiration-batch-size", parse_integer, "partitions expired by one commit"
)
PARTITION_TIMESTAMP_FORMATTER = _text("partition.timestamp-formatter", "how a partition spells its time")
PARTITION_TIMESTAMP_PATTERN = _text("partition.timestamp-pattern", "which keys make a partition's time")
PARTITION_MARK_DONE_ACTION = _option(
    "partition.mark-done-action", parse_list, "success-file", "what marks a partition as done"
)
PARTITION_IDLE_TO_REPORT = _duration(
    "partition.idle-time-to-report-statistic", "0 ms", "idle time after which statistics are reported"
)
PARTITION_END_INPUT_DONE = _flag(
    "partition.end-input-to-done", False, "mark partitions done at the end of input"
)
DYNAMIC_BUCKET_TARGET_ROWS = _int("dynamic-bucket.target-row-num", 2_000_000, "rows in a dynamic bucket")
DYNAMIC_BUCKET_INITIAL = _unset("dynamic-bucket.initial-buckets", parse_integer, "buckets of a new partition")
DYNAMIC_BUCKET_MAX = _int("dynamic-bucket.max-buckets", -1, "buckets of a partition at most; -1 no limit")
DYNAMIC_BUCKET_ASSIGNERS = _unset("dynamic-bucket.assigner-parallelism", parse_integer, "bucket assigners")
CROSS_PARTITION_INDEX_TTL = _unset(
    "cross-partition-upsert.index-ttl", parse_duration, "age at which index entries are forgotten"
)
CROSS_PARTITION_BOOTSTRAP = _int(
    "cross-partition-upsert.bootstrap-parallelism", 10, "readers that build the index"
)
POSTPONE_DEFAULT_BUCKET_NUM = _unset(
    "postpone.default-bucket-num", parse_integer, "buckets of a new partition of a postponed table"
)
POSTPONE_BATCH_FIXED = _flag("postpone.batch-write-fixed-bucket", True, "batch writes choose buckets at once")

# snapshots and commits
SNAPSHOT_NUM_RETAINED_MIN = _int("snapshot.num-retained.min", 10, "snapshots kept at least")
SNAPSHOT_NUM_RETAINED_MAX = _int("snapshot.num-retained.max", _MAX_INT, "snapshots kept at most")
SNAPSHOT_TIME_RETAINED = _duration("snapshot.time-retained", "1 h", "age to which snapshots are kept")
SNAPSHOT_EXPIRE_LIMIT = _int("snapshot.expire.limit", 50, "snapshots expired at once")
SNAPSHOT_EXPIRE_EXECUTION = _option(
    "snapshot.expire.execution-mode",
    parse_enum(ExpireExecution),
    "sync",
    "expire with the commit or beside it",
)
SNAPSHOT_CLEAN_EMPTY_DIRECTORIES = _flag(
    "snapshot.clean-empty-directories", False, "remove empty directories"
)
SNAPSHOT_IGNORE_EMPTY_COMMIT = _unset(
    "snapshot.ignore-empty-commit", parse_boolean, "no snapshot for a commit without changes"
)
SNAPSHOT_WATERMARK_IDLE = _unset(
    "snapshot.watermark-idle-timeout", parse_duration, "idle time after which the watermark moves on"
)
COMMIT_USER_PREFIX = _text("commit.user-prefix", "start of generated commit users")
COMMIT_MAX_RETRIES = _int("commit.max-retries", 10, "tries after a lost race")
COMMIT_TIMEOUT = _unset("commit.timeout", parse_duration, "time after which a commit gives up")
COMMIT_MIN_RETRY_WAIT = _duration("commit.min-retry-wait", "10 ms", "first pause between tries")
COMMIT_MAX_RETRY_WAIT = _duration("commit.max-retry-wait", "10 s", "longest pause between tries")
COMMIT_FORCE_CREATE_SNAPSHOT = _flag("commit.force-create-snapshot", False, "a snapshot even without changes")
COMMIT_DISCARD_DUPLICATES = _flag(
    "commit.discard-duplicate-files", False, "leave out new files that the table has already"
)
COMMIT_STRICT_LAST_SAFE = _unset(
    "commit.strict-mode.last-safe-snapshot", parse_integer, "refuse when others overwrote or compacted since"
)
LOCK_ENABLED = _flag("lock.enabled", False, "writers commit under a lock that the catalog gives")
COMMIT_CALLBACKS = _option("commit.callbacks", parse_list, "", "Java classes told of commits")
TAG_CALLBACKS = _option("tag.callbacks", parse_list, "", "Java classes told of tags")
RECORD_LEVEL_EXPIRE_TIME = _unset("record-level.expire-time", parse_duration, "age at which rows go")
RECORD_LEVEL_TIME_FIELD = _text("record-level.time-field", "column that holds a row's time")

# consumers and tags
CONSUMER_ID = _text("consumer-id", "consumer whose progress is recorded")
CONSUMER_EXPIRATION_TIME = _unset("consumer.expiration-time", parse_duration, "age at which consumers go")
CONSUMER_MODE = _option(
    "consumer.mode", parse_enum(ConsumerMode), "exactly-once", "when progress is recorded"
)
CONSUMER_IGNORE_PROGRESS = _flag("consumer.ignore-progress", False, "start anew whatever was recorded")
CONSUMER_CHANGELOG_ONLY = _flag(
    "consumer.changelog-only", False, "a consumer keeps changelogs, not snapshots"
)
TAG_AUTOMATIC_CREATION = _option(
    "tag.automatic-creation", parse_enum(TagCreation), "none", "what creates tags by itself"
)
TAG_CREATION_PERIOD = _option("tag.creation-period", parse_text, "daily", "time between automatic tags")
TAG_CREATION_PERIOD_DURATION = _unset(
    "tag.creation-period-duration", parse_duration, "time between automatic tags, in place of the period"
)
TAG_CREATION_DELAY = _duration("tag.creation-delay", "0 ms", "wait after the end of a period")
TAG_PERIOD_FORMATTER = _option(
    "tag.period-formatter", parse_text, "with_dashes", "how automatic tags are named"
)
TAG_NUM_RETAINED_MAX = _unset("tag.num-retained-max", parse_integer, "automatic tags kept at most")
TAG_DEFAULT_TIME_RETAINED = _unset(
    "tag.default-time-retained", parse_duration, "life of a tag that names none"
)
TAG_TIME_EXPIRE_ENABLED = _flag("tag.time-expire-enabled", True, "tags expire by their retention")
TAG_AUTOMATIC_COMPLETION = _flag("tag.automatic-completion", False, "create tags of missed periods")
TAG_CREATE_SUCCESS_FILE = _flag("tag.create-success-file", False, "write a success file with a tag")
TAG_BATCH_NAME = _text("tag.batch.customized-name", "name of the tag of a batch job")
METASTORE_PARTITIONED = _flag("metastore.partitioned-table", False, "register partitions in the metastore")
METASTORE_TAG_TO_PARTITION = _text("metastore.tag-to-partition", "partition that shows tags in the metastore")

# scanning
SCAN_MODE = _option("scan.mode", parse_enum(ScanMode), "default", "where a read starts")
SCAN_SNAPSHOT_ID = _unset("scan.snapshot-id", parse_integer, "snapshot to read")
SCAN_TAG_NAME = _text("scan.tag-name", "tag to read")
SCAN_TIMESTAMP = _text("scan.timestamp", "time to read at, as text")
SCAN_TIMESTAMP_MILLIS = _unset("scan.timestamp-millis", parse_integer, "time to read at, epoch milliseconds")
SCAN_WATERMARK = _unset("scan.watermark", parse_integer, "watermark to read at")
SCAN_VERSION = _text("scan.version", "tag or snapshot id to read")
SCAN_FILE_CREATION_TIME = _unset(
    "scan.file-creation-time-millis", parse_integer, "read files created after, epoch milliseconds"
)
SCAN_CREATION_TIME = _unset("scan.creation-time-millis", parse_integer, "read from this creation time on")
INCREMENTAL_BETWEEN = _text("incremental-between", "snapshots or tags, the first excluded")
INCREMENTAL_BETWEEN_TIMESTAMP = _text("incremental-between-timestamp", "times, the first excluded")
INCREMENTAL_BETWEEN_SCAN_MODE = _option(
    "incremental-between-scan-mode",
    parse_enum(IncrementalScanMode),
    "auto",
    "which files an incremental read takes",
)
INCREMENTAL_BETWEEN_TAG_TO_SNAPSHOT = _flag(
    "incremental-between-tag-to-snapshot", False, "between two tags, read the changes of their snapshots"
)
INCREMENTAL_TO_AUTO_TAG = _text("incremental-to-auto-tag", "read changes up to an automatic tag")
SCAN_BOUNDED_WATERMARK = _unset("scan.bounded.watermark", parse_integer, "watermark that ends a stream")
CONTINUOUS_DISCOVERY_INTERVAL = _duration("continuous.discovery-interval", "10 s", "pause between looks")
STREAMING_READ_SNAPSHOT_DELAY = _unset("streaming.read.snapshot.delay", parse_duration, "delay of a stream")
SCAN_MAX_SPLITS_PER_TASK = _int("scan.max-splits-per-task", 10, "splits a streaming task holds")
SCAN_MANIFEST_PARALLELISM = _unset("scan.manifest.parallelism", parse_integer, "manifests read at once")
SCAN_PLAN_SORT_PARTITION = _flag("scan.plan-sort-partition", False, "order splits by partition")
SCAN_FALLBACK_BRANCH = _text("scan.fallback-branch", "branch that holds partitions missing here")
SCAN_PRIMARY_BRANCH = _text("scan.primary-branch", "branch that is read first")
SPLIT_TARGET_SIZE = _size("source.split.target-size", "128 mb", "bytes of a split")
SPLIT_OPEN_FILE_COST = _size("source.split.open-file-cost", "4 mb", "what opening a file counts as")
STREAMING_READ_OVERWRITE = _flag("streaming-read-overwrite", False, "a stream shows overwrites")
STREAMING_READ_APPEND_OVERWRITE = _flag(
    "streaming-read-append-overwrite", False, "a stream shows overwrites of append tables"
)
STREAM_SCAN_MODE = _option("stream-scan-mode", parse_text, "none", "internal")
BATCH_SCAN_MODE = _option("batch-scan-mode", parse_text, "none", "internal")
TABLE_READ_SEQUENCE_NUMBER = _flag(
    "table-read.sequence-number.enabled", False, "show sequence numbers in audit_log and binlog"
)
QUERY_AUTH_ENABLED = _flag("query-auth.enabled", False, "ask the REST server what a reader may see")

# deletion vectors and indexes
DELETION_VECTORS_ENABLED = _flag("deletion-vectors.enabled", False, "mark deleted rows beside the files")
DELETION_VECTORS_BITMAP64 = _flag("deletion-vectors.bitmap64", False, "64-bit deletion vectors")
DELETION_VECTORS_MODIFIABLE = _flag("deletion-vectors.modifiable", False, "the option may be changed")
DELETION_VECTORS_MERGE_ON_READ = _flag("deletion-vectors.merge-on-read", False, "read level 0 too")
DELETION_VECTOR_INDEX_SIZE = _size("deletion-vector.index-file.target-size", "2 mb", "size of a vector file")
FILE_INDEX_IN_MANIFEST = _size(
    "file-index.in-manifest-threshold", "500 B", "file indexes up to this size lie in the manifest"
)
FILE_INDEX_READ_ENABLED = _flag("file-index.read.enabled", True, "use file indexes when reading")
GLOBAL_INDEX_ENABLED = _flag("global-index.enabled", True, "use global indexes")
GLOBAL_INDEX_EXTERNAL_PATH = _text("global-index.external-path", "root of global index files")
GLOBAL_INDEX_ROWS_PER_SHARD = _int("global-index.row-count-per-shard", 100_000, "rows of a shard")
GLOBAL_INDEX_THREADS = _int("global-index.thread-num", 32, "threads that read global indexes")
GLOBAL_INDEX_COLUMN_UPDATE = _option(
    "global-index.column-update-action", parse_text, "THROW_ERROR", "what an update of an indexed column does"
)

BRANCH_MERGE_ENABLED = _flag(
    "branch-merge.enabled", False, "keep a history of appends alone, so that branches can be merged"
)

# row tracking, blobs, vectors
ROW_TRACKING_ENABLED = _flag("row-tracking.enabled", False, "give each row an id that stays")
ROW_TRACKING_PARTITION_GROUP = _flag(
    "row-tracking.partition-group-on-commit", True, "row ids run within a partition"
)
DATA_EVOLUTION_ENABLED = _flag("data-evolution.enabled", False, "files may hold some columns only")
BLOB_FIELD = _option("blob-field", parse_list, "", "columns stored as blobs")
BLOB_DESCRIPTOR_FIELD = _option("blob-descriptor-field", parse_list, "", "blob columns stored as descriptors")
BLOB_VIEW_FIELD = _option("blob-view-field", parse_list, "", "blob columns that refer to other tables")
BLOB_AS_DESCRIPTOR = _flag("blob-as-descriptor", False, "read blobs as descriptors")
BLOB_TARGET_FILE_SIZE = _unset("blob.target-file-size", parse_size, "size of a blob file")
VECTOR_FIELD = _option("vector-field", parse_list, "", "columns stored in vector files")
VECTOR_FILE_FORMAT = _text("vector.file.format", "format of vector files")
VECTOR_TARGET_FILE_SIZE = _unset("vector.target-file-size", parse_size, "size of a vector file")

# clustering and lookup
CLUSTERING_COLUMNS = _option("clustering.columns", parse_list, "", "columns to cluster by")
CLUSTERING_STRATEGY = _option("clustering.strategy", parse_text, "auto", "order, zorder or hilbert")
ZORDER_TEXT_BYTES = _int("zorder.var-length-contribution", 8, "bytes of a text that count in z-order")
CLUSTERING_INCREMENTAL = _flag("clustering.incremental", False, "cluster a part of the table at a time")
PK_CLUSTERING_OVERRIDE = _flag("pk-clustering-override", False, "order a primary-key table by other columns")
LOOKUP_CACHE_FILE_RETENTION = _duration("lookup.cache-file-retention", "1 h", "life of a lookup file")
LOOKUP_CACHE_MAX_DISK = _size("lookup.cache-max-disk-size", str(_MAX_LONG), "disk for lookup files")
LOOKUP_CACHE_MAX_MEMORY = _size("lookup.cache-max-memory-size", "256 mb", "memory for lookup files")
LOOKUP_CACHE_SPILL_COMPRESSION = _option(
    "lookup.cache-spill-compression", parse_text, "zstd", "codec of lookup files"
)
LOOKUP_CACHE_BLOOM_FILTER = _flag("lookup.cache.bloom.filter.enabled", True, "bloom filters in lookup files")
LOOKUP_CACHE_BLOOM_FPP = _option(
    "lookup.cache.bloom.filter.fpp", parse_number, "0.05", "false positives of those filters"
)

# rules and zones
NULL_TO_NOT_NULL_DISABLED = _flag(
    "alter-column-null-to-not-null.disabled", True, "a nullable column cannot become NOT NULL"
)
EXPLICIT_CASTING_DISABLED = _flag("disable-explicit-type-casting", False, "only widening type changes")
ADD_COLUMN_BEFORE_PARTITION = _flag(
    "add-column-before-partition", False, "new columns go before the partition columns"
)
SINK_WATERMARK_ZONE = _option("sink.watermark-time-zone", parse_text, "UTC", "zone of watermarks")
SINK_PROCESS_ZONE = _text("sink.process-time-zone", "zone of processing time; default: the local one")

OPTIONS: Mapping[str, Option[object]] = _ALL
"""All options by key, in the order above."""

FAMILIES: tuple[OptionFamily, ...] = (
    OptionFamily("fields.<column>.aggregate-function", "aggregate of a column"),
    OptionFamily("fields.<column>.ignore-retract", "the aggregate does not see -D and -U"),
    OptionFamily("fields.<column>.sequence-group", "columns ordered by this column"),
    OptionFamily("fields.<column>.distinct", "collect a value once"),
    OptionFamily("fields.<column>.list-agg-delimiter", "text between the parts of listagg"),
    OptionFamily("fields.<column>.nested-key", "key of a nested table"),
    OptionFamily("fields.<column>.nested-key-null-strategy", "what becomes of nested rows without a key"),
    OptionFamily("fields.<column>.nested-sequence-field", "order of the versions of a nested row"),
    OptionFamily("fields.<column>.count-limit", "the most rows of a nested table"),
    OptionFamily("fields.<column>.ts-field", "the time among the members of a map's values"),
    OptionFamily("fields.<column>.stats-mode", "statistics of a column"),
    OptionFamily("file-index.<type>.columns", "columns with a file index"),
    OptionFamily("file-index.<type>.<column>.<setting>", "settings of a file index"),
    OptionFamily("parquet.<setting>", "handed to the Parquet writer"),
    OptionFamily("orc.<setting>", "handed to the ORC writer"),
    OptionFamily("avro.<setting>", "handed to the Avro writer"),
    OptionFamily("global-index.<setting>", "settings of global indexes"),
    OptionFamily("chain-table.<setting>", "chain tables"),
    OptionFamily("variant.<setting>", "shredding of VARIANT columns"),
    OptionFamily("pk-<type>.index.columns", "indexes of primary-key tables"),
    OptionFamily("vector-search.<setting>", "vector search"),
    OptionFamily("visibility-callback.<setting>", "waiting until a commit is visible"),
)

TABLE_PATH = "path"  # where a table lies; Paimon adds it when a table is opened, no schema holds it

IMMUTABLE_KEYS: frozenset[str] = frozenset(
    option.key
    for option in (
        TYPE,
        BUCKET_KEY,
        BUCKET_FUNCTION,
        DATA_FILE_PATH_DIRECTORY,
        MERGE_ENGINE,
        SEQUENCE_SNAPSHOT_ORDERING,
        AGGREGATION_REMOVE_ON_DELETE,
        PARTIAL_UPDATE_REMOVE_ON_DELETE,
        PARTIAL_UPDATE_REMOVE_ON_SEQUENCE_GROUP,
        ROWKIND_FIELD,
        PRIMARY_KEY,
        PRIMARY_KEY_NULLABLE,
        PARTITION,
        DYNAMIC_BUCKET_INITIAL,
        FORCE_LOOKUP,
        ROW_TRACKING_ENABLED,
        DATA_EVOLUTION_ENABLED,
        INDEX_FILE_IN_DATA_FILE_DIR,
        BLOB_FIELD,
        BLOB_DESCRIPTOR_FIELD,
        BLOB_VIEW_FIELD,
        PK_CLUSTERING_OVERRIDE,
    )
)
"""Options that cannot be changed once the table has snapshots. Spec: 04, D; 09, 1."""


def family_of(key: str) -> OptionFamily | None:
    """The family that `key` belongs to, if any."""
    return next((f for f in FAMILIES if _family_pattern(f).fullmatch(key)), None)


def _family_pattern(family: OptionFamily) -> re.Pattern[str]:
    return re.compile(re.sub(r"<[a-z]+>", ".+", re.escape(family.pattern)))


@dataclass(frozen=True, slots=True)
class TableOptions:
    """A table's map of options, with typed reading."""

    texts: Mapping[str, str]  # as the schema file has them

    def get(self, option: Option[T]) -> T:
        """The typed value, or the default.

        Raises:
            InvalidRequestError: the text is not legal for the option; names its key.
        """
        text = self.text_of(option)
        return option.default if text is None else self._parse(option.key, option.parse, text)

    def text_of(self, option: Option[T]) -> str | None:
        """The text as set under the option's key or an old one, None if it is not set."""
        keys = (option.key, *option.old_keys)
        return next((self.texts[k] for k in keys if k in self.texts), None)

    def is_set(self, option: Option[T]) -> bool:
        return self.text_of(option) is not None

    def of_field(self, column: str, name: str) -> str | None:
        """The text of `fields.<column>.<name>`."""
        return self.texts.get(f"fields.{column}.{name}")

    def check(self) -> None:
        """Parse every option that we know.

        Raises:
            InvalidRequestError: the first one whose text is not legal.
        """
        for option in OPTIONS.values():
            self.get(option)

    @staticmethod
    def _parse(key: str, parse: Callable[[str], T], text: str) -> T:
        try:
            return parse(text)
        except InvalidRequestError as error:
            raise InvalidRequestError(f"bad value of option {key}", **error.fields) from error
