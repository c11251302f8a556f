"""Format tables: directories of plain files, with Hive's names for partitions and no snapshots. Spec: 04, C5.

Theory, in four rules.

1. What files there are is what a listing shows; names that begin with `_` or `.` do not count.
2. Partitions are directories `key=value`, one level a key. Their columns are not in the files.
3. New files are written below `_temporary` and get their names one after the other. So each file is there
   whole or not at all, but a reader may see some of the files of an append, as with Paimon.
4. An overwrite gives new files their names first and then deletes what was there before: a crash leaves rows
   twice rather than not at all, and overwriting again mends it. (Paimon deletes first.)
"""

from core.format_table.commit import FormatCommit, WrittenFile
from core.format_table.home import FormatHome
from core.format_table.plan import FilePart, FormatPlan, FormatSplit
from core.format_table.table import FormatTable
from core.format_table.write import FormatWrite

__all__ = [
    "FilePart",
    "FormatCommit",
    "FormatHome",
    "FormatPlan",
    "FormatSplit",
    "FormatTable",
    "FormatWrite",
    "WrittenFile",
]
