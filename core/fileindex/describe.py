"""What one index of a column says of itself, whatever its type. Spec: 05, 4 to 8."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from core.fileindex.bitmap import decode_bitmap_index
from core.fileindex.bloom_filter import decode_bloom_filter
from core.fileindex.bsi import SliceHead, decode_bsi
from core.fileindex.range_bitmap import decode_range_bitmap
from core.types.data_types import DataType, MapType

Facts = Mapping[str, object]


def describe_index(index_type: str, payload: bytes, data_type: DataType) -> Facts:
    """Named facts of an index; empty for a type that we carry without knowing it.

    Raises:
        FormatError: the payload does not have the form of its type.
        UnsupportedError: a version of the type that we do not know.
    """
    describe = _DESCRIBERS.get(index_type)
    return describe(payload, _value_type(data_type)) if describe else {}


def is_known_index(index_type: str) -> bool:
    return index_type in _DESCRIBERS


def _value_type(data_type: DataType) -> DataType:
    """An index on `map[key]` holds the map's values."""
    return data_type.value if isinstance(data_type, MapType) else data_type


def _bloom_filter(payload: bytes, data_type: DataType) -> Facts:
    head = decode_bloom_filter(payload)
    return {
        "hash_functions": head.hash_functions,
        "bits": head.bits,
        "bits_set": head.bits_set,
        "fill_ratio": head.fill_ratio,
        "false_positive_rate": head.false_positive_rate,
        "estimated_items": head.estimated_items,
    }


def _bitmap(payload: bytes, data_type: DataType) -> Facts:
    head = decode_bitmap_index(payload, data_type)
    return {
        "version": head.version,
        "row_count": head.row_count,
        "distinct_count": head.distinct_count,
        "null_count": head.null_count,
    }


def _bsi(payload: bytes, data_type: DataType) -> Facts:
    head = decode_bsi(payload)
    return {
        "row_count": head.row_count,
        "null_count": head.null_count,
        **_side("positive", head.positive),
        **_side("negative", head.negative),
    }


def _side(name: str, side: SliceHead | None) -> Facts:
    if side is None:
        return {}
    return {
        f"{name}_rows": side.row_count,
        f"{name}_min": side.min_value,
        f"{name}_max": side.max_value,
        f"{name}_slices": side.slices,
    }


def _range_bitmap(payload: bytes, data_type: DataType) -> Facts:
    head = decode_range_bitmap(payload, data_type)
    return {
        "row_count": head.row_count,
        "distinct_count": head.distinct_count,
        "null_count": head.null_count,
        "min_key": None if head.min_key is None else str(head.min_key),
        "max_key": None if head.max_key is None else str(head.max_key),
        "dictionary_chunks": head.dictionary_chunks,
        "slices": head.slices,
    }


_DESCRIBERS: dict[str, Callable[[bytes, DataType], Facts]] = {
    "bloom-filter": _bloom_filter,
    "bitmap": _bitmap,
    "bsi": _bsi,
    "range-bitmap": _range_bitmap,
}
