"""docs/spark.md names every option and type of the format `lakescope`."""

from __future__ import annotations

from pathlib import Path

from core import types
from spark_jobs.datasource.options import CHECKPOINT, OWN_OPTIONS, PATH

TEXT = (Path(__file__).parents[2] / "docs" / "spark.md").read_text(encoding="utf-8")


def test_every_option_is_told() -> None:
    told = TEXT.lower()
    assert [key for key in OWN_OPTIONS - {PATH, CHECKPOINT} if f"`{key}`" not in told] == []


def test_every_type_of_paimon_is_told() -> None:
    kinds = [name for name in types.__all__ if name.endswith("Type") and name != "DataType"]
    names = {
        "LocalZonedTimestampType": "LOCAL TIME ZONE",
        "VarCharType": "VARCHAR",
        "VarBinaryType": "VARBINARY",
    }
    words = {kind: names.get(kind, kind.removesuffix("Type").upper()) for kind in kinds}
    assert len(words) > 20
    assert [kind for kind, word in words.items() if word not in TEXT] == []
