"""The cast matrix, at its corners. Spec: 09, 2."""

from __future__ import annotations

import pytest

from core.types import parse_type
from core.types.casts import CastKind, cast_kind


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("INT", "BIGINT", CastKind.IMPLICIT),
        ("BIGINT", "INT", CastKind.EXPLICIT),
        ("BOOLEAN", "BOOLEAN NOT NULL", CastKind.IMPLICIT),
        ("DATE", "TIMESTAMP(3)", CastKind.EXPLICIT),
        ("TIMESTAMP(3)", "DATE", CastKind.IMPLICIT),
        ("DECIMAL(10, 2)", "DECIMAL(12, 2)", CastKind.IMPLICIT),
        ("TINYINT", "TIMESTAMP(3)", None),
        ("DATE", "CHAR(5)", None),
        ("BOOLEAN", "DATE", None),
        ("ARRAY<INT>", "ARRAY<BIGINT>", None),
        ("ARRAY<INT>", "ARRAY<INT>", CastKind.IMPLICIT),
        ("VARBINARY(3)", "BINARY(3)", CastKind.EXPLICIT),
    ],
)
def test_the_matrix_says_what_may_become_what(source: str, target: str, expected: CastKind | None) -> None:
    assert cast_kind(parse_type(source), parse_type(target)) == expected
