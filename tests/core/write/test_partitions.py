import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from core.arrow import arrow_schema, from_python, to_python
from core.binary import encode_row
from core.types import DataField, parse_type
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
