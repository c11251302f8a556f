"""`$file_indexes` over indexes that Java wrote. Spec: 04, B."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from core.catalog import open_catalog
from core.errors import FormatError

CORPORA = Path(__file__).parents[2] / "corpora"


def rows(name: str) -> list[dict[str, Any]]:
    warehouse, _, table = name.partition("/")
    return open_catalog(str(CORPORA / warehouse)).get_table(f"{table}$file_indexes").to_arrow().to_pylist()


def test_each_index_in_a_file_of_its_own_is_a_row() -> None:
    found = rows("java09/idx.bitmap_file_mixed")
    assert {(row["column_name"], row["index_type"]) for row in found} == {
        ("d", "bitmap"),
        ("b", "bitmap"),
        ("s", "bloom-filter"),
    }
    assert {row["storage_type"] for row in found} == {"FILE"}
    for row in found:
        assert row["index_file_path"] == f"{row['file_path']}.index"
        assert row["index_container_size_in_bytes"] == Path(row["index_file_path"]).stat().st_size


def test_an_index_in_the_manifest_has_no_path() -> None:
    found = rows("java09bsi/idx.bsi_embedded")
    assert {(row["storage_type"], row["index_file_path"], row["index_type"]) for row in found} == {
        ("EMBEDDED", None, "bsi")
    }
    sizes = {row["index_container_size_in_bytes"] for row in found}
    assert max(row["index_size_in_bytes"] for row in found) < min(sizes)
    assert not any(row["is_empty"] for row in found)


def test_a_table_without_indexes_has_no_rows() -> None:
    assert rows("java09/append.logs_unaware") == []


def test_a_damaged_index_is_an_error_that_names_its_file() -> None:
    with pytest.raises(FormatError, match=r"\.index"):
        rows("damaged/broken.garbage_file_index")
