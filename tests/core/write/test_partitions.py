import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.arrow import arrow_schema, from_python, to_python
from core.binary import encode_row
from core.types import DataField, parse_type
from core.write import partitions
from core.write.partitions import partitions_of, split_rows

FIELDS = [
    DataField(0, "p", parse_type("STRING")),
    DataField(1, "q", parse_type("INT")),
    DataField(2, "n", parse_type("INT")),
]
KEYS = st.tuples(st.sampled_from([None, "", "a", "b"]), st.sampled_from([None, 0, -1]), st.integers(-2, 2))


@given(st.lists(KEYS, max_size=30), st.booleans(), st.booleans())
def test_groups_are_those_of_a_plain_loop_in_the_order_of_the_rows(rows, partitioned, bucketed) -> None:
    values = [(p, q, number) for number, (p, q, _) in enumerate(rows)]
    columns = [from_python([row[i] for row in values], field.type) for i, field in enumerate(FIELDS)]
    table = pa.Table.from_arrays(columns, schema=arrow_schema(FIELDS))
    keys = FIELDS[:2] if partitioned else []
    buckets = np.array([b for _, _, b in rows], np.int32) if bucketed else None

    expected: dict[object, list[int]] = {}
    for number, (p, q, bucket) in enumerate(rows):
        partition = encode_row([f.type for f in keys], [p, q] if partitioned else [])
        expected.setdefault((partition, bucket if bucketed else 0), []).append(number)

    found = {
        (g.partition, g.bucket): to_python(g.rows.column("n"), FIELDS[2].type)
        for g in split_rows(table, partitions_of(table, keys), buckets)
    }
    assert found == expected


@pytest.mark.parametrize("piece_rows", [1, 7, 1000])
def test_groups_that_are_sorted_tell_in_which_order_their_rows_came(piece_rows, monkeypatch) -> None:
    monkeypatch.setattr(partitions, "_PIECE_ROWS", piece_rows)
    monkeypatch.setattr(partitions, "_GROUP_ROWS", 0)
    random = np.random.default_rng(1)
    keys, buckets = random.integers(0, 20, 100), random.integers(0, 3, 100).astype(np.int32)
    rows = pa.table({"k": keys, "n": np.arange(100)})
    found: dict[int, list[int]] = {0: [], 1: [], 2: []}
    for group in split_rows(rows, partitions_of(rows, []), buckets, keys):
        numbers = group.rows.column("n").to_numpy()
        came = np.arange(len(numbers)) if group.arrivals is None else group.arrivals
        assert (group.rows.column("k").to_numpy() == keys[numbers]).all()
        assert (
            np.diff(keys[numbers] * 100 + numbers) > 0
        ).all()  # by key, and by arrival where that is equal
        found[group.bucket] += numbers[np.argsort(came)].tolist()
    assert found == {b: np.flatnonzero(buckets == b).tolist() for b in found}


def test_few_rows_of_many_groups_stay_in_their_order() -> None:
    rows = pa.table({"k": [3, 2, 1, 0]})
    groups = split_rows(
        rows, partitions_of(rows, []), np.array([0, 1, 0, 1], np.int32), np.array([3, 2, 1, 0])
    )
    assert [(g.rows.column("k").to_pylist(), g.arrivals) for g in groups] == [([3, 1], None), ([2, 0], None)]
