"""What Spark's event logs tell."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def events(folder: Path, kind: str) -> list[dict[str, Any]]:
    """All events of one kind in the logs of a folder."""
    lines = [line for log in sorted(folder.rglob("events_*")) for line in log.read_text().splitlines()]
    told = [json.loads(line) for line in lines if line.endswith("}")]
    return [event for event in told if event["Event"] == f"SparkListener{kind}"]
