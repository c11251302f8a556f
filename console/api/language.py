"""The language of the answer that is made now: English, or Chinese where the reader asked for it."""

from __future__ import annotations

from django.utils.translation import get_language


def is_chinese() -> bool:
    return (get_language() or "en").startswith("zh")


def said(english: str, chinese: str) -> str:
    """The words in the language of the answer."""
    return chinese if is_chinese() else english
