from datetime import timedelta

import pytest

from core.system.tags import iso_duration


@pytest.mark.parametrize(
    ("duration", "text"),
    [
        (timedelta(0), "PT0S"),
        (timedelta(hours=24), "PT24H"),
        (timedelta(hours=1, minutes=30), "PT1H30M"),
        (timedelta(days=365), "PT8760H"),
        (timedelta(seconds=90, milliseconds=500), "PT1M30.5S"),
        (timedelta(seconds=10), "PT10S"),
    ],
)
def test_a_duration_prints_as_java_prints_it(duration: timedelta, text: str) -> None:
    assert iso_duration(duration) == text
