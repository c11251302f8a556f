"""File indexes that lie in manifest entries, asked while a read is planned. Spec: 05, 9.

Those in files of their own are asked when their data file is read: a plan opens no file for
each data file. An index that cannot be used, as its type or version is not known or it is
damaged, rules nothing out and is named.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow.compute

from core.errors import FormatError, UnsupportedError
from core.fileindex import (
    FileIndex,
    IndexAnswer,
    ask_indexes,
    decode_file_index,
    is_known_index,
    useful_slots,
)
from core.fileindex.container import INDEX_SUFFIX
from core.manifest import EntryColumns
from core.predicate import Predicate, translate
from core.schema import SchemaStore, TableSchema
from core.types import DataField, DataType

pc: Any = pyarrow.compute  # its stubs know no columns whose type is known when it runs
Mask: TypeAlias = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class FileQuestion:
    """A filter in the terms of the files of one schema."""

    conjuncts: tuple[Predicate, ...]
    fields: tuple[DataField, ...]

    @staticmethod
    def of(
        conjuncts: Sequence[Predicate], fields: Sequence[DataField], file_fields: Sequence[DataField]
    ) -> FileQuestion:
        """What `conjuncts`, over columns of `fields`, ask of a file with other columns."""
        return FileQuestion(tuple(translate(conjuncts, fields, file_fields)), tuple(file_fields))

    @cached_property
    def types(self) -> dict[str, DataType]:
        return {of_file.name: of_file.type for of_file in self.fields}

    def ask(self, index: FileIndex) -> IndexAnswer:
        """The rows that may match, as far as the indexes of a file tell."""
        slots = useful_slots(index.slots, self.conjuncts, self.types)
        return ask_indexes(self.conjuncts, slots, index.payload, self.types)


@dataclass(slots=True)
class EmbeddedAnswers:
    """What the embedded indexes of some files said."""

    keep: Mask
    asked: dict[str, int] = field(default_factory=dict)  # files, by `bitmap(c)`
    unknown: set[str] = field(default_factory=set)  # types of index that we do not know
    unreadable: list[str] = field(default_factory=list)  # names of data files

    @property
    def reason(self) -> str:
        """What was asked and what could not be, for people."""
        parts = [f"{name} of {count} files" for name, count in sorted(self.asked.items())]
        if self.unknown:
            parts.append(f"not used, of unknown type: {', '.join(sorted(self.unknown))}")
        if self.unreadable:
            parts.append(f"not used, unreadable: of {', '.join(self.unreadable)}")
        return "; ".join(parts)


def ask_embedded(
    schemas: SchemaStore, schema: TableSchema, entries: EntryColumns, conjuncts: Sequence[Predicate]
) -> EmbeddedAnswers:
    """False in `keep` where an embedded index says that no row of the file can match."""
    answers = EmbeddedAnswers(np.ones(len(entries), dtype=np.bool_))
    embedded = entries.column("embedded_index").combine_chunks()
    has_index = embedded.is_valid().to_numpy(zero_copy_only=False)
    rows = np.flatnonzero(has_index).tolist() if conjuncts else []
    questions: dict[int, FileQuestion] = {}
    schema_ids = entries.numpy("schema_id")
    for row in rows:
        schema_id = int(schema_ids[row])
        if schema_id not in questions:
            file_fields = schemas.get(schema_id).fields
            questions[schema_id] = FileQuestion.of(conjuncts, schema.fields, file_fields)
        try:
            _ask(answers, row, questions[schema_id], embedded[row].as_py())
        except (FormatError, UnsupportedError):
            answers.unreadable.append(entries.column("file_name")[row].as_py())
    return answers


def _ask(answers: EmbeddedAnswers, row: int, question: FileQuestion, data: bytes) -> None:
    index = decode_file_index(data)
    answers.unknown |= {slot.index_type for slot in index.slots if not is_known_index(slot.index_type)}
    answer = question.ask(index)
    for name in answer.asked:
        answers.asked[name] = answers.asked.get(name, 0) + 1
    if answer.rows is not None and not answer.rows:
        answers.keep[row] = False


def files_with_index(entries: EntryColumns) -> tuple[int, int]:
    """How many files have an index in the manifest, and how many in a file of its own."""
    beside = pc.match_substring(
        pc.binary_join(entries.column("extra_files").combine_chunks(), "\0"), INDEX_SUFFIX
    )
    embedded = entries.column("embedded_index").combine_chunks().is_valid()
    separate = pc.and_not(pc.fill_null(beside, False), embedded)
    return int(pc.sum(embedded).as_py() or 0), int(pc.sum(separate).as_py() or 0)
