"""Hive's own tables as format tables, and format tables as Hive keeps them. Spec: 04, C3, C5. All pure.

Paimon's Hive catalog takes any table of text, JSON, Parquet or ORC for a format table, by the names of its
classes. Of such a table that Paimon's catalogs have made, the parameters say how its files are read. Of one
that Hive has made its SerDe says so: no quotes, `\\N` for null, a directory of its own for null, columns in
any letters, decimals and times of Parquet in the old types. What a SerDe does that files of ours do not say
is refused by name, as is what lists of files do not tell.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from pymetastore.hive_metastore.ttypes import SerDeInfo, StorageDescriptor
from pymetastore.hive_metastore.ttypes import Table as HmsTable

from core.catalog.hive.objects import (
    EXTERNAL,
    FOREVER,
    HIVES,
    MANAGED,
    columns_of,
    is_paimon_table,
    path_of,
)
from core.catalog.hive.types import type_of
from core.errors import FormatError, InvalidRequestError, UnsupportedError
from core.format_table.csv_files import check_csv
from core.format_table.json_files import check_json
from core.format_table.options import CASE_SENSITIVE, HIVES_TYPES, HIVES_VALUES, FileKind, file_kind
from core.format_table.text_files import check_text
from core.identifier import Identifier
from core.options import FILE_FORMAT, PARTITION_DEFAULT_NAME, PARTITION_LEGACY_NAME, PATH, TYPE
from core.schema.table_schema import TableSchema
from core.schema.table_type import TableType
from core.types import (
    DataField,
    LocalZonedTimestampType,
    MultisetType,
    TimestampType,
    TimeType,
    inner_types,
    type_to_text,
)

_TEXT_INPUT = "org.apache.hadoop.mapred.TextInputFormat"
_TEXT_OUTPUT = "org.apache.hadoop.hive.ql.io.HiveIgnoreKeyTextOutputFormat"
_LAZY = "org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe"
_JSON = "org.apache.hive.hcatalog.data.JsonSerDe"
_ORC = "org.apache.hadoop.hive.ql.io.orc"
_PARQUET = "org.apache.hadoop.hive.ql.io.parquet"


@dataclass(frozen=True, slots=True)
class _Classes:
    """What of Hive reads and writes files of a format."""

    input: str
    output: str
    serde: str


_CLASSES: Mapping[FileKind, _Classes] = {
    FileKind.CSV: _Classes(_TEXT_INPUT, _TEXT_OUTPUT, _LAZY),
    FileKind.TEXT: _Classes(_TEXT_INPUT, _TEXT_OUTPUT, _LAZY),
    FileKind.JSON: _Classes(_TEXT_INPUT, _TEXT_OUTPUT, _JSON),
    FileKind.PARQUET: _Classes(
        f"{_PARQUET}.MapredParquetInputFormat",
        f"{_PARQUET}.MapredParquetOutputFormat",
        f"{_PARQUET}.serde.ParquetHiveSerDe",
    ),
    FileKind.ORC: _Classes(f"{_ORC}.OrcInputFormat", f"{_ORC}.OrcOutputFormat", f"{_ORC}.OrcSerde"),
}
_KINDS: Mapping[tuple[str, str], FileKind] = {
    **{(one.input, one.serde): kind for kind, one in _CLASSES.items() if kind is not FileKind.TEXT},
    (_TEXT_INPUT, "org.apache.hadoop.hive.serde2.JsonSerDe"): FileKind.JSON,  # Hive 3 has it here
}

_DELIMITER = "csv.field-delimiter"
_HIVES_DELIMITER, _HIVES_NULL, _HIVES_DEFAULT_NAME = "\x01", "\\N", "__HIVE_DEFAULT_PARTITION__"
# Of these parameters of a SerDe some are followed, and the others say nothing of flat columns.
_FOLLOWED = frozenset({
    "field.delim", "serialization.format", "serialization.null.format", "line.delim", "colelction.delim",
    "collection.delim", "mapkey.delim", "path",
})  # fmt: skip
# Hive takes these from the parameters of the table, too, before those of its SerDe.
_OF_TEXT = (_FOLLOWED - {"path"}) | {
    "escape.delim", "serialization.encoding", "serialization.escape.crlf", "timestamp.formats",
    "serialization.last.column.takes.rest", "hive.serialization.extend.nesting.levels",
    "hive.serialization.extend.additional.nesting.levels",
}  # fmt: skip
_BY_POSITION = ("parquet.column.index.access", "orc.force.positional.evolution")
_OF_TYPES = frozenset(kind.value.upper() for kind in FileKind)  # of parameter `table_type`


def is_format_table(found: HmsTable) -> bool:
    """Whether the metastore keeps a format table that we open."""
    try:
        format_schema(found)
    except (UnsupportedError, FormatError):
        return False
    return True


def format_schema(found: HmsTable) -> TableSchema:
    """The schema of a table of plain files, as Paimon tells it; the columns of partitions are the last.

    Raises:
        UnsupportedError: it is none, or does what the listing of its files does not tell, by name.
        FormatError: a column has what is no type of Hive's.
    """
    _check_files_tell_all(found)
    parameters = dict(found.parameters or {})
    serde = dict(found.sd.serdeInfo.parameters or {})
    kind = _kind(found)
    is_paimons = parameters.get(TYPE.key) == TableType.FORMAT
    options = {k: v for k, v in parameters.items() if k.lower() not in HIVES and k != "table_type"}
    comment = options.pop("comment", None)
    own: dict[str, str] = {}
    if kind is FileKind.CSV and not is_paimons:
        serde |= {key: text for key, text in parameters.items() if key in _OF_TEXT}
        own = dict(_of_hives_text(found, parameters, serde))
    if kind is FileKind.CSV:
        options[_DELIMITER] = serde.get("field.delim", _HIVES_DELIMITER)
        if not is_paimons:
            options[_DELIMITER] = _sign(serde.get("field.delim") or serde.get("serialization.format"))
    if not is_paimons and kind is not FileKind.CSV:
        own[CASE_SENSITIVE] = "false"  # Hive's columns are of small letters, those of its writers need not be
    if not is_paimons and kind is FileKind.PARQUET:
        own[HIVES_TYPES] = "true"
    if not is_paimons and found.partitionKeys:
        own |= {PARTITION_DEFAULT_NAME.key: _HIVES_DEFAULT_NAME, PARTITION_LEGACY_NAME.key: "false"}
    columns = [*found.sd.cols, *(found.partitionKeys or [])]
    fields = tuple(
        DataField(number, column.name, type_of(column.type), column.comment or None)
        for number, column in enumerate(columns)
    )
    schema = TableSchema(
        id=0,
        fields=fields,
        highest_field_id=len(fields) - 1,
        partition_keys=tuple(column.name for column in found.partitionKeys or []),
        options={
            **own,
            **options,
            PATH.key: path_of(found.sd.location) or "",
            TYPE.key: str(TableType.FORMAT),
            FILE_FORMAT.key: str(kind),
        },
        comment=comment,
        time_millis=(found.createTime or 0) * 1000,
    )
    _check_columns(schema, kind)
    return schema


def check_taken(found: HmsTable) -> None:
    """Raises `UnsupportedError` where Hive lays rows of the table down by their values, which we do not."""
    parameters = found.parameters or {}
    if found.sd.bucketCols or (found.sd.numBuckets or 0) > 0 or _of_spark(parameters, "numBuckets"):
        _refuse(found, "a bucketed table of Hive, which is read and not written", "its buckets")
    if found.sd.sortCols:
        _refuse(found, "a sorted table of Hive, which is read and not written", "its order")


def new_format_table(
    table: Identifier,
    location: str,
    schema: TableSchema,
    *,
    owner: str,
    seconds: int,
    is_external: bool,
    delimiter: str,
) -> HmsTable:
    """The object of a format table, as Paimon's catalog writes it; `delimiter` is that of CSV unless the
    table says its own.

    Raises:
        UnsupportedError: Hive has no type for a column, or one that does not come back as it was.
        InvalidRequestError: a column that Hive would call otherwise.
    """
    _check_comes_back(schema)
    kind = file_kind(schema.options)
    classes, keys = _CLASSES[kind], set(schema.partition_keys)
    serde = {"field.delim": schema.options.get(_DELIMITER, delimiter)} if kind is FileKind.CSV else {}
    parameters = {
        **schema.options,
        **_says_dates(schema),
        "table_type": kind.value.upper(),
        FILE_FORMAT.key: str(kind),
        TYPE.key: str(TableType.FORMAT),
    }
    if schema.comment is not None:
        parameters["comment"] = schema.comment
    if is_external:
        parameters["EXTERNAL"] = "TRUE"
    return HmsTable(
        tableName=table.table,
        dbName=table.database,
        owner=owner,
        createTime=seconds,
        lastAccessTime=seconds,
        retention=FOREVER,
        sd=StorageDescriptor(
            cols=columns_of(tuple(field for field in schema.fields if field.name not in keys)),
            location=location,
            inputFormat=classes.input,
            outputFormat=classes.output,
            compressed=False,
            numBuckets=0,
            serdeInfo=SerDeInfo(name=None, serializationLib=classes.serde, parameters=serde),
            bucketCols=[],
            sortCols=[],
            parameters={},
        ),
        partitionKeys=columns_of(tuple(schema.field(name) for name in schema.partition_keys)),
        parameters=parameters,
        tableType=EXTERNAL if is_external else MANAGED,
    )


def reads_alike(table: HmsTable, descriptor: Any) -> bool:
    """Whether files of a partition, by its descriptor, are read as those of the table are."""
    one, other = table.sd, descriptor
    return (one.inputFormat, _reading(one.serdeInfo)) == (other.inputFormat, _reading(other.serdeInfo))


def _reading(serde: Any) -> tuple[str, dict[str, str]]:
    return serde.serializationLib, {k: v for k, v in (serde.parameters or {}).items() if k != "path"}


def _kind(found: HmsTable) -> FileKind:
    parameters, serde = found.parameters or {}, found.sd.serdeInfo
    kind = _KINDS.get((found.sd.inputFormat or "", serde.serializationLib or ""))
    table_type = parameters.get("table_type")
    if kind is None or (table_type and table_type.upper() not in _OF_TYPES):
        shown = table_type or f"{found.sd.inputFormat} by {serde.serializationLib}"
        _refuse(
            found, f"a table of kind {shown}", "the metastore has a table of that name that is not Paimon's"
        )
    return FileKind.TEXT if kind is FileKind.CSV and table_type == "TEXT" else kind


def _check_files_tell_all(found: HmsTable) -> None:
    """Raises `UnsupportedError` for a table whose rows are more, or less, than those of its files."""
    parameters = found.parameters or {}
    if is_paimon_table(found) or found.tableType not in (MANAGED, EXTERNAL) or found.sd is None:
        _refuse(found, f"a {found.tableType} as a table of files")
    if found.sd.serdeInfo is None or not found.sd.location:
        _refuse(found, "a table without a SerDe or a place")
    if parameters.get("storage_handler"):
        _refuse(found, f"storage_handler {parameters['storage_handler']}")
    if parameters.get("transactional", "").lower() == "true":
        _refuse(found, "a transactional (ACID) table of Hive", "its files hold rows that are deleted, too")
    if getattr(found.sd.skewedInfo, "skewedColNames", None):
        _refuse(found, "a skewed table of Hive", "its rows lie in directories of their values")
    for key in _BY_POSITION:
        told = {**(found.sd.serdeInfo.parameters or {}), **parameters}.get(key, "")
        if told.lower() == "true":
            _refuse(found, f"{key} = {told}", "its columns are told by their places in a file")
    path = path_of((found.sd.serdeInfo.parameters or {}).get("path"))
    if path and path.rstrip("/") != (path_of(found.sd.location) or "").rstrip("/"):
        _refuse(found, f"a data source of Spark at {path}", "the metastore does not know its place")


def _of_hives_text(
    found: HmsTable, parameters: Mapping[str, str], serde: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """How Hive's own text is read, in Paimon's options; what these do not say is refused by name."""
    unknown = sorted({key for key in serde if key not in _FOLLOWED})
    if unknown:
        _refuse(found, f"SerDe parameter {unknown[0]} = {serde[unknown[0]]!r}")
    if serde.get("line.delim", "\n") != "\n":
        _refuse(found, f"SerDe parameter line.delim = {serde['line.delim']!r}")
    for key, most in (("skip.header.line.count", 1), ("skip.footer.line.count", 0)):
        count = parameters.get(key, "0").strip()
        if not count.isdecimal() or int(count) > most:
            _refuse(found, f"{key} = {count}")
        if most and int(count):
            yield "csv.include-header", "true"
    for sign in ("csv.quote-character", "csv.escape-character"):
        yield sign, "\0"  # none; an empty one is none for us alone, and Paimon's readers fail by it
    yield HIVES_VALUES, "true"
    yield "csv.null-literal", serde.get("serialization.null.format", _HIVES_NULL)


def _sign(text: str | None) -> str:
    """Hive takes a small number for the byte of that number."""
    if text and text.isdecimal() and int(text) < 128:
        return chr(int(text))
    return text or _HIVES_DELIMITER


def _check_columns(schema: TableSchema, kind: FileKind) -> None:
    fields = [field for field in schema.fields if field.name not in schema.partition_keys]
    match kind:
        case FileKind.CSV:
            check_csv(fields)
        case FileKind.JSON:
            check_json(fields)
        case FileKind.TEXT:
            check_text(fields)


def _check_comes_back(schema: TableSchema) -> None:
    """The metastore alone keeps the columns, so what it cannot say would be lost."""
    for field in schema.fields:
        if field.name != field.name.lower():
            raise InvalidRequestError(
                "a Hive metastore keeps the name of a column in small letters", name=field.name
            )
        for inner in inner_types(field.type):
            is_lost = isinstance(inner, TimeType | LocalZonedTimestampType | MultisetType)
            if is_lost or (isinstance(inner, TimestampType) and inner.precision > 6):
                raise UnsupportedError(
                    "a Hive metastore tells such a column as one of another type",
                    feature=f"type {type_to_text(inner)} in a format table of a hive catalog",
                    column=field.name,
                )


def _says_dates(schema: TableSchema) -> dict[str, str]:
    """Directories that Hive reads, too: Paimon's own names hold a date as the number of its day."""
    is_free = schema.partition_keys and PARTITION_LEGACY_NAME.key not in schema.options
    return {PARTITION_LEGACY_NAME.key: "false"} if is_free else {}


def _of_spark(parameters: Mapping[str, str], name: str) -> str | None:
    return parameters.get(f"spark.sql.sources.schema.{name}")


def _refuse(found: HmsTable, feature: str, what: str = "this table of Hive is not read as files") -> NoReturn:
    raise UnsupportedError(what, feature=feature, where=f"{found.dbName}.{found.tableName}")
