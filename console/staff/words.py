"""The words of Django's admin that are ours: names of models, fields and actions, in both languages.

Django translates its own. Names are set on the models here and not in them, so that a word is no migration.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.apps import apps
from django.utils.functional import lazystr

from console.api.language import said


class Words:
    """Both, chosen when they are shown."""

    def __init__(self, english: str, chinese: str) -> None:
        self._both = (english, chinese)

    def __str__(self) -> str:
        return said(*self._both)


def words(english: str, chinese: str) -> Any:
    """As Django's `gettext_lazy`, of both languages at once."""
    return lazystr(Words(english, chinese))


_APPS = {
    "accounts": ("Accounts", "账户"),
    "audit": ("Audit", "审计"),
    "jobs": ("Jobs", "作业"),
    "openid": ("Sign-in by providers", "身份提供方登录"),
    "warehouses": ("Warehouses", "仓库"),
}
_MODELS = {
    "warehouses.warehouse": ("warehouse", "warehouses", "仓库"),
    "warehouses.tablestatistics": ("table", "tables", "表"),
    "jobs.job": ("job", "jobs", "作业"),
    "accounts.apitoken": ("API token", "API tokens", "API 令牌"),
    "audit.auditevent": ("audit event", "audit events", "审计事件"),
    "openid.provider": ("identity provider", "identity providers", "身份提供方"),
    "openid.grouprole": ("role of a group", "roles of groups", "组的角色"),
    "openid.identity": ("linked identity", "linked identities", "关联的身份"),
}
CHINESE: Mapping[str, str] = {
    "action": "操作", "actor": "操作者", "address": "地址", "attempt": "尝试次数", "at": "时间",
    "branch": "分支", "bucket_mode": "分桶模式", "buckets": "分桶数", "bytes": "字节",
    "checked_at": "检查时间", "client_id": "客户端 id", "client_secret": "客户端密钥",
    "created": "创建时间", "created_at": "创建时间", "creates_people": "创建账户", "data_read": "可读数据",
    "data_unmasked": "可见脱敏数据",
    "database": "数据库", "description": "说明", "detail": "详情", "ended_at": "结束时间", "error": "错误",
    "expiry": "到期时间", "files": "文件数", "group": "组", "groups_claim": "组的声明", "hash": "哈希",
    "heartbeat_at": "心跳时间", "is_enabled": "启用", "issuer": "签发者", "job_id": "作业 id",
    "kind": "类型", "label": "标签", "last_commit_at": "最近提交", "last_used_address": "最近使用地址",
    "last_used_at": "最近使用时间", "level": "级别", "links_by_username": "按用户名关联",
    "location": "位置", "measured_at": "测量时间", "name": "名称", "networks": "网络", "number": "序号",
    "options": "选项", "outcome": "结果", "owner": "执行者", "partitions": "分区数", "phases": "阶段",
    "plan_id": "预览 id", "previous_hash": "前一哈希", "problem": "问题", "progress": "进度",
    "provider": "身份提供方", "public_id": "id", "reason": "原因", "requested_by": "发起人",
    "result": "结果", "retry_of": "重试自", "role": "角色", "rows": "行数", "scopes": "范围",
    "snapshot": "快照", "snapshots": "快照数", "started_at": "开始时间", "state": "状态",
    "subject": "主体", "table": "表", "table_destroy": "可破坏性操作", "target": "对象", "token": "令牌",
    "trace_id": "跟踪 id", "type": "类型", "user": "用户", "username_claim": "用户名的声明",
    "warehouse": "仓库",
}  # fmt: skip


# Values that stand in lists and filters, by field; a value without words is shown as it is kept.
VALUES: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "job.state": {
        "queued": ("queued", "排队中"), "starting": ("starting", "启动中"), "running": ("running", "运行中"),
        "verifying": ("verifying", "核验中"), "cancelling": ("cancelling", "取消中"),
        "lost": ("lost", "失联，核查中"), "succeeded": ("succeeded", "成功"), "failed": ("failed", "失败"),
        "failed_committed": ("failed after a commit", "提交后失败"), "cancelled": ("cancelled", "已取消"),
        "cancelled_committed": ("cancelled after a commit", "提交后取消"),
    },
    "job.kind": {
        "write": ("write", "写入"), "compact": ("compact", "合并"), "rollback": ("roll back", "回滚"),
        "restore": ("restore", "恢复"), "expire": ("expire", "过期清理"), "tag": ("tag", "标签"),
        "branch": ("branch", "分支"), "consumer": ("consumer", "消费者"),
        "partitions": ("partitions", "分区"), "options": ("options", "选项"),
        "file_index": ("file indexes", "文件索引"), "manifests": ("manifests", "清单"),
        "vectors": ("deletion vectors", "删除向量"),
        "analyze": ("statistics", "统计信息"), "demo": ("demo data", "演示数据"),
        "view": ("read a view", "读取视图"), "refresh": ("refresh", "刷新"),
    },
    "warehouse.state": {
        "up": ("up", "正常"), "down": ("down", "不可用"), "unknown": ("unknown", "未检查"),
    },
    "tablestatistics.kind": {"primary_key": ("primary key", "主键表"), "append": ("append", "追加表")},
    "auditevent.outcome": {
        "ok": ("ok", "成功"), "denied": ("denied", "拒绝"), "failed": ("failed", "失败"),
    },
}  # fmt: skip


def value_words(field: str, value: object) -> str:
    """The words of a value of a field such as `job.state`, in the language of the request."""
    both = VALUES[field].get(str(value))
    return str(value or "-") if both is None else said(*both)


def name_everything() -> None:
    """Give apps, models and fields of the site their names in both languages."""
    for label, both in _APPS.items():
        apps.get_app_config(label).verbose_name = words(*both)
    for label, (one, many, chinese) in _MODELS.items():
        model: Any = apps.get_model(label)
        model._meta.verbose_name = words(one, chinese)
        model._meta.verbose_name_plural = words(many, chinese)
        for field in model._meta.fields:
            if field.name in CHINESE:
                field.verbose_name = words(str(field.verbose_name), CHINESE[field.name])
