"""Each command and each call of pypaimon 2.1.0 at the console's REST catalog: it works, or is a clear 501."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import pytest

from tests.interop.peers import DRIVERS, PyPaimon
from tests.interop.rest_calls import CALLS, COMMANDS, Command, Refused, Wrong
from tests.interop.rest_server import RestServer

pytestmark = pytest.mark.interop


@pytest.fixture(scope="module")
def seen(pypaimon: PyPaimon, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("calls")
    with RestServer(tmp_path_factory.mktemp("rest")) as server:
        known = {"metastore": "rest", "uri": server.uri, "warehouse": "lake", "token.provider": "bear"}
        asked = {
            "options": known | {"token": server.tokens["admin"]},
            "folder": str(folder),
            "commands": [command.words.split("|") for command in COMMANDS],
        }
        done = subprocess.run(
            [pypaimon.python, DRIVERS / "rest_calls21.py"],
            input=json.dumps(asked).encode(),
            capture_output=True,
        )
    assert done.returncode == 0, done.stderr.decode()[-4000:]
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


@pytest.mark.parametrize("number", range(len(COMMANDS)), ids=[command.words for command in COMMANDS])
def test_a_command_works_or_says_what_is_not_supported(seen: dict[str, Any], number: int) -> None:
    command, found = COMMANDS[number], seen["commands"][number]
    told = command.fails_there or command.refused
    assert (found["code"], told in found["err"]) == (1 if told else 0, True), found
    assert ("feature=" in found["err"]) is bool(command.refused)
    assert command.shows in found["out"]


@pytest.mark.parametrize("name", CALLS)
def test_a_call_works_or_says_what_is_not_supported(seen: dict[str, Any], name: str) -> None:
    expected, found = CALLS[name], seen["calls"][name]
    match expected:
        case Refused():
            assert found["error"] == "NotImplementedException"
            assert f"feature={expected.feature}" in found["message"] or expected.feature in found["message"]
        case Wrong():
            assert found["error"] == expected.error
        case _:
            assert found == expected


def test_no_command_and_no_call_is_left_out(seen: dict[str, Any]) -> None:
    spoken = {_leaf(command) for command in COMMANDS}
    assert set(seen["leaves"]) <= spoken
    assert set(seen["public"]) == {name.partition(":")[0] for name in CALLS}
    assert set(seen["calls"]) == set(CALLS)


def test_how_many_work_is_printed(seen: dict[str, Any], record_property: Any) -> None:
    refused = {"commands": sum(bool(c.refused) for c in COMMANDS),
               "calls": sum(isinstance(e, Refused) for e in CALLS.values())}  # fmt: skip
    unasked = sum(bool(c.fails_there) for c in COMMANDS)
    print(
        f"\npypaimon 2.1.0: {len(COMMANDS)} commands, {refused['commands']} refused by 501, {unasked} that "
        f"ask nothing of us; {len(CALLS)} calls, {refused['calls']} refused by 501"
    )
    assert refused == {"commands": 1, "calls": 6}


def _leaf(command: Command) -> str:
    """`table alter set-option` of its words, as its help has them."""
    words = command.words.split("|")
    if words[0] == "sql":
        return "sql"
    return " ".join([*words[:2], words[3]] if words[:2] == ["table", "alter"] else words[:2])
