"""Cases that are about one option, or one way to write: what `cases.py` has not shown already."""

from __future__ import annotations

from collections.abc import Sequence

from tests.interop.case import Case, Drop, Expiring, Other, Overwrite, Partly
from tests.interop.case_columns import COLUMNS, DT_ID_V, ID_V, MANY, TYPED_ROWS
from tests.interop.describe import delete, insert, update

Columns = Sequence[tuple[str, str]]
WIDE = (("id", "INT NOT NULL"), ("a", "INT"), ("b", "STRING"), ("c", "DOUBLE"))
WIDE_ROWS = [insert(i, i % 5 or None, f"a text that is cut somewhere {i}", i / 4) for i in range(200)]
ALL_KINDS = [
    [insert(1, "a"), insert(2, "b"), insert(3, "c"), insert(4, "d")],
    [["-U", 1, "a"], update(1, "A"), ["-U", 2, "b"], delete(3, "c"), insert(5, "e")],
    [update(2, "again"), ["-U", 5, "e"]],
]


def of_two_days(text: str) -> list[list[object]]:
    return [insert(f"d{i % 2}", i, f"{text}{i}") for i in range(40)]


def keyed(steps: list[object], columns: Columns = ID_V, created: Columns = (), **options: str) -> Case:
    """A primary-key table of one bucket; options are spelled with `_` for `-` and `__` for `.`."""
    spelled = {name.replace("__", ".").replace("_", "-"): value for name, value in options.items()}
    return Case(columns, steps, ("id",), options={"bucket": "1", **spelled}, created=created)


def parts(steps: list[object], keys: tuple[str, ...] = ("dt", "id"), **options: str) -> Case:
    return Case(DT_ID_V, steps, keys, ("dt",), {"bucket": "2" if keys else "-1", **options})


OVERWRITES = [
    of_two_days("first"),
    Overwrite([insert("d1", 1, "static"), insert("d1", 99, "static")], {"dt": "d1"}),
    Overwrite([insert("d2", 1, "new"), insert("d0", 7, "dynamic")], None),
]
STATISTICS = {
    "none": {"metadata__stats_mode": "none"},
    "counts": {"metadata__stats_mode": "counts"},
    "full": {"metadata__stats_mode": "full"},
    "truncated": {"metadata__stats_mode": "truncate(3)"},
    "of_a_column": {"metadata__stats_mode": "none", "fields__b__stats_mode": "full"},
    "first_columns": {"metadata__stats_keep_first_n_columns": "2"},
    "sparse": {"metadata__stats_mode": "none", "metadata__stats_dense_store": "false"},
}

MERGED = (("id", "INT NOT NULL"), ("n", "BIGINT"), ("more", "STRING"))
NEVER = 2_000_000_000  # seconds; 0.9.0 adds to it in 32 bits

OPTION_CASES: dict[str, Case] = {
    "pk_mod_buckets": keyed(
        [MANY, [delete(7, None), insert(-3, "below zero"), insert(-2147483648, "least")], "compact"],
        bucket="3",
        bucket_function__type="mod",
    ),
    "append_mod_buckets": Case(
        ID_V,
        [MANY[:50], [insert(-3, "below zero")]],
        options={"bucket": "3", "bucket-key": "id", "bucket-function.type": "mod"},
    ),
    "pk_row_kinds": keyed([*ALL_KINDS]),
    "pk_row_kinds_compacted": keyed([*ALL_KINDS, "compact"]),
    "pk_some_columns": keyed(
        [WIDE_ROWS, Partly(("id", "b"), [insert(3, "only b"), insert(1000, "new")]), "minor"], WIDE
    ),
    "append_some_columns": Case(
        WIDE, [WIDE_ROWS[:5], Partly(("c", "id"), [insert(0.5, 9)])], options={"bucket": "-1"}
    ),
    "pk_thin": keyed(
        [MANY, [delete(5, None), insert(6, "six")], "compact", [insert(7, "seven")]],
        data_file__thin_mode="true",
    ),
    "pk_types_thin": Case(
        COLUMNS,
        [TYPED_ROWS, TYPED_ROWS[:2], "compact"],
        primary_key=("id",),
        options={"bucket": "1", "data-file.thin-mode": "true"},
    ),
    **{
        f"pk_statistics_{name}": keyed([WIDE_ROWS, "compact", WIDE_ROWS[:3]], WIDE, **options)
        for name, options in STATISTICS.items()
    },
    "append_overwritten": parts(list(OVERWRITES), ()),
    "pk_overwritten": parts(list(OVERWRITES)),
    "pk_overwritten_whole": parts([of_two_days("first"), Overwrite([insert("d0", 1, "all")], {})]),
    "append_dropped": parts([of_two_days("first"), Drop([{"dt": "d1"}]), [insert("d1", 1, "back")]], ()),
    "pk_dropped": parts(
        [of_two_days("first"), Drop([{"dt": "d0"}, {"dt": "d1"}]), [insert("d1", 1, "back")]]
    ),
    "append_schema_merged": Case(
        MERGED,
        [[insert(1, 10), insert(2, None)], Other(MERGED, [insert(2, 2**40, "m")]), "compact", [insert(5, 5)]],
        options={"bucket": "-1"},
        created=(("id", "INT NOT NULL"), ("n", "INT")),
    ),
    "append_spilled": Case(
        ID_V,
        [MANY, MANY[:9]],
        options={"bucket": "-1", "write-buffer-for-append": "true", "write-buffer-size": "8 kb"},
    ),
    "pk_spilled": keyed([MANY, MANY[:9], "compact"], write_buffer_size="8 kb", sort_spill_threshold="2"),
    "pk_many_manifests": keyed(
        [[insert(i, "a")] for i in range(6)],
        manifest__target_file_size="1 b",
        manifest__merge_min_count="2",
        manifest__full_compaction_threshold_size="1 b",
    ),
    "pk_write_only": keyed([[insert(i, "a"), delete(i - 1, "a")] for i in range(6)], write_only="true"),
    "pk_minor": keyed([*([insert(i, "a"), insert(0, f"{i}")] for i in range(7)), "minor"]),
    "pk_schema_merged": keyed(
        [[insert(1, 10), insert(2, None)], Other(MERGED, [insert(2, 2**40, "m"), insert(3, 1, None)])],
        MERGED,
        created=(("id", "INT NOT NULL"), ("n", "INT")),
    ),
    "pk_rows_expired": keyed(
        [
            [insert(1, 5, "long ago"), insert(2, NEVER, "stays")],
            [insert(3, 1_000_000_000, "long ago, in another file"), update(2, NEVER, "still")],
            Expiring([[2, NEVER, "still"]]),
            [insert(4, NEVER, "later")],
        ],
        (("id", "INT NOT NULL"), ("at", "INT NOT NULL"), ("v", "STRING")),
        record_level__expire_time="1 d",
        record_level__time_field="at",
    ),
}
