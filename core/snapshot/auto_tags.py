"""Names of automatic tags, and the order of the periods that they name. Spec: 04, D; 09, 6.1."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from core.errors import InvalidRequestError
from core.options import (
    TAG_CREATION_PERIOD,
    TAG_CREATION_PERIOD_DURATION,
    TAG_PERIOD_FORMATTER,
    TableOptions,
)

# Option tag.creation-period -> what the tag's name spells, by tag.period-formatter.
_FORMS = {
    "daily": {"with_dashes": "%Y-%m-%d", "without_dashes": "%Y%m%d"},
    "hourly": {
        "with_dashes": "%Y-%m-%d %H",
        "without_dashes": "%Y%m%d %H",
        "without_dashes_and_spaces": "%Y%m%d%H",
    },
    "two-hours": {
        "with_dashes": "%Y-%m-%d %H",
        "without_dashes": "%Y%m%d %H",
        "without_dashes_and_spaces": "%Y%m%d%H",
    },
}
_PERIODS = {"daily": timedelta(days=1), "hourly": timedelta(hours=1), "two-hours": timedelta(hours=2)}


_EPOCH = datetime(1970, 1, 1)


@dataclass(frozen=True, slots=True)
class TagPeriods:
    """The periods of which a table has automatic tags, and how it names them.

    Times are wall clocks without a zone. A tag has the name of the time at which its period starts.
    """

    form: str
    length: timedelta

    @staticmethod
    def of(options: TableOptions) -> TagPeriods:
        """`InvalidRequestError` if the options name no periods, or no names of them."""
        duration = options.get(TAG_CREATION_PERIOD_DURATION)
        if duration is not None:
            if not duration:
                raise InvalidRequestError(
                    "a period has a length", **{"tag.creation-period-duration": duration}
                )
            return TagPeriods("%Y%m%d%H%M", duration)
        kind = options.get(TAG_CREATION_PERIOD).strip().lower().replace("_", "-")
        style = options.get(TAG_PERIOD_FORMATTER).strip().lower()
        form = _FORMS.get(kind, {}).get(style)
        if form is None:
            raise InvalidRequestError(
                "no such names of automatic tags",
                **{"tag.creation-period": kind, "tag.period-formatter": style},
            )
        return TagPeriods(form, _PERIODS[kind])

    def start_of(self, name: str) -> datetime | None:
        """The start of the period that the name of an automatic tag spells; None if it is another name."""
        try:
            start = datetime.strptime(name, self.form)
        except ValueError:
            return None
        return start if self.floor(start) == start and self.name_of(start) == name else None

    def name_of(self, start: datetime) -> str:
        return start.strftime(self.form)

    def floor(self, time: datetime) -> datetime:
        """The start of the period that a time is in."""
        return time - (time - _EPOCH) % self.length


def previous_auto_tag(names: Iterable[str], name: str, options: TableOptions) -> str | None:
    """Of `names`, the automatic tag of the last period before that of `name`; None if there is none.

    Raises:
        InvalidRequestError: `name` is not what the table's options make of a period.
    """
    periods = TagPeriods.of(options)
    end = periods.start_of(name)
    if end is None:
        raise InvalidRequestError("not the name of an automatic tag of this table", tag=name)
    starts = {start: other for other in names if (start := periods.start_of(other)) and start < end}
    return starts[max(starts)] if starts else None
