"""Scripts: text files of cases, each an input and, below it, the text that the code makes of it.

    # title of the case
    input
    ----
    expected

`pytest --rewrite` writes what the code gives now; review the diff.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

_CASE = re.compile(
    r"^# (?P<title>.+)\n(?P<input>(?:.*\n)*?)----\n(?P<expected>(?:(?!# ).*\n?)*)", re.MULTILINE
)


def check_script(path: Path, render: Callable[[str], str], *, rewrite: bool) -> None:
    """Every case of the file renders to its expected text."""
    text = path.read_text(encoding="utf-8")
    cases = list(_CASE.finditer(text))
    assert cases, f"{path.name} holds no case"
    rendered = "\n".join(
        f"# {case['title']}\n{case['input']}----\n{render(case['input']).strip()}\n" for case in cases
    )
    if rewrite:
        path.write_text(rendered, encoding="utf-8")
    else:
        assert rendered == text
