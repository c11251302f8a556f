"""The codes of problems: with each its status, and its title and detail in both languages.

`code` and `type` are contract; titles and details are for people. A detail is a template over the
problem's fields; a variant for a special case has the code, a slash and a name.
"""

from __future__ import annotations

from typing import NamedTuple

TYPE_BASE = "https://lakescope.dev/problems/"


class Words(NamedTuple):
    en: str
    zh: str


class Code(NamedTuple):
    status: int
    title: Words
    detail: Words


def _code(status: int, title: tuple[str, str], detail: tuple[str, str]) -> Code:
    return Code(status, Words(*title), Words(*detail))


CODES: dict[str, Code] = {
    "validation-failed": _code(
        400,
        ("The request is not valid", "请求无效"),
        ("Correct the fields listed under errors and send it again.", "请更正 errors 中列出的字段后重试。"),
    ),
    "unauthenticated": _code(
        401,
        ("Sign-in needed", "需要登录"),
        ("Sign in, or send an API token as a bearer token.", "请登录，或以 Bearer 方式发送 API 令牌。"),
    ),
    "forbidden": _code(
        403,
        ("Not permitted", "没有权限"),
        (
            "This needs the permission {permission} on {scope}. An administrator can grant it.",
            "此操作需要对 {scope} 的 {permission} 权限，可由管理员授予。",
        ),
    ),
    "approval-required": _code(
        403,
        ("Another person has to approve this", "需要他人批准"),
        ("The table is protected.", "该表受保护。"),
    ),
    "not-found": _code(
        404, ("Not found", "未找到"), ("There is no {kind} {name}.", "不存在 {kind} {name}。")
    ),
    "object-missing": _code(
        404,
        ("A file is missing", "文件缺失"),
        ("{path} is referenced but is not in the store.", "{path} 被引用，但存储中不存在。"),
    ),
    "method-not-allowed": _code(
        405,
        ("Method not allowed", "不允许的方法"),
        ("This address does not answer {method}.", "该地址不支持 {method}。"),
    ),
    "not-acceptable": _code(
        406,
        ("No such representation", "没有这种表示形式"),
        (
            "This address answers application/json; lists also answer application/x-ndjson and text/csv.",
            "该地址返回 application/json；列表还支持 application/x-ndjson 和 text/csv。",
        ),
    ),
    "table-busy": _code(
        409,
        ("Another job is changing this table", "另一个作业正在修改此表"),
        ("Wait until {job} has ended, or cancel it.", "请等待 {job} 结束，或取消它。"),
    ),
    "plan-stale": _code(
        409,
        ("The table changed since the plan", "表在生成预览后已变化"),
        (
            "The plan was made at {base}, the table stands at {latest}. Compute the plan again.",
            "预览基于 {base}，而表当前为 {latest}。请重新生成预览。",
        ),
    ),
    "plan-blocked": _code(
        409,
        ("The plan cannot be run", "预览无法执行"),
        (
            "The plan has blockers; remove their causes and plan again.",
            "预览存在阻碍项，请先排除后重新生成。",
        ),
    ),
    "already-exists": _code(
        409, ("It exists already", "已存在"), ("There is already a {kind} {name}.", "{kind} {name} 已存在。")
    ),
    "job-ended": _code(
        409,
        ("The job has ended", "作业已结束"),
        ("{job} is {state} and cannot be changed.", "{job} 的状态为 {state}，无法更改。"),
    ),
    "job-not-ended": _code(
        409,
        ("The job has not ended", "作业尚未结束"),
        (
            "{job} is {state}; only an ended job can be retried.",
            "{job} 的状态为 {state}；只有已结束的作业可以重试。",
        ),
    ),
    "snapshot-expired": _code(
        410,
        ("The snapshot is no longer kept", "快照已不再保留"),
        (
            "Snapshot {snapshot} has expired or was rolled back; kept are {earliest} to {latest}.",
            "快照 {snapshot} 已过期或被回滚；现保留 {earliest} 至 {latest}。",
        ),
    ),
    "snapshot-replaced": _code(
        410,
        ("Another snapshot has this id now", "该编号现属于另一个快照"),
        (
            "{snapshot} was removed by a rollback, and its id was used again by {current}.",
            "{snapshot} 已被回滚移除，其编号现由 {current} 使用。",
        ),
    ),
    "precondition-failed": _code(
        412,
        ("It was changed by somebody else", "已被他人修改"),
        ("If-Match does not match; read it again.", "If-Match 不匹配，请重新读取。"),
    ),
    "too-large": _code(413, ("Too large", "过大"), ("The limit is {limit}.", "上限为 {limit}。")),
    "range-not-satisfiable": _code(
        416,
        ("No such bytes", "没有这些字节"),
        ("The object has {size} bytes.", "该对象有 {size} 字节。"),
    ),
    "unsupported-media-type": _code(
        415,
        ("Unsupported media type", "不支持的媒体类型"),
        ("Send application/json.", "请发送 application/json。"),
    ),
    "confirmation-mismatch": _code(
        422,
        ("The confirmation does not match", "确认内容不匹配"),
        ("Type {expected} to confirm.", "请输入 {expected} 以确认。"),
    ),
    "idempotency-conflict": _code(
        422,
        ("The idempotency key was used for another request", "幂等键已用于另一请求"),
        ("Use a new Idempotency-Key for a new request.", "新请求请使用新的 Idempotency-Key。"),
    ),
    "unsupported-format-version": _code(
        422,
        ("Not supported yet", "暂不支持"),
        ("{what}", "{what}"),
    ),
    "object-damaged": _code(
        422,
        ("A file is damaged", "文件已损坏"),
        ("{what}", "{what}"),
    ),
    "value-out-of-range": _code(
        422,
        ("A number is too large for JSON", "数值超出 JSON 可表示的范围"),
        ("{field} is not below 2^53 and cannot be sent exactly.", "{field} 不小于 2^53，无法精确传输。"),
    ),
    "cursor-mismatch": _code(
        400,
        ("The cursor belongs to another list", "游标与列表不符"),
        (
            "Use a cursor with the filters, sort and snapshot it came with, or begin again.",
            "请配合原有的筛选、排序和快照使用游标，或重新开始。",
        ),
    ),
    "unknown-filter": _code(
        400,
        ("Unknown filter", "未知的筛选字段"),
        ("{field} is not a filter here; allowed are {allowed}.", "{field} 不能在此筛选；可用：{allowed}。"),
    ),
    "precondition-required": _code(
        428,
        ("A precondition is needed", "缺少前置条件"),
        ("Send If-Match with the ETag of what you read.", "请在 If-Match 中发送读取时的 ETag。"),
    ),
    "rate-limited": _code(
        429,
        ("Too many requests", "请求过于频繁"),
        ("Wait {seconds} s.", "请等待 {seconds} 秒。"),
    ),
    "internal-error": _code(
        500,
        ("Something went wrong here", "服务器内部错误"),
        ("The log has the cause under this trace id.", "原因记录在日志中，可按此 trace id 查找。"),
    ),
    "warehouse-unavailable": _code(
        503,
        ("The warehouse does not answer", "仓库无法访问"),
        ("{what}", "{what}"),
    ),
    "engine-unavailable": _code(
        503,
        ("The job engine does not answer", "作业引擎无法访问"),
        ("Jobs cannot be started now: {what}", "当前无法启动作业：{what}"),
    ),
    "timeout": _code(
        504,
        ("It takes too long", "耗时过长"),
        (
            "The read goes on in the background; ask again in a moment.",
            "读取仍在后台进行，请稍后重试。",
        ),
    ),
}

# Details of special cases, by code and name.
VARIANTS: dict[str, Words] = {
    "not-found/page": Words("There is nothing at {path}.", "{path} 处没有内容。"),
    "forbidden/csrf": Words("The CSRF token is missing or wrong.", "缺少 CSRF 令牌或令牌不正确。"),
    "forbidden/own-only": Words("You may do this only for yourself.", "只能对自己执行此操作。"),
    "forbidden/signed-in-only": Words(
        "An API token cannot make tokens: sign in.", "API 令牌不能创建令牌，请登录后操作。"
    ),
    "precondition-required/idempotency": Words(
        "Send an Idempotency-Key header (8 to 100 characters, new for each new request).",
        "请发送 Idempotency-Key 请求头（8 至 100 个字符，每个新请求使用新值）。",
    ),
    "plan-stale/expired": Words(
        "The plan expired at {expires_at}. Compute it again.", "预览已于 {expires_at} 过期，请重新生成。"
    ),
    "plan-stale/definition": Words(
        "The definition, or a view in it, has changed since {job}: compute the plan and look at it.",
        "自 {job} 以来，定义或其中的视图已变化：请重新生成预览并查看。",
    ),
    "plan-stale/used": Words("A job was already made from this plan: {job}.", "该预览已用于作业 {job}。"),
    "table-busy/view": Words(
        "You run a view already: wait until {job} has ended, or cancel it.",
        "您已在运行一个视图：请等待 {job} 结束，或取消它。",
    ),
    "job-not-ended/view": Words(
        "{job} is {state}: its rows are there when it has ended.", "{job} 的状态为 {state}，结束后才有数据。"
    ),
    "not-found/rows": Words(
        "There are no rows of {job} any more, or it has read none: run the view again.",
        "{job} 的数据已不再保留，或它没有读到数据：请重新运行视图。",
    ),
    "timeout/preview": Words(
        "The rows were not read within {seconds} s. Choose fewer columns, or filter by partition or key.",
        "未能在 {seconds} 秒内读取数据。请减少列，或按分区或主键筛选。",
    ),
    "object-damaged/decoder": Words(
        "A data file of this table is damaged so badly that its decoder ended; nothing was read.",
        "该表的某个数据文件损坏严重，解码器已终止；未读取任何数据。",
    ),
    "rate-limited/streams": Words(
        "As many live streams are open as may be. Ask for the events as JSON, or again in {seconds} s.",
        "实时流的数量已达上限。请以 JSON 读取事件，或在 {seconds} 秒后重试。",
    ),
    "too-large/body": Words("The body may have at most {limit} bytes.", "请求正文最多 {limit} 字节。"),
}


def help_address(code: str) -> str:
    """Where this console tells what a code means and what to do: a page that needs no sign-in."""
    return f"/help/problems#{code}"


def type_uri(code: str) -> str:
    """The stable URI of a code's problem type."""
    return TYPE_BASE + code
