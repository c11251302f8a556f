"""The bytes of hll and theta sketches, looked at before their library is.

Spec: 06, 4.2. A sketch is a value that anybody may have written, and the library `datasketches` trusts what
it is given: a count too high, a register without its exception, and it reads or writes past its memory, and
the process ends. What passes here holds only numbers that agree with one another.

All numbers are little-endian. Bytes of every sketch: 0 size of the preamble (ints for hll, longs for
theta), 1 serial version, 2 family, 5 flags. Of hll: 3 lgK, 4 lg of an array, 6 count of a list or the lowest
register, 7 mode and kind. Of theta: 6 hash of the seed; in version 4, 3 bits of an entry, 4 bytes of the
count.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from core.errors import FormatError, UnsupportedError

Numbers = npt.NDArray[Any]

_EMPTY, _COMPACT = 4, 8  # flags of both

_HLL_FAMILY, _HLL_VERSION = 7, 1
_HLL_FLAGS = _EMPTY | _COMPACT | 16 | 32  # 16: out of order, 32: all registers from the start
_LIST, _SET, _REGISTERS = 0, 1, 2  # the mode
_PREAMBLE_INTS = {_LIST: 2, _SET: 3, _REGISTERS: 10}
_LIST_AT, _SET_AT, _REGISTERS_AT = 8, 12, 40
_LIST_LG, _LIST_MOST = 3, 7  # an eighth coupon makes a set of a list, or registers where K is below 256
_HLL4, _HLL6, _HLL8 = 0, 1, 2  # the kind: bits of a register
_KEY_BITS = 26  # of a coupon: the slot; the six bits above hold the value that is noted there
_HIGHEST = 63
_EXCEPTION = 15  # an hll4 register that is this much above the lowest, or more, is written as a coupon
_LG_EXCEPTIONS = (0, 2, 2, 2, 2, 2, 2, 3, 3, 3, 4, 4, 5, 5, 6, 7, 8, 9, 10, 11, 12, 13)  # by lgK, of none

_THETA_FAMILIES, _THETA_COMPACT = (1, 2, 3), 3  # the first two, alpha and quick select, take updates
_THETA_SEED_HASH = 0x93CC  # of the seed of all who set none
_THETA_ORDERED = 16
_THETA_FLAGS = 2 | _EMPTY | _COMPACT | _THETA_ORDERED | 32  # 2: read only, 32: a single item
_MAX_THETA = (1 << 63) - 1
_BLOCK = 8192  # entries that are unpacked at once


def compact_hll(data: bytes) -> bytes:
    """The same sketch in its compact form, which the library reads unharmed.

    Raises:
        FormatError: no hll sketch, or a damaged one; `place`, `expected`, `found`.
        UnsupportedError: a version, mode or flag that is not known.
    """
    _at_least(data, 8, "hll sketch")
    version, family, lg_k, flags, mode = data[1], data[2], data[3], data[5], data[7]
    _expect(family == _HLL_FAMILY, "family of an hll sketch", _HLL_FAMILY, family)
    _known(version == _HLL_VERSION, f"hll sketch of version {version}")
    _known(mode & 3 in _PREAMBLE_INTS and mode >> 2 <= _HLL8, f"hll sketch of mode {mode}")
    _known(not flags & ~_HLL_FLAGS, f"hll sketch with flags {flags}")
    _expect(
        data[0] == _PREAMBLE_INTS[mode & 3], "preamble of an hll sketch", _PREAMBLE_INTS[mode & 3], data[0]
    )
    _expect(4 <= lg_k <= 21, "lgK of an hll sketch", "4 to 21", lg_k)
    if mode & 3 == _LIST:
        return _coupons(data, _LIST_AT, _LIST_LG, count=data[6], most=_LIST_MOST)
    return _set(data) if mode & 3 == _SET else _registers(data)


def _set(data: bytes) -> bytes:
    lg_k, lg_array = data[3], data[4]
    _at_least(data, _SET_AT, "hll set")
    _expect(lg_k >= 8, "lgK of an hll set", "8 to 21", lg_k)
    if not data[5] & _COMPACT:
        _expect(5 <= lg_array <= lg_k - 3, "lg of the slots of an hll set", f"5 to {lg_k - 3}", lg_array)
    return _coupons(data, _SET_AT, lg_array, count=_uint(data, 8, 4), most=3 << (lg_k - 5))


def _coupons(data: bytes, start: int, lg_array: int, count: int, most: int) -> bytes:
    flags = data[5]
    _expect(count <= most, "count of coupons", f"up to {most}", count)
    _size(data, start + 4 * (count if flags & _COMPACT else 1 << lg_array))
    coupons = _pairs(data, start, count)
    _expect(len(np.unique(coupons)) == count, "coupons that differ", count, len(np.unique(coupons)))
    _expect(bool(np.all(coupons >> _KEY_BITS)), "values of coupons", f"1 to {_HIGHEST}", 0)
    _expect(bool(flags & _EMPTY) == (count == 0), "empty flag of coupons", count == 0, bool(flags & _EMPTY))
    return _compact(data[:start], coupons)


def _registers(data: bytes) -> bytes:
    lg_k, flags, kind = data[3], data[5], data[7] >> 2
    _at_least(data, _REGISTERS_AT, "hll registers")
    end = _REGISTERS_AT + _register_bytes(kind, lg_k)
    exceptions = _uint(data, 36, 4)
    _size(data, end + 4 * _exception_slots(data, kind, exceptions))
    pairs = _pairs(data, end, exceptions)
    values = np.bincount(_values(data[_REGISTERS_AT:end], kind, data[6], pairs), minlength=_HIGHEST + 1)
    _expect(len(values) == _HIGHEST + 1, "values of registers", f"0 to {_HIGHEST}", len(values) - 1)
    _check_lowest(kind, values, lowest=data[6], count=_uint(data, 32, 4))
    empty = int(values[0]) == 1 << lg_k
    _expect(bool(flags & _EMPTY) == empty, "empty flag of registers", empty, bool(flags & _EMPTY))
    _check_estimators(data, values)
    return _compact(data[:end], pairs)


def _register_bytes(kind: int, lg_k: int) -> int:
    return {_HLL4: 1 << (lg_k - 1), _HLL6: (3 << (lg_k - 2)) + 1, _HLL8: 1 << lg_k}[kind]


def _exception_slots(data: bytes, kind: int, count: int) -> int:
    lg_k, lg_array = data[3], data[4]
    most = 1 << lg_k if kind == _HLL4 else 0
    _expect(count <= most, "count of exceptions", f"up to {most}", count)
    if data[5] & _COMPACT or kind != _HLL4:
        return count
    if count == 0:
        return 1 << _LG_EXCEPTIONS[lg_k]
    _expect(lg_array <= lg_k + 1, "lg of the slots of exceptions", f"up to {lg_k + 1}", lg_array)
    return 1 << lg_array


def _values(registers: bytes, kind: int, lowest: int, exceptions: Numbers) -> Numbers:
    """The value of each register."""
    stored = np.frombuffer(registers, np.uint8)
    if kind == _HLL8:
        return stored
    if kind == _HLL6:
        three = stored[:-1].reshape(-1, 3).astype(np.uint32) << np.array([0, 8, 16], np.uint32)
        words: Numbers = three.sum(axis=1, dtype=np.uint32)
        return ((words[:, None] >> np.array([0, 6, 12, 18], np.uint32)) & _HIGHEST).ravel()
    nibbles = np.stack([stored & 15, stored >> 4], axis=1).ravel()
    slots, above = exceptions & ((1 << _KEY_BITS) - 1), exceptions >> _KEY_BITS
    marked, named = np.flatnonzero(nibbles == _EXCEPTION), np.sort(slots)
    _expect(np.array_equal(marked, named), "slots of exceptions", _some(marked), _some(named))
    least = lowest + _EXCEPTION
    _expect(bool(np.all(above >= least)), "values of exceptions", f"{least} to {_HIGHEST}", _some(above))
    values = nibbles.astype(np.uint32) + lowest
    values[slots] = above
    return values


def _check_lowest(kind: int, values: Numbers, lowest: int, count: int) -> None:
    found = int(np.flatnonzero(values)[0])
    if kind == _HLL4 or lowest == 0:
        _expect(kind != _HLL4 or lowest == found, "lowest register", found, lowest)
        _expect(count == values[lowest], "registers at the lowest", int(values[lowest]), count)
    else:  # of a union that has counted them once and went on: hll6 and hll8 go without
        _expect(lowest <= found, "lowest register", f"up to {found}", lowest)
        _expect(count <= values.sum(), "registers at the lowest", f"up to {values.sum()}", count)


def _check_estimators(data: bytes, values: Numbers) -> None:
    hip, low, high = np.frombuffer(data, "<f8", 3, offset=8).tolist()
    _expect(0 <= hip < np.inf, "estimate of an hll sketch", "a number", hip)
    powers = float(values @ 0.5 ** np.arange(_HIGHEST + 1))
    _expect(bool(np.isclose(low + high, powers, rtol=1e-6, atol=0)), "sum of powers", powers, low + high)


def check_theta(data: bytes) -> None:
    """The library reads this theta sketch unharmed.

    Raises:
        FormatError: no theta sketch, or a damaged one; `place`, `expected`, `found`.
        UnsupportedError: a version, family or flag that is not known.
    """
    _at_least(data, 8, "theta sketch")
    longs, version, family, flags = data[0], data[1], data[2], data[5]
    _expect(family in _THETA_FAMILIES, "family of a theta sketch", _THETA_COMPACT, family)
    _known(family == _THETA_COMPACT, f"theta sketch of family {family}")
    _known(1 <= version <= 4, f"theta sketch of version {version}")
    if version >= 2 and not (version == 3 and flags & _EMPTY):
        _expect(
            _uint(data, 6, 2) == _THETA_SEED_HASH, "hash of the seed", _THETA_SEED_HASH, _uint(data, 6, 2)
        )
    if version >= 3:
        _known(not flags & ~_THETA_FLAGS, f"theta sketch with flags {flags}")
        _expect(bool(flags & _COMPACT), "compact flag of a theta sketch", True, False)
    if version == 4:
        _check_packed(data)
    elif longs == 1 and (version == 2 or flags & _EMPTY):
        _size(data, 8)
    else:
        _check_longs(data)


def _check_longs(data: bytes) -> None:
    """Versions 1 to 3: hashes of eight bytes."""
    longs, version, flags = data[0], data[1], data[5]
    fits = {1: (3,), 2: (2, 3), 3: (2, 3) if flags & _EMPTY == 0 else ()}[version]
    if version == 3 and longs == 1:
        count, start = 1, 8
    else:
        _expect(longs in fits, "preamble of a theta sketch", fits, longs)
        _at_least(data, 8 * longs, "theta sketch")
        count, start = _uint(data, 8, 4), 8 * longs
    _size(data, start + 8 * count)
    theta = _uint(data, 16, 8) if longs == 3 else _MAX_THETA
    hashes = np.frombuffer(data, "<u8", offset=start)
    if version == 3 and longs > 1 and not flags & _THETA_ORDERED:
        hashes = np.sort(hashes)
    _check_hashes(hashes, theta)


def _check_packed(data: bytes) -> None:
    """Version 4: differences between hashes in order, each of so many bits, the highest first."""
    longs, bits, width = data[0], data[3], data[4]
    _expect(longs in (1, 2), "preamble of a packed theta sketch", "1 or 2", longs)
    _expect(1 <= bits <= 63, "bits of an entry", "1 to 63", bits)
    _expect(1 <= width <= 4, "bytes of the count", "1 to 4", width)
    _expect(not data[5] & _EMPTY, "empty flag of a packed theta sketch", False, True)
    start = 8 * longs + width
    _at_least(data, start, "packed theta sketch")
    count = _uint(data, 8 * longs, width)
    _size(data, start + (count * bits + 7) // 8)
    steps = [
        _unpacked(data, start + first * bits // 8, min(count - first, _BLOCK), bits)
        for first in range(0, count, _BLOCK)
    ]
    theta = _uint(data, 8, 8) if longs == 2 else _MAX_THETA
    _check_hashes(np.cumsum(np.concatenate([np.zeros(0, np.uint64), *steps])), theta)


def _unpacked(data: bytes, start: int, count: int, bits: int) -> Numbers:
    packed = np.frombuffer(data, np.uint8, (count * bits + 7) // 8, start)
    weights = np.uint64(1) << np.arange(bits, dtype=np.uint64)[::-1]
    return np.asarray(np.unpackbits(packed, count=count * bits).reshape(count, bits) @ weights)


def _check_hashes(hashes: Numbers, theta: int) -> None:
    """In order, each above zero and below theta, none twice."""
    _expect(0 < theta <= _MAX_THETA, "theta", f"1 to {_MAX_THETA}", theta)
    if len(hashes):
        ends = f"{hashes[0]} to {hashes[-1]}"
        _expect(hashes[0] > 0 and hashes[-1] < theta, "hashes of a theta sketch", f"1 to {theta - 1}", ends)
        _expect(
            bool(np.all(hashes[1:] > hashes[:-1])), "hashes of a theta sketch", "in order", "not in order"
        )


def _pairs(data: bytes, start: int, count: int) -> Numbers:
    """What is noted in the rest of a sketch, of which an array of slots has empty ones."""
    slots = np.frombuffer(data, "<u4", offset=start)
    pairs: Numbers = slots[slots != 0]
    _expect(len(pairs) == count, "coupons of an hll sketch", count, len(pairs))
    return pairs


def _compact(head: bytes, pairs: Numbers) -> bytes:
    return head[:5] + bytes([head[5] | _COMPACT]) + head[6:] + pairs.tobytes()


def _uint(data: bytes, offset: int, width: int) -> int:
    return int.from_bytes(data[offset : offset + width], "little")


def _at_least(data: bytes, size: int, place: str) -> None:
    _expect(len(data) >= size, place, f"at least {size} bytes", len(data))


def _size(data: bytes, size: int) -> None:
    _expect(len(data) == size, "bytes of a sketch", size, len(data))


def _some(numbers: Numbers) -> str:
    return f"{len(numbers)}: {numbers[:3].tolist()}"


def _expect(holds: bool, place: str, expected: object, found: object) -> None:
    if not holds:
        raise FormatError("damaged sketch", place=place, expected=expected, found=found)


def _known(known: bool, feature: str) -> None:
    if not known:
        raise UnsupportedError("a sketch that is not known", feature=feature)
