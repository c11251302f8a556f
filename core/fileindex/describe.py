"""What one index of a column says of itself, whatever its type. Spec: 05, 4 to 8."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from core.fileindex.bitmap import decode_bitmap_index
from core.fileindex.bloom_filter import decode_bloom_filter
from core.fileindex.bsi import Slices, decode_bsi
from core.fileindex.keys import Key, KeyForm, key_form
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
    return describe(payload, value_type(data_type)) if describe else {}


def value_type(data_type: DataType) -> DataType:
    """The type of what an index holds: one on `map[key]` holds the map's values."""
    return data_type.value if isinstance(data_type, MapType) else data_type


def _bloom_filter(payload: bytes, data_type: DataType) -> Facts:
    bloom = decode_bloom_filter(payload)
    return {
        "hash_functions": bloom.hash_functions,
        "bits": bloom.bits,
        "bits_set": bloom.bits_set,
        "fill_ratio": bloom.fill_ratio,
        "false_positive_rate": bloom.false_positive_rate,
        "estimated_items": bloom.estimated_items,
    }


def _bitmap(payload: bytes, data_type: DataType) -> Facts:
    index = decode_bitmap_index(payload, key_form(data_type))
    return {
        "version": index.version,
        "row_count": index.row_count,
        "distinct_count": index.distinct_count,
        "null_count": len(index.null_rows),
    }


def _bsi(payload: bytes, data_type: DataType) -> Facts:
    index = decode_bsi(payload, key_form(data_type))
    return {
        "row_count": index.row_count,
        "null_count": index.null_count,
        **_side("positive", index.positive),
        **_side("negative", index.negative),
    }


def _side(name: str, side: Slices | None) -> Facts:
    if side is None:
        return {}
    return {
        f"{name}_rows": side.row_count,
        f"{name}_min": side.min_value,
        f"{name}_max": side.max_value,
        f"{name}_slices": len(side.slices),
    }


def _range_bitmap(payload: bytes, data_type: DataType) -> Facts:
    form = key_form(data_type)
    index = decode_range_bitmap(payload, form)
    return {
        "row_count": index.row_count,
        "distinct_count": index.distinct_count,
        "null_count": index.null_count,
        "min_key": _shown(index.min_key, form),
        "max_key": _shown(index.max_key, form),
        "dictionary_chunks": len(index.dictionary.chunks),
        "slices": len(index.codes.slices),
    }


def _shown(key: Key | None, form: KeyForm) -> str | None:
    return None if key is None else str(form.show(key))


_DESCRIBERS: dict[str, Callable[[bytes, DataType], Facts]] = {
    "bloom-filter": _bloom_filter,
    "bitmap": _bitmap,
    "bsi": _bsi,
    "range-bitmap": _range_bitmap,
}
