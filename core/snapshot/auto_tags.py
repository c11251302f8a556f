"""Names of automatic tags, and the order of the periods that they name. Spec: 04, D; 09, 6.1."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from core.errors import InvalidRequestError
from core.options import TAG_CREATION_PERIOD, TAG_PERIOD_FORMATTER, TableOptions

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


def previous_auto_tag(names: Iterable[str], name: str, options: TableOptions) -> str | None:
    """Of `names`, the automatic tag of the last period before that of `name`; None if there is none.

    Raises:
        InvalidRequestError: `name` is not what the table's options make of a period.
    """
    end = _period(name, options)
    if end is None:
        raise InvalidRequestError("not the name of an automatic tag of this table", tag=name)
    earlier = {period: other for other in names if (period := _period(other, options)) and period < end}
    return earlier[max(earlier)] if earlier else None


def _period(name: str, options: TableOptions) -> datetime | None:
    """The time that the name of an automatic tag spells; None if it is another name."""
    kind = options.get(TAG_CREATION_PERIOD).strip().lower().replace("_", "-")
    style = options.get(TAG_PERIOD_FORMATTER).strip().lower()
    form = _FORMS.get(kind, {}).get(style)
    if form is None:
        raise InvalidRequestError(
            "no such names of automatic tags", **{"tag.creation-period": kind, "tag.period-formatter": style}
        )
    try:
        period = datetime.strptime(name, form)
    except ValueError:
        return None
    whole = (period - datetime.min) % _PERIODS[kind] == timedelta()
    return period if whole and period.strftime(form) == name else None
