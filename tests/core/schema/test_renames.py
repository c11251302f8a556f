from __future__ import annotations

import pytest

from core.schema.renames import options_renamed


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (("bucket-key", "a,b"), ("bucket-key", "x,b")),
        (("sequence.field", "b,a"), ("sequence.field", "b,x")),
        (("fields.a.aggregate-function", "sum"), ("fields.x.aggregate-function", "sum")),
        (("fields.a.ignore-retract", "true"), ("fields.x.ignore-retract", "true")),
        (("fields.b,a.sequence-group", "c,a"), ("fields.b,x.sequence-group", "c,x")),
        (("fields.a.nested-key", "a"), ("fields.x.nested-key", "x")),
        (("fields.ab.aggregate-function", "a"), ("fields.ab.aggregate-function", "a")),
        (("comment.about", "a"), ("comment.about", "a")),
    ],
)
def test_a_column_is_renamed_where_an_option_names_it(
    before: tuple[str, str], after: tuple[str, str]
) -> None:
    assert options_renamed(dict([before]), "a", "x") == dict([after])
