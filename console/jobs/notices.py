"""Warnings and blockers of plans: their codes, and what they say in both languages."""

from __future__ import annotations

from typing import Any

from console.api.language import said

NOTICES: dict[str, tuple[str, str]] = {
    # blockers
    "missing-files": (
        "{count:file that would come back is|files that would come back are} gone; the first is {first}",
        "{count} 个需要恢复的文件已不存在；第一个为 {first}",
    ),
    "table-busy": ("{job} is changing this table", "{job} 正在修改此表"),
    "pointer-disagreement": (
        "The LATEST hint and the listing disagree: {detail}. Repair the table first.",
        "LATEST 提示与目录列表不一致：{detail}。请先修复该表。",
    ),
    "nothing-to-compact": ("Nothing in scope can be made fewer files", "所选范围内没有可合并的文件"),
    "no-vectors": ("No file in scope has a deletion vector", "所选范围内没有带删除向量的文件"),
    "refresh-refused": (
        "This materialized table is not refreshed: {reason}",
        "无法刷新该物化表：{reason}",
    ),
    "nothing-to-roll-back": ("The table stands at the target already", "该表已处于目标快照"),
    "column-required": (
        "Column {column} is NOT NULL and the source has no such column",
        "列 {column} 为 NOT NULL，而数据源中没有该列",
    ),
    "column-impossible": (
        "Column {column}: {source_type} cannot be cast to {table_type}",
        "列 {column}：{source_type} 无法转换为 {table_type}",
    ),
    "column-unknown": ("The table has no column {column}", "表中没有列 {column}"),
    "source-unreadable": ("The source cannot be read: {reason}", "无法读取数据源：{reason}"),
    "nothing-to-restore": ("The table is in this state already", "该表已处于此状态"),
    "nothing-to-expire": (
        "No snapshot is old enough to go, or all that are have to stay",
        "没有可以过期的快照，或到期的快照都必须保留",
    ),
    "nothing-to-forward": ("Main stands at the head of the branch already", "主分支已处于该分支的最新位置"),
    "head-unreadable": (
        "The latest snapshot cannot be read, so what would leave is not known: roll back instead ({problem})",
        "无法读取最新快照，因此不知道哪些内容会离开：请改用回滚（{problem}）",
    ),
    "row-ids-kept": (
        "The table gives row ids ({option}), which are given out once: it can only be rolled back",
        "该表分配行 id（{option}），行 id 只分配一次：只能回滚",
    ),
    "tag-exists": ("There is a tag {tag} already", "标签 {tag} 已存在"),
    "branch-exists": ("There is a branch {branch} already", "分支 {branch} 已存在"),
    "branch-read-along": (
        "Main is read along with branch {branch} ({option}): change that option first",
        "主分支与分支 {branch} 一起读取（{option}）：请先修改该选项",
    ),
    "unrelated-history": (
        "Branch {branch} begins at #{first} and shares no snapshot with main, which is at #{latest}",
        "分支 {branch} 从 #{first} 开始，与位于 #{latest} 的主分支没有共同的快照",
    ),
    "unreadable-reference": (
        "{path} cannot be read, so what it needs is not known: {problem}",
        "无法读取 {path}，因此不知道它需要什么：{problem}",
    ),
    "snapshot-missing": ("There is no snapshot #{snapshot}", "快照 #{snapshot} 不存在"),
    "consumer-there-already": (
        "The consumer reads #{snapshot} next already",
        "该消费者的下一个快照已是 #{snapshot}",
    ),
    "no-such-partitions": ("No partition of the table is meant", "没有符合条件的分区"),
    "partition-nameless": (
        "Partition {ref} cannot be told by its text, so a job cannot be asked for it",
        "无法通过文本指明分区 {ref}，因此不能为其创建作业",
    ),
    "action-unsupported": (
        "partition.mark-done-action has {action}, which this release cannot do",
        "partition.mark-done-action 中的 {action} 不受此版本支持",
    ),
    "indexes-as-asked": (
        "Every file in scope has the indexes that the options ask for: set file-index.… options first",
        "范围内的文件都已具有表选项所要求的索引：请先设置 file-index.… 选项",
    ),
    "manifests-compact": ("The manifests are as few as they can be", "清单已无法再减少"),
    "no-snapshot": (
        "The table has no snapshot: there are no rows to look at",
        "该表没有快照：没有可分析的数据",
    ),
    "options-as-asked": ("The options are so already", "选项已是如此"),
    # warnings
    "writer-of-partitions": (
        "Writer {ref} committed in the last 10 minutes: what it writes to these partitions afterwards stays, "
        "and rows that it commits before this job make the plan stale",
        "写入者 {ref} 在最近 10 分钟内有提交：此后写入这些分区的数据会保留；先于此作业的提交会使预览失效",
    ),
    "partition-empty": (
        "Partition {ref} has no files, and is marked all the same",
        "分区 {ref} 没有文件，但仍会被标记",
    ),
    "partition-without-time": (
        "The values of partition {partition} spell no time: it never expires so",
        "分区 {partition} 的值无法解析为时间：它不会过期",
    ),
    "much-read": ("More than 100 GiB will be read", "将读取超过 100 GiB 的数据"),
    "options-of-writers": (
        "Writers and readers that run keep the options that they began with: start them anew",
        "正在运行的写入者和读取者继续使用原有选项：请重新启动它们",
    ),
    "option-loses": (
        "With {ref}, writers drop rows by themselves once they are old enough",
        "设置 {ref} 后，写入者会自行删除足够旧的数据",
    ),
    "other-compaction": (
        "{ref} compacted this table in the last hour: whoever commits second loses its work",
        "{ref} 在最近一小时内合并过此表：后提交的一方将失去其结果",
    ),
    "consumer-skips": (
        "Consumer {consumer} will not read #{from} to before #{to}: rows are missing downstream",
        "消费者 {consumer} 将跳过 #{from} 至 #{to} 之前的快照：下游会缺少数据",
    ),
    "consumer-repeats": (
        "Consumer {consumer} will read again from #{to}, though it came to #{from}: rows come twice",
        "消费者 {consumer} 已读到 #{from}，将从 #{to} 重新读取：数据会重复",
    ),
    "consumer-forgotten": (
        "Consumer {consumer} is forgotten: stop its reader first, as a running one writes it anew, and a new "
        "one starts as its options say",
        "消费者 {consumer} 将被删除：请先停止其读取者，运行中的读取者会重新写入，新的读取者按其选项开始",
    ),
    "unreadable-metadata": (
        "{path} cannot be read: the files that only it names are left as orphans ({problem})",
        "无法读取 {path}：只有它引用的文件将成为孤儿文件（{problem}）",
    ),
    "consumer-holds": (
        "Consumer {consumer} still reads from #{next_snapshot}: nothing from there on goes",
        "消费者 {consumer} 仍从 #{next_snapshot} 读取：此后的快照不会过期",
    ),
    "limit-reached": (
        "At most {limit:goes|go} at once; {left:more is|more are} due",
        "每次最多过期 {limit} 个；还有 {left} 个到期",
    ),
    "branch-founded-by-tag": (
        "Branch {branch} was made from tag {tag}: where Java Paimon expires snapshots, it may lose files",
        "分支 {branch} 由标签 {tag} 创建：若由 Java Paimon 执行快照过期，该分支可能丢失文件",
    ),
    "branch-files-left": (
        "Files that only branch {branch} reaches stay on disk until an orphan clean",
        "只有分支 {branch} 引用的文件会保留在磁盘上，直到孤儿清理",
    ),
    "fast-forward-head-damaged": (
        "The latest snapshot of main cannot be read: what leaves is unknown",
        "无法读取主分支的最新快照：离开的内容未知",
    ),
    "fast-forward-consumer-ahead": (
        "A consumer of main is to read on from a snapshot that goes",
        "主分支的某个消费者将从要移除的快照继续读取",
    ),
    "fast-forward-recent-writer": (
        "Somebody has committed to main in the last 10 minutes: stop them first",
        "最近 10 分钟内有人向主分支提交：请先停止写入",
    ),
    "fast-forward-tags-removed": (
        "Tags of main's newer snapshots go with them",
        "主分支较新快照的标签将一并移除",
    ),
    "fast-forward-branch-after-target": (
        "Another branch was forked from a snapshot of main that goes",
        "另一分支创建自主分支上要移除的快照",
    ),
    "consumer-ahead": (
        "Consumer {ref} will read from {next}: after the rollback it waits or fails",
        "消费者 {ref} 将从 {next} 读取：回滚后它会等待或失败",
    ),
    "consumer-reset": (
        "Consumer {ref}, which was to read from {next}, will read from {to}: what it has read of the removed "
        "snapshots stays downstream",
        "消费者 {ref} 原将从 {next} 读取，现将从 {to} 读取：它已读取的被移除快照的数据仍留在下游",
    ),
    "recent-writer": (
        "Writer {ref} committed in the last 10 minutes: stop it first",
        "写入者 {ref} 在最近 10 分钟内有提交：请先停止它",
    ),
    "writer-clashes": (
        "Writer {ref} committed in the last 10 minutes: rows that it commits before this job does are "
        "replaced, too, and a compaction of its may lose its commit",
        "写入者 {ref} 在最近 10 分钟内有提交：它先于此作业提交的数据也会被替换，其合并可能提交失败",
    ),
    "head-missing": (
        "{ref}, which the latest snapshot {snapshot} needs, is missing: what leaves and what returns is "
        "unknown, and a guard keeps that snapshot only as damaged as it is",
        "最新快照 {snapshot} 所需的 {ref} 缺失：离开和恢复的内容未知，保护也只能原样保留该快照",
    ),
    "head-damaged": (
        "{ref}, which the latest snapshot {snapshot} needs, is damaged: what leaves and what returns is "
        "unknown, and a guard keeps that snapshot only as damaged as it is",
        "最新快照 {snapshot} 所需的 {ref} 已损坏：离开和恢复的内容未知，保护也只能原样保留该快照",
    ),
    "tags-removed": ("Tag {ref} will be deleted", "标签 {ref} 将被删除"),
    "branch-after-target": ("Branch {ref} was forked after the target", "分支 {ref} 在目标之后创建"),
    "no-guard": (
        "Without a guard the present state cannot be brought back",
        "未启用保护，当前状态将无法恢复",
    ),
    "definition-unread": (
        "Which tables the definition reads is known only once Spark reads it; you need data:read on each",
        "只有在 Spark 读取定义时才知道它读取哪些表；您需要对每张表的 data:read 权限",
    ),
    "refresh-may-be-whole": (
        "Where nothing says which changes the rows hold, all rows are replaced, as at the first refresh",
        "如果没有记录说明数据包含哪些变更，将像首次刷新一样替换所有行",
    ),
    "files-for-good": (
        "A format table has no history: the files that are replaced are deleted for good",
        "格式表没有历史：被替换的文件将被永久删除",
    ),
    "files-twice": (
        "A format table has no history: a job that is started again adds its rows again",
        "格式表没有历史：重新启动的作业会再次添加其数据行",
    ),
    "large-rewrite": ("More than 100 GiB will be rewritten", "将重写超过 100 GiB 的数据"),
    "fit-unknown": (
        "The columns of a query are known only once it runs; what does not fit fails the job",
        "查询的列只有在运行时才能确定；不匹配时作业会失败",
    ),
    # why a schedule started nothing
    "schedule-not-permitted": (
        "{user}, who switched the schedule on, may not refresh this table any more",
        "启用该计划的 {user} 已无权刷新此表",
    ),
    "schedule-other-definition": (
        "The definition has changed since {user} switched the schedule on: switch it on again",
        "{user} 启用该计划后，定义已被更改：请重新启用该计划",
    ),
    "schedule-other-views": (
        "{views} say something else than when {user} switched the schedule on, or came or went: look at the "
        "definition, and switch it on again",
        "{user} 启用该计划后，{views} 的内容已变化、新增或消失：请查看定义并重新启用该计划",
    ),
    "schedule-failed": ("The refresh could not be started: {reason}", "无法启动刷新：{reason}"),
    # how sure an estimate is
    "few-past-jobs": ("fewer than {count:past job|past jobs}", "历史作业少于 {count} 个"),
    # how the type of a column merges with that of the rows
    "merge-kept": (
        "{source_type} is cast to {table_type} when it is written",
        "写入时 {source_type} 转换为 {table_type}",
    ),
    "merge-types": (
        "Column {column}: {table_type} cannot become {source_type}",
        "列 {column}：{table_type} 不能改为 {source_type}",
    ),
    "merge-scale": (
        "Column {column}: {table_type} and {source_type} differ in scale",
        "列 {column}：{table_type} 与 {source_type} 的小数位数不同",
    ),
    "merge-length": (
        "Column {column}: {source_type} is shorter than {table_type}",
        "列 {column}：{source_type} 的长度小于 {table_type}",
    ),
    "merge-precision": (
        "Column {column}: {source_type} is less precise than {table_type}",
        "列 {column}：{source_type} 的精度低于 {table_type}",
    ),
    "merge-key": (
        "Column {column} says where rows lie: as {source_type} in place of {table_type}, rows of one key "
        "would lie in two buckets or partitions",
        "列 {column} 决定行的位置：若由 {table_type} 改为 {source_type}，同一主键的行会位于两个分桶或分区",
    ),
    "merge-invalid": (
        "The table could not have the schema: {reason}",
        "该表不能使用此表结构：{reason}",
    ),
    "merge-unknown": (
        "What is added to the table is known only once the query runs; what does not fit fails the job",
        "只有在查询运行后才能确定要添加哪些列；不匹配的列会使作业失败",
    ),
    # how a column of a source fits
    "fit-same": ("Same type", "类型相同"),
    "fit-cast": (
        "{source_type} is cast to {table_type}; a value that does not fit fails the job",
        "{source_type} 转换为 {table_type}；无法转换的值会使作业失败",
    ),
    "fit-default": ("Not in the source: the column's default value", "数据源中没有该列：使用列的默认值"),
    "fit-missing": ("Not in the source: null", "数据源中没有该列：为空值"),
    "fit-required": ("Not in the source, and the column is NOT NULL", "数据源中没有该列，而该列为 NOT NULL"),
    "fit-impossible": (
        "No cast leads from {source_type} to {table_type}",
        "无法从 {source_type} 转换为 {table_type}",
    ),
    "fit-unknown-column": ("The table has no such column", "表中没有该列"),
    # why a job lost its commit
    "conflict-snapshot-id": (
        "Snapshot id taken: other commits were faster {tries:time|times in a row}",
        "快照 id 已被占用：其他提交连续 {tries} 次更快",
    ),
    "conflict-files": (
        "Files changed meanwhile: {user} committed #{winner} after #{base}, on which this job was planned, "
        "and had {file} first",
        "文件已被更改：{user} 在此作业所基于的 #{base} 之后提交了 #{winner}，抢先处理了 {file}",
    ),
    "conflict-files-unknown": (
        "Files changed meanwhile: after #{base}, on which this job was planned, another commit had {file} "
        "first; which one can no longer be told",
        "文件已被更改：在此作业所基于的 #{base} 之后，另一个提交抢先处理了 {file}，已无法得知是哪一个",
    ),
    "conflict-advice-snapshot_id": (
        "Start it again when fewer writers commit, or raise commit.max-retries and commit.timeout",
        "请在写入者较少时重试，或调大 commit.max-retries 与 commit.timeout",
    ),
    "conflict-advice-files": (
        "Two compact this table, as writers do, too, unless they are told not to: set write-only = true "
        "for the writers and let one job compact; then start this job again",
        "有两方在合并此表；写入者默认也会合并：请为写入者设置 write-only = true，"
        "只由一个作业合并，然后重试此作业",
    ),
    # what a table showed after a job
    "expired": (
        "{gone:snapshot is|snapshots are} gone, {left:is|are} left of the plan",
        "已移除 {gone} 个快照，预览中的还剩 {left} 个",
    ),
    "consumer-at": ("the consumer reads #{snapshot} next", "消费者的下一个快照为 #{snapshot}"),
    "schema-now": ("the latest schema is {schema}", "最新的表结构为 {schema}"),
    "marked": (
        "{count:partition is|partitions are} marked, {left:is|are} left of the plan",
        "已标记 {count} 个分区，预览中的还剩 {left} 个",
    ),
    "tables-made": ("{count:table|tables}", "{count} 张表"),
    "table-gone": ("the table is no longer there", "该表已不存在"),
    "no-history": ("the plan named no history", "预览未列出历史"),
    "tags-left": ("tags still to be removed: {tags}", "仍待删除的标签：{tags}"),
    "in-between": ("stands at {latest}; the target is {target}", "当前位于 {latest}；目标为 {target}"),
    "moved-on": ("another writer has committed since: {latest}", "此后另有写入者提交：{latest}"),
    "partitions-unknown": (
        "Which partitions are replaced is known only once the rows are read",
        "只有在读取数据后才能确定要替换哪些分区",
    ),
}


def notice(code: str, *, ref: str | None = None, **values: object) -> dict[str, Any]:
    """A notice as it is stored: code and values; its words are chosen when it is shown."""
    return {"code": code, "ref": ref, "values": {name: str(value) for name, value in values.items()}}


def shown(stored: dict[str, Any]) -> dict[str, Any]:
    """The notice in the active language."""
    code, ref = stored["code"], stored.get("ref")
    english, chinese = NOTICES.get(code, (code, code))  # of another release: its code says it as well
    words = said(english, chinese)
    values = _Values({name: _Text(value) for name, value in stored.get("values", {}).items()}, ref=ref)
    return {"code": code, "ref": ref, "values": stored.get("values", {}), "detail": words.format_map(values)}


class _Text(str):
    """`{count:table|tables}` is `1 table` or `2 tables`."""

    def __format__(self, spec: str) -> str:
        one, _, many = spec.partition("|")
        return f"{self!s} {one if self == '1' else many}" if spec else str(self)


class _Values(dict[str, Any]):
    def __missing__(self, name: str) -> str:
        return _Text("?")
