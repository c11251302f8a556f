"""Statistics of ANALYZE. Spec: 01, 11."""

from __future__ import annotations

import pytest

from core.errors import FormatError
from core.stats.table_statistics import ColumnStatistics, column_statistics_text, decode_table_statistics

DATA = (
    b'{"snapshotId": 3, "schemaId": 0, "mergedRecordCount": 5, "colStats": {"a": {"colId": 7, "min": "x"}}}'
)


def test_members_that_were_not_computed_are_unknown() -> None:
    found = decode_table_statistics(DATA)
    assert (found.snapshot_id, found.merged_record_count, found.merged_record_size) == (3, 5, None)
    assert found.columns == {"a": ColumnStatistics(7, minimum="x")}


def test_columns_print_as_java_prints_them() -> None:
    text = column_statistics_text(decode_table_statistics(DATA))
    assert text == '{\n  "a" : {\n    "colId" : 7,\n    "min" : "x"\n  }\n}'
    without = decode_table_statistics(b'{"snapshotId": 3, "schemaId": 0}')
    assert column_statistics_text(without) == "{ }"


@pytest.mark.parametrize(
    "data", [b"", b"[]", b'{"schemaId": 0}', DATA.replace(b'"x"', b"5"), DATA.replace(b"7", b'"7"')]
)
def test_what_is_no_statistics_file_is_an_error(data: bytes) -> None:
    with pytest.raises(FormatError):
        decode_table_statistics(data)
