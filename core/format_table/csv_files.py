"""Files of CSV <-> batches of their columns, by place and not by the names of a header."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from io import BytesIO
from typing import IO, Any

import pyarrow as pa
import pyarrow.compute as _pc
import pyarrow.csv as _csv

from core.arrow import arrow_type
from core.errors import FormatError, InvalidRequestError, UnsupportedError
from core.format_table.csv_line import fields_of_line
from core.format_table.options import CsvOptions, Mode
from core.format_table.text_values import hives, parsed, texts_of
from core.types import (
    ArrayType,
    BlobType,
    DataField,
    GeographyType,
    GeometryType,
    MapType,
    MultisetType,
    RowType,
    VariantType,
    VectorType,
    type_to_text,
)

csv: Any = _csv
pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time
_pa: Any = pa

_BLOCK = 4 * 1024 * 1024  # bytes that are decoded at once; a row has to fit
_FIRST_LINE = 1024 * 1024
_NOT_HELD = (
    ArrayType,
    MapType,
    MultisetType,
    RowType,
    VariantType,
    VectorType,
    BlobType,
    GeometryType,
    GeographyType,
)


def check_csv(fields: Sequence[DataField]) -> None:
    """`UnsupportedError` if CSV does not hold a type of these columns; so it is with Paimon."""
    for field in fields:
        if isinstance(field.type, _NOT_HELD):
            kind = type_to_text(field.type)
            raise UnsupportedError(
                "files of CSV do not hold this type", feature=f"type {kind} in CSV", column=field.name
            )


def iter_csv(
    source: IO[bytes], fields: Sequence[DataField], wanted: Sequence[DataField], options: CsvOptions
) -> Iterator[pa.RecordBatch]:
    """Batches of the columns `wanted`, one at least; `fields` are all that the file has, in its order."""
    first, source = _first_row(source, options)
    if first is None:
        return
    names = [field.name for field in fields[: len(first)]]
    surplus = [f"\0{number}" for number in range(len(first) - len(fields))]  # no column has such a name
    asked = [field.name for field in wanted if field.name in names]
    if not asked:  # columns that the file ends before: its rows are there all the same
        asked = names[:1]
    odd = _OddRows(list(fields), wanted, options)
    reader = csv.open_csv(
        _pa.PythonFile(source, "r"),
        read_options=csv.ReadOptions(
            column_names=[*names, *surplus],
            skip_rows=1 if options.has_header else 0,
            block_size=_BLOCK,
            use_threads=False,
        ),
        parse_options=csv.ParseOptions(
            delimiter=options.delimiter,
            quote_char=options.quote or False,
            double_quote=options.quote is not None,
            escape_char=options.escape or False,
            newlines_in_values=options.quote is not None,
            ignore_empty_lines=False,
            invalid_row_handler=odd.take,
        ),
        convert_options=csv.ConvertOptions(
            column_types={name: pa.string() for name in names},
            include_columns=asked,
            null_values=[options.null_text],
            strings_can_be_null=True,
            quoted_strings_can_be_null=True,
            check_utf8=True,
        ),
    )
    for batch in reader:
        yield from odd.batches()
        if batch.num_rows:
            yield from _values(batch, wanted, options)
    yield from odd.batches()


def write_csv(
    rows: pa.Table, fields: Sequence[DataField], options: CsvOptions, *, with_header: bool
) -> Iterator[bytes]:
    """The lines of some rows, in pieces."""
    if with_header:
        header = options.delimiter.join(_quoted(pa.array([f.name]), options)[0].as_py() for f in fields)
        yield f"{header}{options.line_end}".encode()
    for batch in rows.to_batches():
        columns = [_quoted(texts_of(batch.column(f.name), f.type), options) for f in fields]
        filled = [pc.fill_null(column, options.null_text) for column in columns]
        yield joined_lines(pc.binary_join_element_wise(*filled, options.delimiter), options.line_end)


def joined_lines(lines: Any, line_end: str) -> bytes:
    """All texts of a column, an end behind each."""
    ended = pc.binary_join_element_wise(lines, "", line_end)
    _, offsets, data = ended.buffers()
    ends = memoryview(offsets).cast("i")
    return bytes(memoryview(data)[ends[ended.offset] : ends[ended.offset + len(ended)]]) if data else b""


def _quoted(texts: Any, options: CsvOptions) -> Any:
    """Texts with a sign of CSV in them in quotes, with escapes; the rest as they are."""
    if options.quote is None:
        return _held_plainly(texts, options)
    signs = (options.delimiter, options.line_end[0], options.quote, options.escape)
    pattern = "[" + "".join(f"\\x{{{ord(sign):x}}}" for sign in signs if sign) + "]"
    special = pc.match_substring_regex(texts, pattern)
    if not pc.any(special).as_py():
        return texts
    escaped = texts
    if options.escape is not None:
        escaped = pc.replace_substring(escaped, options.escape, options.escape * 2)
    before = options.escape or options.quote  # a quote is doubled where nothing escapes it
    escaped = pc.replace_substring(escaped, options.quote, before + options.quote)
    return pc.if_else(special, pc.binary_join_element_wise(options.quote, escaped, options.quote, ""), texts)


def _held_plainly(texts: Any, options: CsvOptions) -> Any:
    """The texts again, which nothing quotes; `InvalidRequestError` for one that would be read as another."""
    signs = (options.delimiter, options.escape, "\n", "\r")
    pattern = "[" + "".join(f"\\x{{{ord(sign):x}}}" for sign in signs if sign) + "]"
    lost = pc.match_substring_regex(texts, pattern)
    if options.null_text:
        lost = pc.or_(lost, pc.equal(texts, options.null_text))
    if pc.any(lost).as_py():
        raise InvalidRequestError(
            "a text without quotes holds no delimiter, no end of a line, and is not what stands for null",
            found=texts.filter(lost)[0].as_py()[:80],
            delimiter=repr(options.delimiter),
            null=options.null_text,
        )
    return texts


def _first_row(source: IO[bytes], options: CsvOptions) -> tuple[list[str | None] | None, IO[bytes]]:
    """The fields of the first line that is not a header, None without any; and the file from its start."""
    start = source.read(_FIRST_LINE)
    lines = start.removeprefix(b"\xef\xbb\xbf").decode(errors="replace").splitlines()
    at = 1 if options.has_header else 0
    whole = _Rewound(start, source)
    return (fields_of_line(lines[at], options) if len(lines) > at else None), whole  # type: ignore[return-value]


class _Rewound:
    """What was read of a stream, and then the rest of it: some streams do not go back."""

    def __init__(self, start: bytes, rest: IO[bytes]) -> None:
        self._start = BytesIO(start)
        self._rest = rest
        self.closed = False

    def read(self, size: int = -1) -> bytes:
        return self._start.read(size) or self._rest.read(size)

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return False

    def close(self) -> None:
        self.closed = True


class _OddRows:
    """Rows with more or fewer fields than columns: fields that lack are null, surplus ones are left out."""

    def __init__(self, fields: list[DataField], wanted: Sequence[DataField], options: CsvOptions) -> None:
        self._fields = fields
        self._wanted = wanted
        self._options = options
        self._lines: list[str] = []

    def take(self, row: Any) -> str:
        self._lines.append(row.text)
        return "skip"

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Those that have come since the last call."""
        lines, self._lines = self._lines, []
        if not lines:
            return
        rows = [fields_of_line(line, self._options) for line in lines]
        places = {field.name: place for place, field in enumerate(self._fields)}
        columns = {}
        for field in self._wanted:
            place = places[field.name]
            texts = [row[place] if place < len(row) else None for row in rows]
            nulls = [None if text == self._options.null_text else text for text in texts]
            columns[field.name] = pa.array(nulls, pa.string())
        yield from _values(pa.RecordBatch.from_pydict(columns), self._wanted, self._options)


def _values(
    batch: pa.RecordBatch, wanted: Sequence[DataField], options: CsvOptions
) -> Iterator[pa.RecordBatch]:
    """The texts of a batch as values, and what the mode makes of those that are none."""
    columns, bad = [], None
    for field in wanted:
        if field.name not in batch.schema.names:
            columns.append(_pa.nulls(batch.num_rows, arrow_type(field.type)))
            continue
        if options.has_hives_values:
            columns.append(hives(batch.column(field.name), field.type))
            continue
        values, marks = parsed(batch.column(field.name), field.type)
        if marks is not None and pc.any(marks).as_py():
            if options.mode is Mode.FAIL:
                raise FormatError(
                    "a field of CSV is no value of its column",
                    column=field.name,
                    expected=type_to_text(field.type),
                )
            bad = marks if bad is None else pc.or_(bad, marks)
        if bad is not None and options.mode is Mode.PERMISSIVE:
            values = pc.if_else(bad, pa.scalar(None, values.type), values)
        columns.append(values)
    found = pa.RecordBatch.from_arrays(columns, names=[field.name for field in wanted])
    yield found.filter(pc.invert(bad)) if bad is not None and options.mode is Mode.DROP else found
