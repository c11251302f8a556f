import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import FormatError, UnsupportedError
from core.manifest import FileSource
from core.write import CommitMessage, decode_message, encode_message
from tests.builders import data_file, row, stats

FILES = st.builds(
    data_file,
    st.uuids().map(lambda u: f"data-{u}-0.parquet"),
    min_key=st.integers(0, 9).map(row),
    value_stats=st.just(stats([1], [None], [0])),
    level=st.integers(0, 5),
    extra_files=st.lists(st.text("abc", min_size=1), max_size=2).map(tuple),
    embedded_index=st.none() | st.binary(),
    value_stats_cols=st.none() | st.just(("a",)),
    file_source=st.sampled_from(FileSource),
    external_path=st.none() | st.just("s3://b/x"),
)
GROUPS = st.lists(FILES, max_size=2).map(tuple)
MESSAGES = st.builds(
    CommitMessage,
    partition=st.integers(0, 9).map(row),
    bucket=st.integers(-2, 99),
    total_buckets=st.integers(-2, 99),
    made_after=st.sampled_from(["", "42~9f3c01ab"]),
    new_files=GROUPS,
    deleted_files=GROUPS,
    compact_before=GROUPS,
    compact_after=GROUPS,
)


@settings(max_examples=settings().max_examples // 2)
@given(MESSAGES)
def test_a_message_survives_its_bytes(message: CommitMessage) -> None:
    assert decode_message(encode_message(message)) == message


@pytest.mark.parametrize("data", [b"", b"PCM", b"XYZ" + bytes(64)])
def test_what_is_no_message_is_a_format_error(data: bytes) -> None:
    with pytest.raises(FormatError):
        decode_message(data)


def test_another_version_is_refused() -> None:
    data = bytearray(encode_message(CommitMessage(partition=row(1), bucket=0, total_buckets=1)))
    data[3] = 99
    with pytest.raises(UnsupportedError, match="version"):
        decode_message(bytes(data))


def test_a_message_that_lost_files_is_noticed() -> None:
    message = CommitMessage(partition=row(1), bucket=0, total_buckets=1, new_files=(data_file(),))
    data = bytearray(encode_message(message))
    data[15] = 2  # the number of new files
    with pytest.raises(FormatError, match="lacks files"):
        decode_message(bytes(data))
