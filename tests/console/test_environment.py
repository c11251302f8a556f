"""Secrets, database and broker from the surroundings; the shell from what the build made."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from console import environment
from console.api.secrets import decrypt, encrypt
from console.web.manifest import assets
from tests.console.conftest import Caller


def test_secrets_are_made_once_and_only_ours_to_read(tmp_path: Path) -> None:
    first = environment.secret("secret_key", tmp_path)
    assert environment.secret("secret_key", tmp_path) == first
    assert stat.S_IMODE((tmp_path / "secrets.json").stat().st_mode) == 0o600


def test_processes_that_start_together_agree_on_the_secrets(tmp_path: Path) -> None:
    found: list[str] = []
    threads = [
        threading.Thread(target=lambda: found.append(environment.secret("encryption_key", tmp_path)))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(found)) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["secrets.json"]


def test_a_secret_of_the_environment_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAKESCOPE_SECRET_KEY", "given")
    assert environment.secret("secret_key", tmp_path) == "given"
    assert not (tmp_path / "secrets.json").exists()


def test_a_database_address_is_read_whole() -> None:
    found = environment.database_from_url("postgresql://us%40er:p%2Fw@db:5433/lake?sslmode=require")
    assert (found["USER"], found["PASSWORD"], found["HOST"], found["PORT"]) == ("us@er", "p/w", "db", "5433")
    assert found["OPTIONS"] == {
        "pool": {"min_size": 1, "max_size": 24, "timeout": 5},
        "sslmode": "require",
    }


def test_an_unknown_database_is_refused() -> None:
    with pytest.raises(ValueError, match="mysql"):
        environment.database_from_url("mysql://db/lake")


def test_a_socket_path_that_is_too_long_goes_elsewhere(tmp_path: Path) -> None:
    deep = tmp_path / ("x" * 120)
    assert len(str(environment.valkey_socket(deep))) <= environment.UNIX_SOCKET_LIMIT
    assert environment.valkey_socket(tmp_path / "a") != environment.valkey_socket(tmp_path / "b")


def test_options_of_up_reach_the_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("LAKESCOPE_PUBLIC_URL", "LAKESCOPE_DATA", "LAKESCOPE_ALLOWED_HOSTS"):
        monkeypatch.delenv(name, raising=False)
    environment.adopt_options(["--host", "0.0.0.0", "--port", "9000", "--data", str(tmp_path)])
    assert os.environ["LAKESCOPE_PUBLIC_URL"] == "http://127.0.0.1:9000"
    assert environment.data_folder() == tmp_path
    assert environment.words("LAKESCOPE_ALLOWED_HOSTS")


def test_a_data_folder_that_cannot_be_made_is_said_in_one_line(tmp_path: Path) -> None:
    """As a process: what `up` reads before Django starts must give no traceback."""
    taken = tmp_path / "a file"
    taken.touch()
    command = [sys.executable, "manage.py", "up", "--data", str(taken)]
    done = subprocess.run(command, cwd=environment.ROOT, capture_output=True, text=True, check=False)
    said = f"lakescope: the data folder cannot be made: File exists: {taken}; choose another --data\n"
    assert (done.returncode, done.stderr) == (1, said)


def test_what_is_encrypted_comes_back_and_looks_like_nothing() -> None:
    text = encrypt({"key": "value"})
    assert "value" not in text
    assert decrypt(text) == {"key": "value"}


# --- the shell ------------------------------------------------------------------------------------
MANIFEST = {
    "src/theme-boot.ts": {"file": "assets/boot-12345678.js"},
    "src/main.tsx": {
        "file": "assets/main-12345678.js",
        "imports": ["_ui.js"],
        "css": ["assets/main-12345678.css"],
    },
    "_ui.js": {"file": "assets/ui-12345678.js", "imports": ["_base.js"], "css": ["assets/ui-12345678.css"]},
    "_base.js": {"file": "assets/base-12345678.js"},
}


@pytest.fixture
def dist(tmp_path: Path, settings: Any) -> Path:
    settings.FRONTEND_DIST = tmp_path
    (tmp_path / ".vite").mkdir()
    (tmp_path / ".vite" / "manifest.json").write_text(json.dumps(MANIFEST))
    return tmp_path


def test_the_shell_names_what_the_build_made(alice: Caller, dist: Path) -> None:
    client = Client()
    client.force_login(alice.user)  # type: ignore[arg-type]
    page = client.get("/w/lake/db/t/overview").content.decode()
    for file in (
        "boot-12345678.js",
        "main-12345678.js",
        "ui-12345678.js",
        "base-12345678.js",
        "ui-12345678.css",
    ):
        assert f"/static/assets/{file}" in page
    assert client.cookies["csrftoken"].value


def test_a_console_without_its_pages_says_how_to_build_them(
    alice: Caller, settings: Any, tmp_path: Path
) -> None:
    settings.FRONTEND_DIST = tmp_path / "nothing"
    assert assets() is None
    client = Client()
    client.force_login(alice.user)  # type: ignore[arg-type]
    assert client.get("/").status_code == 503


def test_what_the_api_has_not_is_a_problem_and_no_page(alice: Caller, dist: Path) -> None:
    assert alice.get("/api/v1/nothing").json()["code"] == "not-found"
    assert Client().get("/static/nothing.js").status_code == 404


def test_every_variable_is_in_the_documentation() -> None:
    code = "".join(path.read_text() for path in (environment.ROOT / "console").rglob("*.py"))
    read = set(re.findall(r'"(LAKESCOPE_[A-Z_]+|DATABASE_URL|REDIS_URL)"', code))
    page = (environment.ROOT / "docs" / "settings.md").read_text()
    documented = set(re.findall(r"^\| `([A-Z_]+)`", page, re.M))
    assert documented == read | {"LAKESCOPE_SECRET_KEY", "LAKESCOPE_ENCRYPTION_KEY"}


def test_files_of_a_new_build_are_served_without_a_restart(db: None, dist: Path) -> None:
    (dist / "assets").mkdir()
    client = Client()
    assert client.get("/static/assets/main-12345678.js").status_code == 404
    (dist / "assets" / "main-12345678.js").write_text("1")
    os.utime(dist / ".vite" / "manifest.json", (1, 1))
    built, page = client.get("/static/assets/main-12345678.js"), client.head("/static/web/pages.css")
    assert (built.status_code, built.getvalue()) == (200, b"1")
    assert "immutable" in built["Cache-Control"]
    assert "immutable" not in page["Cache-Control"]
    built.close()


def test_pyarrow_runs_without_pandas_where_the_console_wants_none() -> None:
    """In a process of its own: what is imported stays imported."""
    program = (
        "import sys; from console.environment import without_pandas; without_pandas();"
        "import pyarrow; print(pyarrow.array([1, 2]).to_pylist(), 'pandas' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[1, 2] False\n"
