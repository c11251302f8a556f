import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import FormatError, UnsupportedError
from core.manifest import FileKind, FileSource, ManifestEntry
from core.manifest.encode import encode_manifest
from core.write import CommitMessage, decode_message, decode_messages, encode_message
from tests.builders import data_file, index_file, row, stats, vectors

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
FILE = data_file()
GROUPS = st.lists(FILES, max_size=1).map(tuple)
INDEX_GROUPS = st.sampled_from([(), (index_file(), vectors("index-2", "a", "b"))])
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
    new_changelog=GROUPS,
    compact_changelog=GROUPS,
    new_index_files=INDEX_GROUPS,
    deleted_index_files=INDEX_GROUPS,
    compact_new_index_files=INDEX_GROUPS,
    compact_deleted_index_files=INDEX_GROUPS,
)


@settings(max_examples=settings().max_examples // 2)
@given(MESSAGES)
def test_a_message_survives_its_bytes(message: CommitMessage) -> None:
    assert decode_message(encode_message(message)) == message


@settings(max_examples=settings().max_examples // 4)
@given(st.lists(MESSAGES, max_size=3))
def test_many_messages_are_decoded_at_once_in_their_order(messages: list[CommitMessage]) -> None:
    assert decode_messages([encode_message(message) for message in messages]) == messages


@pytest.mark.parametrize("data", [b"", b"PCM", b"XYZ" + bytes(64)])
def test_what_is_no_message_is_a_format_error(data: bytes) -> None:
    with pytest.raises(FormatError):
        decode_message(data)


def test_another_version_is_refused() -> None:
    data = bytearray(encode_message(CommitMessage(partition=row(1), bucket=0, total_buckets=1)))
    data[3] = 99
    with pytest.raises(UnsupportedError, match="version"):
        decode_message(bytes(data))


def test_bytes_of_the_release_before_index_files_are_still_read() -> None:
    message = CommitMessage(partition=row(1), bucket=2, total_buckets=3, made_after="4~9f", new_files=(FILE,))
    partition, after = row(1).to_bytes(), b"4~9f"
    head = struct.pack(">3sBii4I2I", b"PCM", 2, 2, 3, 1, 0, 0, 0, len(partition), len(after))
    manifest = encode_manifest([ManifestEntry(FileKind.ADD, row(1), 2, 3, FILE)])
    assert decode_message(head + partition + after + manifest) == message


def test_a_message_that_lost_files_is_noticed() -> None:
    message = CommitMessage(partition=row(1), bucket=0, total_buckets=1, new_files=(data_file(),))
    data = bytearray(encode_message(message))
    data[15] = 2  # the number of new files
    with pytest.raises(FormatError, match="lacks files"):
        decode_message(bytes(data))
