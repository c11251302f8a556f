"""`./run --help` needs no environment: its text stands in the script, and must be what `up` takes."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from django.core.management import load_command_class

ROOT = Path(__file__).parents[1]


def test_help_lists_the_options_of_up(tmp_path: Path) -> None:
    environment = {"PATH": "/usr/bin:/bin"}
    shown = subprocess.run(
        [ROOT / "run", "--help"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    ).stdout
    parser = load_command_class("console.api", "up").create_parser("manage.py", "up")
    ours = {o for action in parser._actions for o in action.option_strings if o.startswith("--")}
    theirs = {"--version", "--verbosity", "--settings", "--pythonpath", "--traceback", "--no-color"}
    assert set(re.findall(r"^  (--[a-z-]+)", shown, re.MULTILINE)) == ours - theirs - {
        "--force-color",
        "--skip-checks",
    }
