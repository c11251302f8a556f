"""The format of a data file by its name. Spec: 01, 1.1."""

from __future__ import annotations

import pytest

from core.datafile.file_format import FileFormat, format_of
from core.errors import UnsupportedError


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("data-1.parquet", FileFormat.PARQUET),
        ("s3://bucket.with.dots/t/data-1.orc", FileFormat.ORC),
        ("data-1.zstd.parquet", FileFormat.PARQUET),
        ("data-1.parquet.gz", FileFormat.PARQUET),
        ("data--u-user-s-1-w-2-0.avro", FileFormat.AVRO),
        ("data-1.blob", FileFormat.BLOB),
    ],
)
def test_the_last_extension_that_is_no_codec_names_the_format(name: str, expected: FileFormat) -> None:
    assert format_of(name) is expected


@pytest.mark.parametrize(
    ("name", "feature"),
    [
        ("data-1.lance", "file format lance"),
        ("data-1.json.gz", "file format json"),
        ("data-1.vector.parquet", "vector-store file"),
        ("data-1.vector.lance", "vector-store file"),
        ("data-1", "file format without a name"),
    ],
)
def test_what_is_not_read_is_refused_by_name(name: str, feature: str) -> None:
    with pytest.raises(UnsupportedError) as refusal:
        format_of(name)
    assert refusal.value.fields == {"feature": feature, "where": name}
