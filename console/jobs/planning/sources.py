"""A look at the files of a source: how many, how large, which columns. Reads a file's head, no more."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import IO, Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.json
import pyarrow.orc
import pyarrow.parquet

from console.jobs.planning.places import SourceError, local_path
from console.jobs.refusals import told
from core.errors import PaimonError
from core.io import FileIO, FileStatus, file_io_for

HEAD = 1024 * 1024  # bytes of a text file that are looked at
MOST_COUNTED = 10_000  # files


@dataclass(frozen=True, slots=True)
class Source:
    """What is known of a source before it is read; None: not known."""

    schema: pa.Schema | None
    files: int | None = None
    bytes: int | None = None
    rows: int | None = None


def look_at(source: dict[str, Any]) -> Source:
    """The columns and size of files at a path.

    Raises:
        SourceError: nothing there, or not of the format.
    """
    path = local_path(source["path"]) or source["path"]
    try:
        io = file_io_for(path)
        files = _files(io, path, source["format"])
        schema, rows = _READERS[source["format"]](io, files, source.get("options") or {})
    except (PaimonError, pa.ArrowException, OSError) as error:
        raise SourceError(told(error)) from error
    return Source(schema, len(files), sum(f.size for f in files), rows)


def _files(io: FileIO, path: str, format_: str) -> list[FileStatus]:
    """The data files that a file, a folder or a glob names, by path."""
    folder = path if "*" not in path else str(PurePosixPath(path.split("*")[0] + "x").parent)
    try:
        found = [io.status(path)] if "*" not in path and _has_suffix(path) else []
    except PaimonError:
        found = []
    if not found:
        listed = io.list_files(folder, recursive=True)[:MOST_COUNTED]
        found = [f for f in listed if "*" not in path or PurePosixPath(f.path).match(path)]
    visible = [f for f in found if not PurePosixPath(f.path).name.startswith(("_", ".")) and f.size]
    if not visible:
        raise SourceError(f"there is no {format_} file at {path}", f"{path} 处没有 {format_} 文件")
    return visible


def _has_suffix(path: str) -> bool:
    return bool(PurePosixPath(path).suffix)


Read = Callable[[FileIO, list[FileStatus], dict[str, str]], tuple[pa.Schema, int | None]]


def _parquet(io: FileIO, files: list[FileStatus], options: dict[str, str]) -> tuple[pa.Schema, int | None]:
    with io.open_input(files[0].path) as file:
        first = pyarrow.parquet.ParquetFile(file)
        return first.schema_arrow, first.metadata.num_rows if len(files) == 1 else None


def _orc(io: FileIO, files: list[FileStatus], options: dict[str, str]) -> tuple[pa.Schema, int | None]:
    with io.open_input(files[0].path) as file:
        first = pyarrow.orc.ORCFile(file)
        return first.schema, first.nrows if len(files) == 1 else None


def _csv(io: FileIO, files: list[FileStatus], options: dict[str, str]) -> tuple[pa.Schema, int | None]:
    named = options.get("header", "false").lower() == "true"
    separator = options.get("sep") or options.get("delimiter") or ","
    with _head(io, files[0]) as file:
        table = pyarrow.csv.read_csv(
            file,
            read_options=pyarrow.csv.ReadOptions(autogenerate_column_names=not named),
            parse_options=pyarrow.csv.ParseOptions(
                delimiter=separator, invalid_row_handler=lambda row: "skip"
            ),
        )
    names = table.schema.names if named else [f"_c{i}" for i in range(table.num_columns)]
    return pa.schema(
        [(name, _text_if_null(f.type)) for name, f in zip(names, table.schema, strict=True)]
    ), None


def _json(io: FileIO, files: list[FileStatus], options: dict[str, str]) -> tuple[pa.Schema, int | None]:
    with _head(io, files[0]) as file:
        table = pyarrow.json.read_json(file)
    return pa.schema([(f.name, _text_if_null(f.type)) for f in table.schema]), None


def _text_if_null(data_type: pa.DataType) -> pa.DataType:
    """A column that is empty so far can hold anything."""
    return pa.string() if pa.types.is_null(data_type) else data_type


def _head(io: FileIO, file: FileStatus) -> IO[bytes]:
    """The first whole lines of a file."""
    data = io.read_range(file.path, 0, min(HEAD, file.size))
    whole = data if file.size <= HEAD else data[: data.rfind(b"\n") + 1]
    return pa.BufferReader(whole)  # type: ignore[return-value]  # pyarrow's files are file objects


_READERS: dict[str, Read] = {"parquet": _parquet, "orc": _orc, "csv": _csv, "json": _json}
