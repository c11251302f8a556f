"""Tables that real Paimon wrote, by our source as Spark drives it: the rows that their writers read."""

from __future__ import annotations

import pytest

from core.types import type_to_text
from tests.core.test_corpora import expected_of, open_table
from tests.interop.values import differences
from tests.spark_jobs.datasource.direct import read

TABLES = (
    "java09/append.part_special",
    "java09/changelog.lookup",
    "java09/dv.append_dv",
    "java09/dv.pk_dv_l0",
    "java09/evo.pk_evolved",
    "java09/merge.agg_functions",
    "java09/merge.pu_sequence_groups",
    "java09/pk.cross_partition",
    "java09/pk.dyn_hash_part",
    "pypaimon21/py.data_evolution",
    "pypaimon21/py.nested_orc",
    "pypaimon21/py.pk_partial_update",
    "pypaimon21/py.row_tracking",
    "rust04/rs.pk_dynamic",
)


@pytest.mark.parametrize("name", TABLES)
def test_the_source_gives_what_its_writer_reads(name: str) -> None:
    table = open_table(name)
    types = {field.name: type_to_text(field.type) for field in table.schema.fields}
    rows, _, tasks = read(table.location)
    assert tasks == len(table.plan().splits)
    assert differences(rows, expected_of(name)["latest"], types) == {}
