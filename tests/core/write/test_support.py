"""What writers and compactions refuse, by their own list and not only by that of reads."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.catalog import open_catalog
from core.errors import UnsupportedError
from core.options import TableOptions
from core.schema.table_schema import TableSchema
from core.table import Table
from core.write import support
from core.write.support import check_writable
from tests.builders import schema

CORPORA = Path(__file__).parents[2] / "corpora"

OPTIONS = {
    "merge-engine": ("partial-update", "merge-engine = partial-update"),
    "sequence.snapshot-ordering": ("true", "sequence.snapshot-ordering"),
    "pk-clustering-override": ("true", "pk-clustering-override"),
    "deletion-vectors.enabled": ("true", "deletion vectors"),
    "data-evolution.enabled": ("true", "data evolution"),
    "row-tracking.enabled": ("true", "row tracking"),
    "file.format": ("orc", "writing file.format orc"),
    "changelog-producer": ("lookup", "changelog-producer lookup"),
    "bucket": ("-1", "writing dynamic buckets (primary key with bucket = -1)"),
    "rowkind.field": ("v", "rowkind.field"),
    "record-level.expire-time": ("1 d", "record-level.expire-time"),
}


@pytest.fixture(autouse=True)
def _reads_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever reads learn some day, the list of writers stands by itself."""
    monkeypatch.setattr(support, "check_readable", lambda schema: None)


def refusal_of(table_schema: TableSchema) -> object:
    with pytest.raises(UnsupportedError) as refusal:
        check_writable(table_schema, TableOptions(table_schema.options))
    return refusal.value.fields["feature"]


@pytest.mark.parametrize("key", sorted(OPTIONS))
def test_an_option_that_we_would_write_wrongly_is_refused(key: str) -> None:
    value, feature = OPTIONS[key]
    assert refusal_of(schema(primary_keys=["k"], options={"bucket": "1", key: value})) == feature


def test_a_type_that_is_not_written_is_refused_at_any_depth() -> None:
    assert refusal_of(schema({"c": "ARRAY<VARIANT>"})) == "type VARIANT of column c"


@pytest.mark.parametrize(
    "name",
    [
        "dv.append_dv",
        "dv.append_dv_bucketed",
        "dv.pk_dv",
        "merge.first_row",
        "merge.pu_plain",
        "merge.agg_functions",
    ],
)
def test_a_table_that_is_read_but_not_written_is_not_compacted_either(name: str) -> None:
    table = open_catalog(str(CORPORA / "java09")).get_table(name)
    assert isinstance(table, Table)
    with pytest.raises(UnsupportedError, match=r"deletion vectors|merge-engine"):
        table.plan_compaction()
    with pytest.raises(UnsupportedError, match=r"deletion vectors|merge-engine"):
        table.new_write()
