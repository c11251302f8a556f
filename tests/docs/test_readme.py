"""The commands and the Python of README.md run as they are printed, on a table like the demo's."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest

from core.arrow import arrow_schema
from core.catalog import open_catalog
from core.commit import TableCommit
from core.snapshot import Tag
from core.types import DataField, parse_type
from core.write import TableWrite
from spark_jobs.demo import ORDERS

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^    \.venv/bin/(lakescope .+)$", README, re.MULTILINE)


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a demo warehouse where `./run` puts it."""
    folder = tmp_path_factory.mktemp("clone")
    catalog = open_catalog(str(folder / ".lakescope" / "warehouses" / "demo"))
    catalog.create_database("sales")
    fields = [DataField(i, name, parse_type(text)) for i, (name, text) in enumerate(ORDERS.items())]
    catalog.create_table("sales.orders", fields, primary_keys=["order_id"], options={"bucket": "4"})
    table = catalog.get_table("sales.orders")
    row = dict.fromkeys(ORDERS) | {"order_id": 1, "customer_id": 2, "total": 1000}
    with TableWrite(table) as writer:
        writer.write(pa.Table.from_pylist([row], arrow_schema(fields)))
        TableCommit(table, "reader").commit(writer.prepare_commit())
    latest = table.snapshots.latest()
    assert latest is not None
    table.tags.create(Tag("week-1", latest))
    return folder


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_of_the_readme_runs(command: str, clone: Path) -> None:
    line = f"{Path(sys.executable).parent}/{command}"
    done = subprocess.run(["sh", "-c", line], cwd=clone, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "orders" in done.stdout or "1000" in done.stdout


def test_the_python_of_the_readme_finds_the_row(clone: Path) -> None:
    (code,) = re.findall(r"```python\n(.+?)```", README, re.DOTALL)
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=clone, capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("1\n", "")


def test_the_readme_shows_commands_and_python() -> None:
    assert len(COMMANDS) >= 4
