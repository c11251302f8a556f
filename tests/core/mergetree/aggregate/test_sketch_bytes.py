"""What passes is read by the library; what is damaged never reaches it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import datasketches
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from core.errors import FormatError, PaimonError, UnsupportedError
from core.mergetree.aggregate.sketch_bytes import check_theta, compact_hll
from core.mergetree.aggregate.unions import hll_sketches, theta_sketches
from tests import sketches

HLLS, THETAS = sketches.hll_sketches(), sketches.theta_sketches()
LIST, SET = HLLS["hll4 of 5 in 2^4"], HLLS["hll4 of 20 in 2^8"]
RARE4, RARE6 = HLLS["hll4 with rare values in 2^4"], HLLS["hll6 with rare values in 2^4"]
EXACT, PACKED = THETAS["30, ordered True"], THETAS["30, packed"]


@pytest.mark.parametrize("name", HLLS)
def test_a_sketch_that_was_written_is_read(name: str) -> None:
    read = datasketches.hll_sketch.deserialize(compact_hll(HLLS[name]))
    assert compact_hll(compact_hll(HLLS[name])) == compact_hll(HLLS[name])
    assert told(read) == told(datasketches.hll_sketch.deserialize(HLLS[name]))


def told(sketch: Any) -> tuple[Any, ...]:
    return sketch.lg_config_k, sketch.tgt_type, sketch.get_estimate(), sketch.get_upper_bound(1)


@pytest.mark.parametrize("name", THETAS)
def test_a_theta_sketch_that_was_written_is_read(name: str) -> None:
    check_theta(THETAS[name])
    read = datasketches.compact_theta_sketch.deserialize(THETAS[name])
    assert sorted(read) == sorted(
        datasketches.compact_theta_sketch.deserialize(THETAS[name.split(",")[0] + ", ordered True"])
    )


def test_there_are_sketches_of_every_mode_and_version() -> None:
    assert {data[7] for data in HLLS.values()} == {0, 1, 2, 4, 5, 6, 8, 9, 10}
    assert {data[36] for name, data in HLLS.items() if "hll4 with rare" in name} == {2}
    assert {data[1] for data in THETAS.values()} == {1, 2, 3, 4}


def with_byte(data: bytes, offset: int, value: int) -> bytes:
    return data[:offset] + bytes([value]) + data[offset + 1 :]


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", "hll sketch.*at least 8"),
        (b"no sketch", "family"),
        (LIST[:-1], "bytes of a sketch"),
        (LIST + b"\0", "bytes of a sketch"),
        (with_byte(LIST, 0, 3), "preamble"),
        (with_byte(LIST, 3, 22), "lgK"),
        (with_byte(LIST, 6, 9), "count of coupons"),
        (with_byte(LIST, 5, 12), "empty flag"),
        (LIST[:-4] + LIST[8:12], "coupons that differ"),
        (LIST[:-4] + bytes(4), "coupons of an hll"),
        (with_byte(LIST, len(LIST) - 1, 0), "values of coupons"),
        (with_byte(SET, 3, 7), "lgK of an hll set"),
        (with_byte(SET, 8, 200), "count of coupons"),
        (with_byte(SET, 5, 0), "bytes of a sketch"),
        (RARE6[:39], "hll registers"),
        (with_byte(RARE6, 36, 1), "count of exceptions"),  # the library wrote past its memory
        (with_byte(RARE6, 40, RARE6[40] ^ 1), "sum of powers|lowest"),
        (with_byte(RARE6, 15, 0xFF), "estimate"),
        (with_byte(RARE4, 36, 1), "bytes of a sketch"),
        (with_byte(RARE4[:-8], 36, 0), "slots of exceptions"),  # the library read from nowhere
        (with_byte(RARE4, 6, 60), "values of exceptions"),
        (with_byte(RARE4, 32, 99), "registers at the lowest"),
        (RARE4[:-4] + RARE4[-8:-4], "slots of exceptions"),
        (with_byte(HLLS["hll8 of 100 in 2^4"], 40, 200), "values of registers"),
        (with_byte(HLLS["hll8 of 100 in 2^4"], 5, 12), "empty flag"),
        (with_byte(HLLS["hll4 with rare values in 2^4, updatable"], 4, 6), "lg of the slots"),
        (with_byte(HLLS["hll4 of 20 in 2^8, updatable"], 4, 31), "lg of the slots"),
    ],
)
def test_damage_to_an_hll_sketch_is_told_with_its_place(data: bytes, told: str) -> None:
    with pytest.raises(FormatError, match=told):
        compact_hll(data)


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", "theta sketch.*at least 8"),
        (b"no sketch", "family"),
        (EXACT[:8], "at least 16"),
        (EXACT[:-1], "bytes of a sketch"),
        (with_byte(EXACT, 0, 4), "preamble"),
        (with_byte(EXACT, 6, 1), "hash of the seed"),
        (with_byte(EXACT, 5, 18), "compact flag"),
        (with_byte(EXACT, len(EXACT) - 1, 0xFF), "hashes of a theta sketch.*1 to"),
        (EXACT[:-8] + EXACT[16:24], "in order"),
        (EXACT[:16] + bytes(8) + EXACT[24:], "1 to"),
        (with_byte(THETAS["3000, ordered True"], 23, 0xFF), "theta"),
        (THETAS["3, version 1"][:20], "at least 24"),
        (with_byte(THETAS["3, version 2"], 0, 1), "bytes of a sketch"),
        (with_byte(PACKED, 3, 64), "bits of an entry"),
        (with_byte(PACKED, 4, 5), "bytes of the count"),
        (with_byte(PACKED, 0, 3), "preamble"),
        (with_byte(PACKED, 5, 30), "empty flag"),
        (PACKED[:-1], "bytes of a sketch"),
    ],
)
def test_damage_to_a_theta_sketch_is_told_with_its_place(data: bytes, told: str) -> None:
    with pytest.raises(FormatError, match=told):
        check_theta(data)


@pytest.mark.parametrize(
    ("check", "data", "feature"),
    [
        (compact_hll, with_byte(LIST, 1, 2), "hll sketch of version 2"),
        (compact_hll, with_byte(LIST, 7, 3), "hll sketch of mode 3"),
        (compact_hll, with_byte(LIST, 7, 12), "hll sketch of mode 12"),
        (compact_hll, with_byte(LIST, 5, 72), "hll sketch with flags 72"),
        (check_theta, with_byte(EXACT, 1, 5), "theta sketch of version 5"),
        (check_theta, with_byte(EXACT, 2, 2), "theta sketch of family 2"),
        (check_theta, with_byte(EXACT, 5, 90), "theta sketch with flags 90"),
    ],
)
def test_what_is_not_known_is_refused_by_name(check: Any, data: bytes, feature: str) -> None:
    with pytest.raises(UnsupportedError, match=feature):
        check(data)


def mutations(of: Mapping[str, bytes]) -> st.SearchStrategy[bytes]:
    """A sketch with some bytes, most of them of its head, changed, cut or repeated."""
    change = st.tuples(st.integers(0, 47) | st.integers(0, 5000), st.integers(0, 255))
    return st.builds(
        mutated,
        st.sampled_from(list(of.values())),
        st.lists(change, max_size=3),
        st.integers(-9, 9) | st.just(0),
    )


def mutated(data: bytes, changes: list[tuple[int, int]], longer: int) -> bytes:
    changed = bytearray(data)
    for offset, value in changes:
        changed[offset % len(changed)] = value
    return bytes(changed[: len(changed) + min(longer, 0)] + changed[: max(longer, 0)])


@settings(max_examples=settings().max_examples * 3)
@given(mutations(HLLS), st.sampled_from(list(HLLS.values())))
@example(RARE4, RARE6)
def test_a_changed_hll_sketch_is_told_or_joined_with_any_other(data: bytes, other: bytes) -> None:
    with suppress(PaimonError):
        compact_hll(hll_sketches().joined(iter((data, other))))
        compact_hll(hll_sketches().joined(iter((other, data))))


@settings(max_examples=settings().max_examples * 3)
@given(mutations(THETAS), st.sampled_from(list(THETAS.values())))
def test_a_changed_theta_sketch_is_told_or_joined_with_any_other(data: bytes, other: bytes) -> None:
    with suppress(PaimonError):
        check_theta(theta_sketches().joined(iter((data, other))))
        check_theta(theta_sketches().joined(iter((other, data))))
