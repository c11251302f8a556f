"""Which buckets a filter's keys hash to. Spec: 03, 4; 09, 8."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from core.arrow import from_python
from core.bucket import assign_buckets
from core.options import BUCKET, BUCKET_FUNCTION, BucketFunction, TableOptions
from core.predicate import Comparison, In, Operator, Predicate
from core.schema import TableSchema
from core.types import DataField

_MANY_KEYS = 1000  # beyond, most buckets would be hit anyway


@dataclass(frozen=True, slots=True)
class BucketFilter:
    """The bucket keys that rows can have; `keys` is None where a filter does not pin them down."""

    fields: tuple[DataField, ...]
    function: BucketFunction
    keys: tuple[tuple[Any, ...], ...] | None
    reason: str

    @staticmethod
    def of(schema: TableSchema, conjuncts: Sequence[Predicate]) -> BucketFilter:
        """What `conjuncts`, which must all hold, say about the bucket key."""
        options = TableOptions(schema.options)
        fields = schema.fields_of(schema.bucket_keys)
        function = options.get(BUCKET_FUNCTION)
        if options.get(BUCKET) < 1 or not fields:
            return BucketFilter(fields, function, None, "buckets do not follow from column values")
        values = [_literals(field.name, conjuncts) for field in fields]
        free = [field.name for field, found in zip(fields, values, strict=True) if found is None]
        if free:
            return BucketFilter(fields, function, None, f"no = or IN for bucket key {', '.join(free)}")
        keys = tuple(product(*(found for found in values if found is not None)))
        if len(keys) > _MANY_KEYS:
            return BucketFilter(fields, function, None, f"more than {_MANY_KEYS} bucket keys")
        return BucketFilter(fields, function, keys, f"{len(keys)} bucket key(s) given by the filter")

    def matching(
        self, bucket: npt.NDArray[np.int32], total_buckets: npt.NDArray[np.int32]
    ) -> npt.NDArray[np.bool_]:
        """Whether a row of one of the keys may be in each file's bucket, going by the file's own count."""
        keep = np.ones(len(bucket), dtype=np.bool_)
        if self.keys is None:
            return keep
        for count in np.unique(total_buckets[total_buckets > 0]).tolist():
            of_count = total_buckets == count
            keep[of_count] = np.isin(bucket[of_count], self._buckets(count))
        return keep

    def _buckets(self, count: int) -> npt.NDArray[np.int32]:
        types = [field.type for field in self.fields]
        columns = [
            from_python([key[i] for key in self.keys or ()], data_type) for i, data_type in enumerate(types)
        ]
        return assign_buckets(types, columns, count, self.function)


def _literals(column: str, conjuncts: Sequence[Predicate]) -> tuple[Any, ...] | None:
    """The values that one of the conjuncts leaves to a column."""
    for conjunct in conjuncts:
        match conjunct:
            case Comparison(column=of, operator=Operator.EQUAL, literal=literal) if of == column:
                return _stored((literal,))
            case In(column=of, literals=literals, negated=False) if of == column:
                return _stored(literals)
    return None


def _stored(literals: tuple[Any, ...]) -> tuple[Any, ...]:
    """The values that are hashed: a float's zero may have been written with either sign."""
    has_zero = any(isinstance(literal, float) and literal == 0.0 for literal in literals)
    return (*literals, 0.0, -0.0) if has_zero else literals
