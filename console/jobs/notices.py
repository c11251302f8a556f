"""Warnings and blockers of plans: their codes, and what they say in both languages."""

from __future__ import annotations

from typing import Any

from django.utils import translation

NOTICES: dict[str, tuple[str, str]] = {
    # blockers
    "missing-files": (
        "{count} files that would come back are gone; the first is {first}",
        "{count} 个需要恢复的文件已不存在；第一个为 {first}",
    ),
    "table-busy": ("{job} is changing this table", "{job} 正在修改此表"),
    "pointer-disagreement": (
        "The LATEST hint and the listing disagree: {detail}. Repair the table first.",
        "LATEST 提示与目录列表不一致：{detail}。请先修复该表。",
    ),
    "nothing-to-compact": ("Nothing in scope can be made fewer files", "所选范围内没有可合并的文件"),
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
    # warnings
    "consumer-ahead": (
        "Consumer {ref} will read from {next}: after the rollback it waits or fails",
        "消费者 {ref} 将从 {next} 读取：回滚后它会等待或失败",
    ),
    "recent-writer": (
        "Writer {ref} committed in the last 10 minutes: stop it first",
        "写入者 {ref} 在最近 10 分钟内有提交：请先停止它",
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
    "large-rewrite": ("More than 100 GiB will be rewritten", "将重写超过 100 GiB 的数据"),
    "fit-unknown": (
        "The columns of a query are known only once it runs; what does not fit fails the job",
        "查询的列只有在运行时才能确定；不匹配时作业会失败",
    ),
    # how sure an estimate is
    "few-past-jobs": ("fewer than {count} past jobs", "历史作业少于 {count} 个"),
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
    # what a table showed after a job
    "tables-made": ("{count} tables", "{count} 张表"),
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
    words = chinese if (translation.get_language() or "en").startswith("zh") else english
    values = _Values(ref=ref, **stored.get("values", {}))
    return {"code": code, "ref": ref, "values": stored.get("values", {}), "detail": words.format_map(values)}


class _Values(dict[str, Any]):
    def __missing__(self, name: str) -> str:
        return "?"
