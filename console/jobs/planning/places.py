"""Where the rows of a write may come from: places that somebody has opened for it, and no others.

A job reads with the worker's rights, so a path that a person types decides what that person gets to
see. A source may lie below the data folder's `uploads`, below one of LAKESCOPE_SOURCE_ROOTS, or
in a registered warehouse, there only in what the person may read anyway.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Any

from django.conf import settings

from console.accounts.roles import Access, Permission, Scope
from console.api.language import is_chinese
from console.environment import UPLOADS
from console.masking.looking import masks_something
from console.warehouses.models import Warehouse

# Options of Spark's readers that say how a file is read, never which; lower case: Spark ignores case.
OPTIONS = frozenset(
    {
        "header", "sep", "delimiter", "quote", "escape", "encoding", "charset", "comment", "nullvalue",
        "emptyvalue", "nanvalue", "positiveinf", "negativeinf", "dateformat", "timestampformat",
        "timestampntzformat", "timezone", "inferschema", "preferdate", "multiline", "linesep", "mode",
        "locale", "compression", "ignoreleadingwhitespace", "ignoretrailingwhitespace", "maxcolumns",
        "maxcharspercolumn", "enforceschema", "allowcomments", "allowsinglequotes",
        "allowunquotedfieldnames", "allownumericleadingzeros", "primitivesasstring", "prefersdecimal",
        "dropfieldifallnull", "mergeschema", "recursivefilelookup", "pathglobfilter", "datetimerebasemode",
        "int96rebasemode", "samplingratio",
    }
)  # fmt: skip

_SCHEME = re.compile(r"^([A-Za-z][A-Za-z0-9+.-]*):")
_PATTERNS = re.compile(r"[?\[\]{}\\\0]")


_DATABASE = ".db"


class SourceError(Exception):
    """The source cannot be used; the message is for people, in their language where it is our own."""

    def __init__(self, english: str, chinese: str | None = None) -> None:
        super().__init__(english, chinese or english)

    def __str__(self) -> str:
        return str(self.args[is_chinese()])


def check_source(source: dict[str, Any], access: Access) -> None:
    """Nothing, if the person may write from there.

    Raises:
        SourceError: a path or an option that is not open; says which setting opens it.
    """
    if source["kind"] == "query":
        for view in (source.get("views") or {}).values():
            _check_files(view, access)
    else:
        _check_files(source, access)


def _check_files(files: dict[str, Any], access: Access) -> None:
    unknown = sorted(key for key in files.get("options") or {} if key.lower() not in OPTIONS)
    if unknown:
        raise SourceError(
            f"these options cannot be set here: {', '.join(unknown)}",
            f"此处不能设置这些选项：{'、'.join(unknown)}",
        )
    _check_path(files["path"], access)


def _check_path(path: str, access: Access) -> None:
    if _PATTERNS.search(path) or ".." in path.split("/"):
        raise SourceError(
            "a path may hold * and no other pattern, and no ..", "路径中只能使用通配符 *，且不能含有 .."
        )
    place = _resolved(path)
    data = _resolved(str(settings.DATA_FOLDER))
    if _below(place, data) and not any(_below(place, f"{data}/{name}") for name in (UPLOADS, "warehouses")):
        raise SourceError("this folder holds the console's own data", "此文件夹存放控制台自身的数据")
    roots = (f"{data}/{UPLOADS}", *settings.SOURCE_ROOTS)
    if _is_open(place, [_resolved(root) for root in roots], access):
        return
    raise SourceError(
        f"sources may lie below {', '.join(roots)}, or in a warehouse that you may read; "
        "whoever runs the console opens other folders by LAKESCOPE_SOURCE_ROOTS",
        f"数据源可位于 {'、'.join(roots)} 之下，或您可读取的仓库中；"
        "其他文件夹由控制台的运行者通过 LAKESCOPE_SOURCE_ROOTS 开放",
    )


def _is_open(place: str, roots: Sequence[str], access: Access) -> bool:
    """Whether a place may be read; a folder that is open to everybody does not open the warehouses in it."""
    around: list[Scope] = []
    holds_tables = False
    folder = place.partition("*")[0].rpartition("/")[0] if "*" in place else place
    for warehouse in Warehouse.objects.all():
        if warehouse.options.get("metastore") == "rest":
            continue  # it is named, and lies where its server says
        root = _resolved(warehouse.location)
        if _below(place, root):
            inner = place[len(root) :].strip("/").split("/")
            around.append(_scope(warehouse.name, inner))
            holds_tables |= not inner[0] or "*" in inner[0] or inner[0].endswith(_DATABASE)
        elif _below(root, folder) and not _may_read(Scope(warehouse.name), access):
            return False
    if not holds_tables and any(_below(place, root) for root in roots):
        return True
    return any(_may_read(scope, access) for scope in around)


def _may_read(scope: Scope, access: Access) -> bool:
    return access.allows(Permission.DATA_READ, scope) and not masks_something(access, scope)


def _scope(warehouse: str, inner: list[str]) -> Scope:
    """What has to be readable for a path inside a warehouse: no more than the path pins down."""
    if not inner[0].endswith(_DATABASE) or "*" in inner[0]:
        return Scope(warehouse)
    database = inner[0].removesuffix(_DATABASE)
    if len(inner) < 2 or not inner[1] or "*" in inner[1]:
        return Scope(warehouse, database)
    return Scope(warehouse, database, inner[1])


def local_path(path: str) -> str | None:
    """The absolute local path that `path` names; None for an address in a store.

    Raises:
        SourceError: neither.
    """
    scheme = _SCHEME.match(path)
    if scheme and scheme[1].lower() != "file":
        if "://" not in path:
            raise SourceError("an address is scheme://bucket/path", "地址的形式为 scheme://bucket/path")
        return None
    plain = path[scheme.end() :] if scheme else path
    if plain.startswith("//"):
        plain = plain[2:]  # file:///folder; a host would leave something that is no absolute path
    if not plain.startswith("/"):
        raise SourceError("the path has to be absolute", "路径必须是绝对路径")
    return plain


def _resolved(path: str) -> str:
    """The place in one spelling, links followed: what two texts of one place have in common."""
    local = local_path(path)
    if local is None:
        scheme, _, rest = path.partition("://")
        store = "s3" if scheme.lower() in ("s3a", "s3n") else scheme.lower()
        return f"{store}://{rest}".rstrip("/")
    fixed, star, pattern = local.partition("*")
    folder, slash, begun = fixed.rpartition("/") if star else (fixed, "", "")
    return os.path.realpath(folder or "/").rstrip("/") + (f"{slash}{begun}{star}{pattern}" if star else "")


def _below(place: str, root: str) -> bool:
    return place == root or place.startswith(root.rstrip("/") + "/")
