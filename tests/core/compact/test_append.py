from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from core.binary import EMPTY_ROW
from core.compact.append import Marks, PackRules, pack_ordered, pack_ordered_full, pack_unordered
from core.manifest.file_meta import DataFileMeta
from core.stats.simple_stats import EMPTY_STATS

RULES = PackRules(target_file_size=100, small_file_size=70, min_file_num=5, open_file_cost=4)
SMALL = DataFileMeta(
    file_name="",
    file_size=1,
    row_count=1,
    min_key=EMPTY_ROW,
    max_key=EMPTY_ROW,
    key_stats=EMPTY_STATS,
    value_stats=EMPTY_STATS,
    min_sequence_number=0,
    max_sequence_number=0,
    schema_id=0,
    level=0,
)


def files(*sizes: int) -> list[DataFileMeta]:
    return [
        replace(SMALL, file_name=f"f{i}", file_size=size, min_sequence_number=i, max_sequence_number=i)
        for i, size in enumerate(sizes)
    ]


def sizes(group: tuple[DataFileMeta, ...]) -> list[int]:
    return [f.file_size for f in group]


def test_small_files_fill_bins_of_twice_the_target():
    groups = pack_unordered(files(*[46] * 9), RULES, leftovers=False)
    assert [len(g) for g in groups] == [4, 4]


def test_few_leftovers_wait_for_company_unless_asked_for():
    assert pack_unordered(files(1, 1, 1, 1), RULES, leftovers=False) == []
    assert [len(g) for g in pack_unordered(files(1, 1, 1, 1), RULES, leftovers=True)] == [4]


def test_a_plan_takes_no_more_files_than_it_may():
    small = files(*[46] * 9)
    assert [len(g) for g in pack_unordered(small, RULES, leftovers=True, most_files=7)] == [4, 3]
    assert [len(g) for g in pack_unordered(small, RULES, leftovers=True, most_files=5)] == [4]
    assert pack_unordered(small, RULES, leftovers=True, most_files=0) == []


def test_files_whose_vectors_are_in_one_index_stay_together_whatever_a_plan_may_take():
    small = files(1, 1, 1)
    marks = Marks({f.file_name: "index" for f in small}, {f.file_name: 1 for f in small})
    assert [len(g) for g in pack_unordered(small, RULES, leftovers=True, marks=marks, most_files=2)] == [3]


def test_a_lone_small_file_is_never_rewritten():
    assert pack_unordered(files(1, 99), RULES, leftovers=True) == []


def test_an_ordered_bucket_packs_neighbours_from_the_front():
    assert sizes(pack_ordered(files(5, 6, 7, 8, 9, 10), RULES)) == [5, 6, 7, 8, 9]


def test_an_ordered_bucket_slides_past_big_files():
    assert sizes(pack_ordered(files(250, 250, 1, 2, 3, 4, 5), RULES)) == [1, 2, 3, 4, 5]


def test_a_full_packing_skips_big_files_in_front():
    assert sizes(pack_ordered_full(files(90, 1, 2, 90, 3), RULES)) == [1, 2, 90, 3]


def test_a_full_packing_leaves_a_bucket_of_big_files():
    assert pack_ordered_full(files(90, 1, 90, 90), RULES) == ()
    assert pack_ordered_full(files(90, 90), RULES) == ()


@given(st.lists(st.integers(1, 120), max_size=40), st.booleans())
def test_no_file_is_packed_twice_and_none_alone(given_sizes, leftovers):
    groups = pack_unordered(files(*given_sizes), RULES, leftovers=leftovers)
    packed = [f.file_name for group in groups for f in group]
    assert len(packed) == len(set(packed))
    assert all(len(group) > 1 and max(sizes(group)) < 70 for group in groups)


def test_files_whose_vectors_share_an_index_file_are_packed_together():
    given_files = files(1, 1, 1, 250)
    marks = Marks({"f0": "a", "f2": "b", "f3": "a"}, {"f0": 1, "f2": 1, "f3": 1})
    groups = pack_unordered(given_files, RULES, leftovers=False, marks=marks)
    assert [{f.file_name for f in group} for group in groups] == [{"f0", "f2", "f3"}]


def test_a_file_with_many_deleted_rows_is_packed_whatever_its_size():
    many, few = [replace(f, row_count=100) for f in files(250, 250)]
    marks = Marks({"f0": "a", "f1": "b"}, {"f0": 21, "f1": 20})
    (group,) = pack_unordered([many, few], RULES, leftovers=False, marks=marks)
    assert group == (many,)
    unknown = Marks({"f1": "b"}, {"f1": None})
    assert pack_unordered([many, few], RULES, leftovers=False, marks=unknown) == [(few,)]


def test_a_full_packing_of_a_bucket_starts_at_its_first_marked_file():
    given_files = files(250, 250, 250)
    marks = Marks({"f1": "a"}, {"f1": 1})
    assert sizes(pack_ordered_full(given_files, RULES)) == []
    assert [f.file_name for f in pack_ordered_full(given_files, RULES, marks)] == ["f1", "f2"]
