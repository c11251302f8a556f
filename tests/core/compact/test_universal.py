from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from core.compact.universal import Pick, Run, UniversalRules, pick_full, pick_level_zero, pick_universal
from tests.scripts import check_script

SCRIPTS = Path(__file__).parent / "scripts"


def runs_of(text: str) -> list[Run]:
    pairs = (word[1:].split(":") for word in text.split())
    return [Run(int(level), int(size)) for level, size in pairs]


def render(text: str) -> str:
    head, _, settings = text.partition("\n")
    values = {k: int(v) for k, v in (word.split("=") for word in settings.split())}
    rules = UniversalRules(
        trigger=values.get("trigger", 5),
        total_size_threshold=values.get("total"),
        incremental_size_threshold=values.get("incremental"),
        optimization_interval_millis=values.get("interval"),
    )
    runs, top = runs_of(head), values.get("levels", 6) - 1
    pick = pick_universal(runs, top, rules, values.get("since"))
    if pick is None and values.get("up"):
        pick = pick_level_zero(runs, top, rules)
    return f"{pick.count} runs to level {pick.output_level}: {pick.reason}" if pick else "nothing"


def test_picks_are_as_scripted(rewrite):
    check_script(SCRIPTS / "universal.txt", render, rewrite=rewrite)


@st.composite
def buckets(draw):
    zeros = [Run(0, s) for s in draw(st.lists(st.integers(1, 1000), max_size=8))]
    levels = sorted(draw(st.sets(st.integers(1, 5), max_size=5)))
    return zeros + [Run(level, draw(st.integers(1, 10000))) for level in levels]


@given(buckets(), st.integers(1, 6))
def test_a_key_never_ends_up_below_an_older_version(runs, trigger):
    """Spec 07, 9: inputs are a prefix, and the output lies above every run that is left."""
    pick = pick_universal(runs, 5, UniversalRules(trigger=trigger))
    if pick is not None:
        assert 0 < pick.output_level <= 5
        assert pick.output_level >= max(run.level for run in runs[: pick.count])
        assert all(run.level > pick.output_level for run in runs[pick.count :])


@given(buckets(), st.integers(1, 6))
def test_lifting_level_0_leaves_none_of_it_and_nothing_newer_below(runs, trigger):
    """Spec 07, 3 and 9."""
    pick = pick_level_zero(runs, 5, UniversalRules(trigger=trigger))
    assert (pick is None) == all(run.level > 0 for run in runs)
    if pick is not None:
        assert all(run.level > max(pick.output_level, 0) for run in runs[pick.count :])


@given(buckets(), st.integers(1, 6))
def test_more_runs_than_the_trigger_are_always_picked_from(runs, trigger):
    """Spec 07, 3, rule 3."""
    if len(runs) > trigger:
        assert pick_universal(runs, 5, UniversalRules(trigger=trigger)) is not None


@given(buckets())
def test_a_full_pick_takes_everything_once(runs):
    pick = pick_full(runs, 5)
    assert pick is None if [run.level for run in runs] in ([], [5]) else pick == Pick(len(runs), 5, "full")
