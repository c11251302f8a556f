import pytest

from core.errors import CommitConflictError, FormatError, InvalidRequestError, PaimonError
from core.jobs import (
    ERROR_CODES,
    Engine,
    Failure,
    Log,
    Progress,
    Result,
    decode_report,
    encode_report,
    failure_of,
)

LINES = [
    Engine(name="spark", version="4.3.0", application_id="local-1", ui_url="http://127.0.0.1:4040"),
    Progress(phase="write", done=3, total=None, unit="rows", time_millis=1),
    Log(level="info", message='zwei\nZeilen und "中文"'),
    Result(snapshots=("43~77aa",), latest="43~77aa", metrics={"rows": 2**60}, details={"fit": []}),
    Failure(code="conflict", message="lost", fields={"base": "3"}, transient=True),
]


@pytest.mark.parametrize("line", LINES, ids=lambda line: type(line).__name__)
def test_a_line_survives_its_text_form(line):
    text = encode_report(line)
    assert "\n" not in text
    assert decode_report(text) == line


@pytest.mark.parametrize("text", ["", "{}", "[]", "{'type'", '{"type": "progress"}', '{"type": "boom"}'])
def test_a_torn_line_is_a_format_error(text):
    with pytest.raises(FormatError):
        decode_report(text)


def test_a_conflict_may_be_tried_again_and_keeps_its_fields():
    line = failure_of(CommitConflictError("file vanished", file="data-1", base=4))
    assert (line.code, line.transient, line.fields) == ("conflict", True, {"file": "data-1", "base": "4"})


def test_a_bad_request_is_not_tried_again():
    assert failure_of(InvalidRequestError("no")).transient is False


def test_a_stranger_among_errors_is_internal():
    assert failure_of(ZeroDivisionError()).code == "internal"
    assert failure_of(ZeroDivisionError()).message == "ZeroDivisionError"


def test_every_error_of_core_has_a_code():
    assert {*PaimonError.__subclasses__(), PaimonError} == set(ERROR_CODES)
