from __future__ import annotations

import pytest

from core.errors import InvalidRequestError
from core.options import TableOptions
from core.snapshot.auto_tags import previous_auto_tag

DAILY = TableOptions({})
HOURLY = TableOptions({"tag.creation-period": "hourly", "tag.period-formatter": "without_dashes"})


def test_the_tag_of_the_period_before_is_found_whatever_other_tags_there_are() -> None:
    names = ["2024-01-01", "2024-01-03", "2024-01-05", "release", "2024-01-07"]
    assert previous_auto_tag(names, "2024-01-05", DAILY) == "2024-01-03"


def test_the_first_automatic_tag_has_none_before_it() -> None:
    assert previous_auto_tag(["2024-01-05", "v1"], "2024-01-05", DAILY) is None


def test_names_follow_period_and_formatter() -> None:
    assert previous_auto_tag(["20240101 09", "20240101 10"], "20240101 10", HOURLY) == "20240101 09"


def test_two_hours_have_even_hours_only() -> None:
    options = TableOptions({"tag.creation-period": "two-hours"})
    assert previous_auto_tag(["2024-01-01 07", "2024-01-01 06"], "2024-01-01 08", options) == "2024-01-01 06"


@pytest.mark.parametrize("name", ["v1", "2024-13-01", "2024-1-5"])
def test_another_name_is_refused(name: str) -> None:
    with pytest.raises(InvalidRequestError, match="not the name of an automatic tag"):
        previous_auto_tag(["2024-01-01"], name, DAILY)
