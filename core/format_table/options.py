"""What options say of the files of a format table. Spec: 04, C5; Paimon 2.0.0's CsvOptions, JsonOptions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from core.errors import InvalidRequestError, UnsupportedError
from core.options import FILE_FORMAT, parse_boolean

VALUES_ONLY = "format-table.partition-path-only-value"
KEPT_PARTITIONS = "metastore.partitioned-table"
CASE_SENSITIVE = "case-sensitive"  # of the catalog, which hands it on to its tables
HIVES_VALUES = "csv.hive-values"  # of ours: texts are the values that Hive reads there
HIVES_TYPES = "parquet.hive-types"  # of ours: decimals and times in new files as Hive 2 and 3 read them
COMPRESSION_KEYS = ("file.compression", "format-table.file.compression", "compression")


class FileKind(StrEnum):
    """The formats that files of a format table have with us."""

    PARQUET = "parquet"
    ORC = "orc"
    CSV = "csv"
    JSON = "json"
    TEXT = "text"


_CODECS: Mapping[FileKind, str] = {FileKind.PARQUET: "snappy", FileKind.ORC: "zstd"}  # others: none


class Mode(StrEnum):
    """What becomes of a row of CSV with a value that is none of its column."""

    PERMISSIVE = "permissive"  # null, as are the columns behind it
    DROP = "dropmalformed"
    FAIL = "failfast"


@dataclass(frozen=True, slots=True, kw_only=True)
class CsvOptions:
    delimiter: str = ","
    quote: str | None = '"'  # None: nothing is quoted
    escape: str | None = "\\"
    has_header: bool = False
    null_text: str = ""
    mode: Mode = Mode.PERMISSIVE
    has_hives_values: bool = False  # what is none is null, whatever the mode, and no other value with it
    line_end: str = "\n"

    @classmethod
    def of(cls, options: Mapping[str, str]) -> CsvOptions:
        """Raises `InvalidRequestError` for a wrong value, `UnsupportedError` for one that we do not read."""
        found = cls(
            delimiter=_sign(options, "csv.field-delimiter", "field-delimiter", "seq", "delimiter") or ",",
            quote=_sign(options, "csv.quote-character", "quote", default='"'),
            escape=_sign(options, "csv.escape-character", "escape", default="\\"),
            has_header=_flag(options, "csv.include-header", "header"),
            null_text=_first(options, "csv.null-literal", "nullvalue", "nullValue") or "",
            mode=_mode(_first(options, "csv.mode", "mode")),
            has_hives_values=_flag(options, HIVES_VALUES),
            line_end=_line_end(options, "csv.line-delimiter", "lineSep"),
        )
        signs = [s for s in (found.delimiter, found.quote, found.escape) if s is not None]
        if len(set(signs)) < len(signs):
            raise InvalidRequestError(
                "delimiter, quote and escape of CSV differ from each other", found=" ".join(signs)
            )
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonOptions:
    ignores_errors: bool = False
    folds_letters: bool = False  # of the names of columns
    line_end: str = "\n"

    @classmethod
    def of(cls, options: Mapping[str, str]) -> JsonOptions:
        """Raises as `CsvOptions.of`."""
        return cls(
            ignores_errors=_flag(options, "json.ignore-parse-errors"),
            folds_letters=folds_letters(options),
            line_end=_line_end(options, "json.line-delimiter"),
        )


def text_line_end(options: Mapping[str, str]) -> str:
    return _line_end(options, "text.line-delimiter", "lineSep")


def file_kind(options: Mapping[str, str]) -> FileKind:
    """The format of the files; `UnsupportedError` names one that we do not read."""
    name = options.get(FILE_FORMAT.key, FILE_FORMAT.default).lower()
    try:
        return FileKind(name)
    except ValueError:
        raise UnsupportedError(
            "format tables have no such files with us",
            feature=f"format-table with {FILE_FORMAT.key} = {name}",
            known=", ".join(FileKind),
        ) from None


def codec_of(options: Mapping[str, str], kind: FileKind) -> str:
    """The codec of new files, under Paimon's name."""
    return (_first(options, *COMPRESSION_KEYS) or _CODECS.get(kind, "none")).lower()


def check_discovered(options: Mapping[str, str]) -> None:
    """`UnsupportedError` where the catalog says which partitions there are, not the directories."""
    if options.get(KEPT_PARTITIONS, "false").lower() == "true":
        raise UnsupportedError(
            "partitions of a format table are discovered by listing its directories",
            feature=f"{KEPT_PARTITIONS} of a format table",
        )


def values_only(options: Mapping[str, str]) -> bool:
    """Whether directories are named by values alone, `2026/`, without `year=`."""
    return _flag(options, VALUES_ONLY)


def folds_letters(options: Mapping[str, str]) -> bool:
    """Whether columns of files are those of the table in whatever letters their names are."""
    return CASE_SENSITIVE in options and not _flag(options, CASE_SENSITIVE)


def has_hives_types(options: Mapping[str, str]) -> bool:
    """Whether Hive is to read new files of Parquet, which knows no decimals and times in integers."""
    return _flag(options, HIVES_TYPES)


def _first(options: Mapping[str, str], *keys: str) -> str | None:
    return next((options[key] for key in keys if key in options), None)


def _flag(options: Mapping[str, str], *keys: str) -> bool:
    text = _first(options, *keys)
    try:
        return False if text is None else parse_boolean(text)
    except InvalidRequestError as error:
        raise InvalidRequestError(error.what, **{"option": keys[0], **error.fields}) from error


def _sign(options: Mapping[str, str], *keys: str, default: str | None = None) -> str | None:
    """One character; None for none and for U+0000, which both mean that there is no such sign."""
    text = _first(options, *keys)
    if text is None:
        return default
    text = _unescaped(text)
    if text in ("", "\0"):
        return None
    if len(text.encode()) != 1:
        raise UnsupportedError("one character of ASCII is read here", feature=f"{keys[0]} = {text!r}")
    return text


def _mode(text: str | None) -> Mode:
    try:
        return Mode((text or "permissive").lower())
    except ValueError:
        raise InvalidRequestError(
            "no such mode of CSV", option="csv.mode", found=text, known=", ".join(Mode)
        ) from None


def _line_end(options: Mapping[str, str], *keys: str) -> str:
    text = _unescaped(_first(options, *keys) or "\n")
    if text not in ("\n", "\r\n", "\r"):
        raise UnsupportedError("lines end as lines of text do", feature=f"{keys[0]} = {text!r}")
    return text


def _unescaped(text: str) -> str:
    """Engines hand over `\\t` and `\\n` as two characters where a statement of SQL says so."""
    return {"\\t": "\t", "\\n": "\n", "\\r": "\r", "\\r\\n": "\r\n", "\\u0001": "\x01"}.get(text, text)
