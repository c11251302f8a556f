"""What core refuses of a schema or a source, as a sentence for people: no names of fields, in their language.

Core's own sentence stands where there is none here; a test holds what a pasted schema can be refused for.
"""

from __future__ import annotations

import re

from console.api.language import is_chinese
from core.errors import PaimonError

# Core's sentence, whole or up to its first colon: the same in English and Chinese, with the error's fields.
_SAID: dict[str, tuple[str, str]] = {
    "the schema is too long": (
        "The schema has {found} characters, and at most {limit} are read",
        "表结构有 {found} 个字符，最多读取 {limit} 个",
    ),
    "the schema has no column": ("There is no column here", "此处没有任何列"),
    "the schema is not JSON": ("This is not JSON: {cause}", "这不是有效的 JSON：{cause}"),
    "the schema has no list `fields`": ("The JSON has no list `fields`", "JSON 中没有列表 `fields`"),
    "the schema has fields that are none": (
        "The JSON's fields are none: {cause}",
        "JSON 中的字段无效：{cause}",
    ),
    "CREATE TABLE has no closing parenthesis": (
        "CREATE TABLE has no closing parenthesis",
        "CREATE TABLE 缺少右括号",
    ),
    "the schema is nested too deeply": ("Types are nested deeper than {limit}", "类型嵌套超过 {limit} 层"),
    "no type of Spark": (
        "Spark has no type {found}; a nested one is {expected}",
        "Spark 没有类型 {found}；嵌套类型为 {expected}",
    ),
    "unknown data type": ("There is no {feature}", "不存在该类型：{feature}"),
    "not a data type": ("This is no list of columns: {rest}", "这不是列的列表：{rest}"),
}
_EXPECTED = re.compile(r"expected (?P<expected>.+), found (?P<found>'.*')$", re.DOTALL)
_CHINESE = {"a member name": "列名", "a type name": "类型名"}
_CLOSING = "'>'"  # of the ROW<...> that core puts around columns


def told(error: Exception) -> str:
    """The reason, without the fields that core's messages end with."""
    if not isinstance(error, PaimonError):
        return str(error)
    head, _, rest = error.what.partition(": ")
    known = _SAID.get(error.what) or _SAID.get(head) or _SAID.get(head.partition(" '")[0])
    if known is None:
        cause = error.fields.get("cause")
        return error.what if cause is None else f"{error.what}: {cause}"
    return known[is_chinese()].format_map({**error.fields, "rest": _rest(rest)})


def _rest(rest: str) -> str:
    """What a parser expected and found."""
    parts = _EXPECTED.match(rest)
    if parts is None:
        return rest
    expected, found = parts["expected"], parts["found"]
    if is_chinese():
        end = "文本已结束" if found == _CLOSING else f"遇到 {found}"
        return f"此处应为{_CHINESE.get(expected, f' {expected}')}，{end}"
    return f"expected {expected}, {'and the text ends' if found == _CLOSING else f'found {found}'}"
