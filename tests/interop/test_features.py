"""The table of features holds: its cases are there, ask for what they are named for, and none is left out."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from core.cli.actions import ACTIONS
from tests.interop import test_compaction_readback as changes
from tests.interop import test_migrate as migrated
from tests.interop.cases import CASES
from tests.interop.features import FEATURES, MAINTENANCE, Feature
from tests.interop.maintained import WAYS

OPTIONS: Mapping[str, Mapping[str, str]] = {
    **{name: case.options for name, case in CASES.items()},
    **{f"changes.{name}": changes.options_of(name) for name in changes.TABLES},
    **{f"maintained.{way}": {} for way in WAYS},
    **{f"migrated.{kind}": {} for kind in migrated.WRITERS},
}


@pytest.mark.parametrize("feature", FEATURES, ids=lambda feature: feature.name)
def test_the_cases_of_a_feature_ask_for_it(feature: Feature) -> None:
    assert feature.cases
    for name in feature.cases:
        assert feature.options.items() <= OPTIONS[name].items(), name


def test_every_action_of_maintenance_is_a_feature() -> None:
    assert ACTIONS.keys() == {feature.name for feature in MAINTENANCE}


def test_every_case_belongs_to_a_feature() -> None:
    assert OPTIONS.keys() == {name for feature in FEATURES for name in feature.cases}
