from __future__ import annotations

import pytest

from core.errors import UnsupportedError
from core.io import LocalFileIO, MemoryFileIO, ObstoreFileIO, file_io_for
from core.io.open import s3_settings


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/data/wh", LocalFileIO),
        ("file:/data/wh", LocalFileIO),
        ("file:///data/wh", LocalFileIO),
        ("s3://bucket/wh", ObstoreFileIO),
        ("s3a://bucket/wh", ObstoreFileIO),
        ("memory://x/wh", MemoryFileIO),
    ],
)
def test_the_scheme_decides_on_the_store(path: str, kind: type) -> None:
    assert type(file_io_for(path)) is kind


@pytest.mark.parametrize("path", ["hdfs://name/wh", "oss://bucket/wh"])
def test_a_scheme_that_we_do_not_serve_is_named(path: str) -> None:
    with pytest.raises(UnsupportedError, match=path.partition(":")[0]):
        file_io_for(path)


def test_options_of_paimon_and_hadoop_set_up_s3() -> None:
    options = {
        "s3.access-key": "a",
        "fs.s3a.secret.key": "b",
        "s3.endpoint": "http://localhost:1",
        "s3.path.style.access": "true",
        "warehouse": "s3://x",
    }
    assert s3_settings(options) == {
        "access_key_id": "a",
        "secret_access_key": "b",
        "endpoint": "http://localhost:1",
        "virtual_hosted_style_request": "false",
    }
