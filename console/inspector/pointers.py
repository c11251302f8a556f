"""Whether hints and listing name the same snapshots (rule R23 of the advisor)."""

from __future__ import annotations

from typing import Any

from console.api.language import said
from console.inspector.opening import OpenTable
from core.snapshot.hints import HintReport, parse_hint

_SAYS = ("{hint} says {text!r}, the listing says {listed}", "{hint} 提示为 {text!r}，目录列表为 {listed}")
_GAPS = ("missing between EARLIEST and LATEST: {gaps}", "EARLIEST 与 LATEST 之间缺少：{gaps}")
_BETWEEN = ("; ", "；")


def pointer(opened: OpenTable) -> dict[str, Any]:
    """What LATEST and the listing say, and a sentence in the reader's language on what disagrees."""
    report = opened.table.snapshots.hint_report()
    hint = parse_hint(report.latest_hint)
    wrong = report.latest_hint is not None and hint != report.latest
    return {
        "hint": hint,
        "listed": report.latest,
        "agree": not wrong and not report.gaps,
        "detail": _sentence(report) or None,
    }


def _sentence(report: HintReport) -> str:
    parts = [said(*_SAYS).format(hint=name, text=text, listed=listed) for name, text, listed in report.wrong]
    if report.gaps:
        parts.append(said(*_GAPS).format(gaps=report.gap_ranges))
    return said(*_BETWEEN).join(parts)
