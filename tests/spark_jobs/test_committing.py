import pytest

from core.commit import TableCommit
from core.errors import CommitConflictError, CommitUnknownError, StorageError
from spark_jobs.committing import commit_or_abort
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
