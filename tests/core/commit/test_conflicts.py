from dataclasses import replace

import pytest

from core.binary import EMPTY_ROW, encode_row
from core.commit.conflicts import check_change
from core.errors import CommitConflictError
from core.manifest.entry import FileKind, ManifestEntry
from core.manifest.file_meta import DataFileMeta
from core.stats.simple_stats import EMPTY_STATS
from core.types import IntType

INT = (IntType(),)


def entry(name: str, low: int = 0, high: int = 0, *, level: int = 0, bucket: int = 0, buckets: int = 2):
    file = DataFileMeta(
        file_name=name,
        file_size=1,
        row_count=1,
        min_key=encode_row(INT, [low]),
        max_key=encode_row(INT, [high]),
        key_stats=EMPTY_STATS,
        value_stats=EMPTY_STATS,
        min_sequence_number=0,
        max_sequence_number=0,
        schema_id=0,
        level=level,
    )
    return ManifestEntry(FileKind.ADD, EMPTY_ROW, bucket, buckets, file)


def delete(added: ManifestEntry) -> ManifestEntry:
    return replace(added, kind=FileKind.DELETE)


def clash(base, delta, **options) -> dict[str, object]:
    with pytest.raises(CommitConflictError) as refused:
        check_change(base, delta, INT, **options)
    return refused.value.fields


def test_replacing_what_is_there_is_no_conflict():
    old = entry("a")
    check_change([old, entry("b")], [delete(old), entry("c", level=5)], INT)


def test_a_file_that_another_compaction_took_is_a_conflict():
    fields = clash([entry("b")], [delete(entry("a")), entry("c", level=5)])
    assert (fields["check"], fields["file"]) == ("files", "a")


def test_a_file_at_another_level_is_another_file():
    assert clash([entry("a", level=5)], [delete(entry("a"))])["file"] == "a"


def test_a_file_added_twice_is_a_conflict():
    assert clash([entry("a")], [entry("a")])["file"] == "a"
    assert clash([], [entry("a"), entry("a")])["file"] == "a"


def test_an_upgrade_deletes_and_adds_one_name():
    check_change([entry("a")], [delete(entry("a")), entry("a", level=5)], INT)


def test_overlap_on_a_level_above_0_is_a_conflict():
    fields = clash([entry("a", 1, 5, level=5)], [entry("b", 5, 9, level=5)])
    assert (fields["check"], fields["level"], fields["other_file"]) == ("levels", 5, "b")


@pytest.mark.parametrize("other", [{"level": 4}, {"level": 5, "bucket": 1}])
def test_overlap_between_levels_and_buckets_is_fine(other):
    check_change([entry("a", 1, 5, level=5)], [entry("b", 5, 9, **other)], INT)


def test_overlap_on_level_0_is_fine():
    check_change([entry("a", 1, 5)], [entry("b", 5, 9)], INT)


def test_append_tables_have_no_key_ranges_to_check():
    check_change([entry("a", 1, 5, level=5)], [entry("b", 5, 9, level=5)], ())


def test_the_number_of_buckets_changes_only_by_an_overwrite():
    fields = clash([entry("a", buckets=2)], [entry("b", buckets=4)])
    assert (fields["before"], fields["now"]) == (2, 4)
    check_change([entry("a", buckets=2)], [entry("b", buckets=4)], INT, same_buckets=False)


def test_files_that_go_do_not_count_as_buckets():
    delta = [delete(entry("a", buckets=2)), entry("b", buckets=4)]
    check_change([entry("a", buckets=2)], delta, INT)
    fields = clash([entry("a", buckets=2), entry("c", buckets=2)], delta)
    assert (fields["before"], fields["now"]) == (2, 4)


def test_buckets_of_unaware_tables_are_not_counted():
    check_change([entry("a", buckets=-1)], [entry("b", buckets=4)], INT)
