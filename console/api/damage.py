"""What is wrong with an object of a warehouse, in codes for programs and in words for people.

Core's errors say what was met where; here that becomes the object that a person knows (the manifest
list of snapshot 7), what points to it, and what can still be read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from console.api.language import is_chinese
from core.errors import FormatError, NotFoundError, PaimonError, UnsupportedError


class Pointer(NamedTuple):
    """What names a damaged object: a snapshot, a manifest list, a tag."""

    kind: str  # as in OBJECTS
    name: str
    role: str | None = None  # base, delta, changelog or index, where a snapshot names a list

    def text(self) -> str:
        return f"{_word(self.kind)} {self.name}" + (f" ({self.role})" if self.role else "")


@dataclass(frozen=True, slots=True)
class Damage:
    """An object that cannot be used."""

    code: str  # as in _SENTENCES
    object: str  # as in OBJECTS
    name: str
    path: str | None = None
    reason: str | None = None  # core's own sentence: for the log, never translated
    expected: str | None = None
    found: str | None = None
    named_by: tuple[Pointer, ...] = ()
    readable: str | None = None  # the newest snapshot before that can be read

    def shown(self) -> dict[str, Any]:
        """The damage as the API shows it, its `detail` in the active language."""
        return {
            "code": self.code, "object": self.object, "name": self.name, "path": self.path,
            "reason": self.reason, "expected": self.expected, "found": self.found,
            "named_by": [pointer._asdict() for pointer in self.named_by],
            "readable": self.readable, "detail": self.sentence(),
        }  # fmt: skip

    def sentence(self) -> str:
        """What is wrong, who names it and what is left, in the active language."""
        chinese = is_chinese()
        texts = {"object": _word(self.object), "name": self.name, "expected": self.expected,
                 "found": self.found}  # fmt: skip
        parts = [_SENTENCES[self.code][chinese].format(**texts)]
        if self.named_by:
            names = ("、" if chinese else ", ").join(p.text() for p in self.named_by)
            parts.append(_NAMED_BY[chinese].format(names=names))
        if self.readable:
            parts.append(_READABLE[chinese].format(snapshot=self.readable))
        text = ("" if chinese else " ").join(parts)
        return text[0].upper() + text[1:]

    def named(self, *pointers: Pointer) -> Damage:
        return replace(self, named_by=(*self.named_by, *pointers))

    def leaving(self, readable: str | None) -> Damage:
        return replace(self, readable=readable)


OBJECTS: Mapping[str, tuple[str, str]] = {
    "snapshot": ("snapshot", "快照"),
    "schema": ("schema", "表结构"),
    "tag": ("tag", "标签"),
    "branch": ("branch", "分支"),
    "consumer": ("consumer", "消费者"),
    "changelog": ("long-lived changelog", "长期变更日志"),
    "hint": ("hint file", "提示文件"),
    "manifest_list": ("manifest list", "清单列表"),
    "manifest": ("manifest", "清单"),
    "index_manifest": ("index manifest", "索引清单"),
    "index_file": ("index file", "索引文件"),
    "statistics": ("statistics file", "统计文件"),
    "data_file": ("data file", "数据文件"),
    "file_index": ("file index", "文件索引"),
}

_SENTENCES: Mapping[str, tuple[str, str]] = {
    "missing": ("{object} {name} is missing.", "{object} {name} 缺失。"),
    "damaged": ("{object} {name} is damaged and cannot be read.", "{object} {name} 已损坏，无法读取。"),
    "wrong-size": (
        "{object} {name} has {found} bytes; {expected} bytes were written.",
        "{object} {name} 的大小为 {found} 字节，写入时为 {expected} 字节。",
    ),
    "unsupported": (
        "{object} {name} is of a kind that this release does not read.",
        "{object} {name} 的格式暂不支持读取。",
    ),
    "unreadable": (
        "{object} {name} could not be read: the store did not answer.",
        "无法读取{object} {name}：存储没有响应。",
    ),
}
CODES = tuple(_SENTENCES)
_NAMED_BY = ("Named by {names}.", "引用它的是：{names}。")
_READABLE = ("Snapshot {snapshot} can still be read.", "快照 {snapshot} 仍可读取。")


def _word(kind: str) -> str:
    return OBJECTS[kind][is_chinese()]


def wrong_size(kind: str, path: str, *, expected: int, found: int) -> Damage:
    """A file that is there with another size than what names it says."""
    name = path.rpartition("/")[2]
    return Damage("wrong-size", kind, name, path, expected=str(expected), found=str(found))


def problem_of(damage: Damage | None) -> dict[str, Any]:
    """The members of a row that tell of its damage: `problem` for people, `damage` for programs."""
    if damage is None:
        return {"problem": None, "damage": None}
    return {"problem": damage.sentence(), "damage": damage.shown()}


# --- from core's errors ---------------------------------------------------------------------------
_KINDS_OF_ERROR: Sequence[tuple[type[PaimonError], str]] = (
    (NotFoundError, "missing"),
    (FormatError, "damaged"),
    (UnsupportedError, "unsupported"),
)


def damage_of(error: PaimonError, *, kind: str = "data_file", name: str = "?") -> Damage:
    """The damage that an error tells of; `kind` and `name` stand where the error has no path."""
    path = error.fields.get("path")
    if path is not None:
        kind, name = object_at(str(path))
    code = next((code for type_, code in _KINDS_OF_ERROR if isinstance(error, type_)), "unreadable")
    expected, found = (error.fields.get(field) for field in ("expected", "found"))
    return Damage(
        code, kind, name, path if path is None else str(path), error.what,
        None if expected is None else str(expected), None if found is None else str(found),
    )  # fmt: skip


def object_at(path: str) -> tuple[str, str]:
    """What lies at a path of a table, and its name: an id, a tag's name, else the file's name."""
    folder, _, file = path.rpartition("/")
    folder = folder.rpartition("/")[2]
    for prefix, kind in _PREFIXES.get(folder, {}).items():
        if file.startswith(prefix):
            return kind, file.removeprefix(prefix) if kind in _SHORT else file
    if folder == "index":
        return "index_file", file
    return ("file_index", file) if file.endswith(".index") else ("data_file", file)


_PREFIXES: Mapping[str, Mapping[str, str]] = {
    "snapshot": {"snapshot-": "snapshot", "LATEST": "hint", "EARLIEST": "hint"},
    "schema": {"schema-": "schema"},
    "tag": {"tag-": "tag"},
    "consumer": {"consumer-": "consumer"},
    "changelog": {"changelog-": "changelog"},
    "statistics": {"": "statistics"},
    "manifest": {
        "manifest-list-": "manifest_list",
        "index-manifest-": "index_manifest",
        "manifest-": "manifest",
    },
}
_SHORT = frozenset({"snapshot", "schema", "tag", "consumer", "changelog"})
