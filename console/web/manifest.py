"""What the build made: the files of Vite's manifest that the shell has to name."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.conf import settings

MAIN, BOOT = "src/main.tsx", "src/theme-boot.ts"


@dataclass(frozen=True, slots=True)
class Assets:
    boot: str  # a small script that runs before the first paint
    main: str
    preload: tuple[str, ...]
    styles: tuple[str, ...]


_read: dict[float, Assets] = {}


def assets() -> Assets | None:
    """The files of the built frontend; None if it was not built. Read again when it is built again."""
    path = settings.FRONTEND_DIST / ".vite" / "manifest.json"
    try:
        changed = path.stat().st_mtime
    except FileNotFoundError:
        return None
    if changed not in _read:
        _read.clear()
        _read[changed] = _assets(json.loads(path.read_text()))
    return _read[changed]


def _assets(manifest: dict[str, Any]) -> Assets:
    chunks = list(dict.fromkeys(_imports(manifest, MAIN)))
    styles = dict.fromkeys(css for name in (MAIN, *chunks) for css in manifest[name].get("css", ()))
    return Assets(
        boot=manifest[BOOT]["file"],
        main=manifest[MAIN]["file"],
        preload=tuple(manifest[name]["file"] for name in chunks),
        styles=tuple(styles),
    )


def _imports(manifest: dict[str, Any], name: str) -> Iterator[str]:
    for imported in manifest[name].get("imports", ()):
        yield imported
        yield from _imports(manifest, imported)
