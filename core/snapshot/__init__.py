"""Snapshots of a table, what names them, and who reads them."""

from core.snapshot.branches import Branch, BranchStore
from core.snapshot.codec import decode_snapshot, encode_snapshot
from core.snapshot.consumers import Consumer, ConsumerStore, UnreadableConsumer
from core.snapshot.hints import HintReport
from core.snapshot.snapshot import BATCH_COMMIT_IDENTIFIER, CommitKind, Snapshot
from core.snapshot.store import ChangelogStore, SnapshotStore, UnreadableSnapshot
from core.snapshot.tags import Tag, TagStore, UnreadableTag, decode_tag, encode_tag

__all__ = [
    "BATCH_COMMIT_IDENTIFIER",
    "Branch",
    "BranchStore",
    "ChangelogStore",
    "CommitKind",
    "Consumer",
    "ConsumerStore",
    "HintReport",
    "Snapshot",
    "SnapshotStore",
    "Tag",
    "TagStore",
    "UnreadableConsumer",
    "UnreadableSnapshot",
    "UnreadableTag",
    "decode_snapshot",
    "decode_tag",
    "encode_snapshot",
    "encode_tag",
]
