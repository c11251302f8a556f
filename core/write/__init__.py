"""Writers: rows in, commit messages out."""

from core.write.compaction import plan_compaction, run_task
from core.write.message import CommitMessage
from core.write.message_codec import decode_message, decode_messages, encode_message
from core.write.restore import WriteBase, overwrite_base, read_write_base
from core.write.table_write import TableWrite

__all__ = [
    "CommitMessage",
    "TableWrite",
    "WriteBase",
    "decode_message",
    "decode_messages",
    "encode_message",
    "overwrite_base",
    "plan_compaction",
    "read_write_base",
    "run_task",
]
