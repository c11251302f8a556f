"""What a table hands to the encoders of Parquet, ORC and Avro: `parquet.*`, `orc.*`, `avro.*`. Spec: 04, A4.

The keys are those of the formats' own Java writers. Nobody checks them, here as in Paimon: what is
not listed is left alone, and none of them changes a row. Sizes are bytes, as plain numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

from core.datafile.compression import Compression
from core.datafile.file_format import FileFormat
from core.errors import InvalidRequestError
from core.options import (
    FILE_COMPRESSION_ZSTD_LEVEL,
    TableOptions,
    parse_boolean,
    parse_integer,
    parse_number,
)
from core.types.data_types import BooleanType, DataField

_BLOCK = {FileFormat.PARQUET: "parquet.block.size", FileFormat.ORC: "orc.stripe.size"}
_CODEC = {FileFormat.PARQUET: "parquet.compression", FileFormat.AVRO: "avro.codec"}
_ZSTD_LEVEL = {
    FileFormat.PARQUET: "parquet.compression.codec.zstd.level",
    FileFormat.ORC: "orc.compression.zstd.level",
}
_DICTIONARY = "parquet.enable.dictionary"
_BLOOM, _BLOOM_NDV, _BLOOM_FPP = (
    "parquet.bloom.filter.enabled",
    "parquet.bloom.filter.expected.ndv",
    "parquet.bloom.filter.fpp",
)
_DEFAULT_NDV, _DEFAULT_FPP = 1024 * 1024, 0.01  # what a Java writer expects where it is not told


@dataclass(frozen=True, slots=True, kw_only=True)
class FormatOptions:
    """The settings of one table for all formats; None where the writer of a format knows best."""

    page_bytes: int | None = None  # Parquet
    page_rows: int | None = None
    dictionary_bytes: int | None = None
    page_version: Literal["1.0", "2.0"] = "1.0"
    hives_types: bool = False  # decimals are bytes and times INT96, as Hive 2 and 3 read them
    dictionaries: bool | None = None
    dictionary_of: Mapping[str, bool] = field(default_factory=lambda: MappingProxyType({}))  # by column
    blooms: bool = False
    bloom_of: Mapping[str, Mapping[str, str]] = field(default_factory=lambda: MappingProxyType({}))
    index_rows: int | None = None  # ORC
    distinct_share: float | None = None

    @staticmethod
    def of(options: TableOptions) -> FormatOptions:
        """`InvalidRequestError` if a value is not of its kind."""
        return FormatOptions(
            page_bytes=_positive(options, "parquet.page.size"),
            page_rows=_positive(options, "parquet.page.row.count.limit"),
            dictionary_bytes=_positive(options, "parquet.dictionary.page.size"),
            page_version="2.0" if _is_v2(options.texts.get("parquet.writer.version", "v1")) else "1.0",
            dictionaries=_parsed(options, _DICTIONARY, parse_boolean),
            dictionary_of=_by_column(options, _DICTIONARY, parse_boolean),
            blooms=bool(_parsed(options, _BLOOM, parse_boolean)),
            bloom_of=_bloom_settings(options),
            index_rows=_positive(options, "orc.row.index.stride"),
            distinct_share=_parsed(options, "orc.dictionary.key.threshold", parse_number),
        )

    def dictionary(self, column: str) -> bool | None:
        """Whether a Parquet column has a dictionary; None where its values decide."""
        return self.dictionary_of.get(column, False if self.dictionaries is False else None)

    def bloom_filters(self, fields: Sequence[DataField]) -> dict[str, dict[str, Any]]:
        """The bloom filters of a Parquet file, by column; columns with parts, and BOOLEAN, have none."""
        found = {}
        for column in fields:
            given = self.bloom_of.get(column.name, {})
            enabled = parse_boolean(given[_BLOOM]) if _BLOOM in given else self.blooms
            if enabled and not column.type.is_nested and not isinstance(column.type, BooleanType):
                ndv, fpp = given.get(_BLOOM_NDV), given.get(_BLOOM_FPP)
                found[column.name] = {
                    "ndv": parse_integer(ndv) if ndv else _DEFAULT_NDV,
                    "fpp": parse_number(fpp) if fpp else _DEFAULT_FPP,
                }
        return found


def compression_of(options: TableOptions, codec: str, file_format: FileFormat) -> Compression:
    """The codec `codec`, unless the format's own settings name another.

    Raises:
        UnsupportedError: the format is not written with it. InvalidRequestError: a level that is no number.
    """
    level = _parsed(options, _ZSTD_LEVEL.get(file_format, ""), parse_integer)
    if level is None:
        level = options.get(FILE_COMPRESSION_ZSTD_LEVEL)
    return Compression.of(options.texts.get(_CODEC.get(file_format, ""), codec), level, file_format)


def block_bytes(options: TableOptions, file_format: FileFormat) -> int | None:
    """What a row group or stripe holds, by the format's own setting."""
    return _positive(options, _BLOCK.get(file_format, ""))


def _is_v2(version: str) -> bool:
    return version.strip().lower() in ("v2", "parquet_2_0")


def _bloom_settings(options: TableOptions) -> Mapping[str, Mapping[str, str]]:
    found: dict[str, dict[str, str]] = {}
    checks = ((_BLOOM, parse_boolean), (_BLOOM_NDV, _parse_count), (_BLOOM_FPP, _parse_share))
    for key, parse in checks:
        for column in _by_column(options, key, parse):
            found.setdefault(column, {})[key] = options.texts[f"{key}#{column}"]
    return found


def _by_column(options: TableOptions, key: str, parse: Any) -> dict[str, Any]:
    """What `key#column` says, by column."""
    columns = [text.removeprefix(f"{key}#") for text in options.texts if text.startswith(f"{key}#")]
    return {column: _parsed(options, f"{key}#{column}", parse) for column in columns}


def _parse_count(text: str) -> int:
    number = parse_integer(text)
    if number < 1:
        raise InvalidRequestError("not a number of values", found=number)
    return number


def _parse_share(text: str) -> float:
    number = parse_number(text)
    if not 0 < number < 1:
        raise InvalidRequestError("not between 0 and 1", found=number)
    return number


def _positive(options: TableOptions, key: str) -> int | None:
    number: int | None = _parsed(options, key, parse_integer)
    if number is not None and number < 1:
        raise InvalidRequestError("a size of nothing", option=key, found=number)
    return number


def _parsed(options: TableOptions, key: str, parse: Any) -> Any:
    text = options.texts.get(key)
    try:
        return None if text is None else parse(text)
    except InvalidRequestError as error:
        raise InvalidRequestError(f"bad value of option {key}", **error.fields) from error


DEFAULT_SETTINGS = FormatOptions()
