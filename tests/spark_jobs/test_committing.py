import pytest

from core.commit import TableCommit
from core.errors import CommitConflictError, CommitUnknownError, InvalidRequestError, StorageError
from spark_jobs.committing import check_tasks_apart, commit_or_abort
from tests.tables import data_paths, new_table, prepare


def ended_by(error: BaseException) -> bool:
    """Whether the files are still there after a commit that ended with an error."""
    table = new_table({"id": "INT NOT NULL"}, ["id"])
    messages = prepare(table, [(1,)])

    def act() -> list:
        raise error

    with pytest.raises(type(error)):
        commit_or_abort(TableCommit(table, "u"), messages, act)
    return bool(data_paths(table))


def test_files_of_a_refused_commit_are_deleted() -> None:
    assert not ended_by(CommitConflictError("no"))


@pytest.mark.parametrize("error", [CommitUnknownError("?"), StorageError("?"), KeyboardInterrupt()])
def test_files_stay_where_the_snapshot_may_have_been_made(error: BaseException) -> None:
    assert ended_by(error)


COLUMNS = {"p": "STRING NOT NULL", "k": "INT NOT NULL"}


def test_two_tasks_do_not_write_keys_that_move_between_partitions() -> None:
    moving = new_table(COLUMNS, ["k"], partition=["p"], bucket="-1")
    one, other = prepare(moving, [("a", 1)]), prepare(moving, [("b", 1)])  # one key, no bucket in common
    with pytest.raises(InvalidRequestError, match="distributed"):
        check_tasks_apart(moving, [*one, *other], tasks=2)
    check_tasks_apart(moving, [*one, *other], tasks=1)


def test_two_tasks_write_to_two_partitions_and_not_to_one_bucket() -> None:
    keyed = new_table(COLUMNS, ["p", "k"], partition=["p"], bucket="-1")
    one, other = prepare(keyed, [("a", 1)]), prepare(keyed, [("b", 1)])
    check_tasks_apart(keyed, [*one, *other], tasks=2)
    with pytest.raises(InvalidRequestError, match="bucket=0"):
        check_tasks_apart(keyed, [*one, *prepare(keyed, [("a", 2)])], tasks=2)
