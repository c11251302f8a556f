"""Every target takes what it starts from, and the half of it."""

from __future__ import annotations

from contextlib import suppress
from itertools import islice

import pytest

from core.errors import PaimonError
from tests.fuzz.targets import CORPORA, TARGETS


@pytest.mark.parametrize("name", sorted(TARGETS))
def test_half_of_a_sample_is_a_value_or_an_error_of_ours(name: str) -> None:
    for sample in islice(CORPORA.get(name, lambda: iter([b"sample"]))(), 3):
        for data in (sample, sample[: len(sample) // 2], sample[:-1], b""):
            with suppress(PaimonError):
                TARGETS[name](data)


@pytest.mark.parametrize("name", sorted(CORPORA))
def test_a_sample_is_read(name: str) -> None:
    assert any(_is_read(name, sample) for sample in islice(CORPORA[name](), 20))


def _is_read(name: str, sample: bytes) -> bool:
    try:
        TARGETS[name](sample)
    except PaimonError:
        return False
    return True
