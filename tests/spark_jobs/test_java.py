from pathlib import Path

import pytest

from spark_jobs import java
from spark_jobs.java import JavaNotFoundError, find_java_home, parse_java_version


def fake_java(folder: Path, version: str) -> Path:
    """A `java` in `folder/bin` that tells a version."""
    script = folder / "bin" / "java"
    script.parent.mkdir(parents=True)
    script.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\"' >&2\n")
    script.chmod(0o755)
    return folder


@pytest.mark.parametrize(
    ("text", "version"),
    [('openjdk version "17.0.15" 2025', 17), ('java version "1.8.0_412"', 8), ('version "25"', 25), ("", 0)],
)
def test_versions_of_all_ages_are_read(text: str, version: int) -> None:
    assert parse_java_version(text) == version


def test_java_home_goes_before_the_path(tmp_path: Path) -> None:
    home, other = fake_java(tmp_path / "home", "21.0.1"), fake_java(tmp_path / "other", "17.0.1")
    environ = {"JAVA_HOME": str(home), "PATH": f"{other}/bin"}
    assert find_java_home(environ, tmp_path) == str(home)


def test_a_java_home_that_is_too_old_is_passed_over(tmp_path: Path) -> None:
    home, other = fake_java(tmp_path / "home", "11.0.2"), fake_java(tmp_path / "other", "17.0.1")
    environ = {"JAVA_HOME": str(home), "PATH": f"{other}/bin"}
    assert find_java_home(environ, tmp_path) is None


def test_without_any_the_message_says_what_was_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(java, "_packaged_java", lambda: None)
    old = fake_java(tmp_path / "old", "1.8.0_412")
    with pytest.raises(JavaNotFoundError, match="version 8"):
        find_java_home({"PATH": f"{old}/bin"}, tmp_path)


def test_the_packaged_java_runs_without_the_module_it_lacks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packaged = tmp_path / "packaged"
    packaged.write_text('#!/bin/sh\nprintf "%s|" "$@"\n')
    packaged.chmod(0o755)
    monkeypatch.setattr(java, "_packaged_java", lambda: str(packaged))
    home = find_java_home({"PATH": "/nowhere"}, tmp_path / "cache")
    arguments = ["--add-modules=jdk.incubator.vector", "-cp", "a b", "Main"]
    said = java.subprocess.run([f"{home}/bin/java", *arguments], capture_output=True, text=True, check=True)
    assert said.stdout == "-cp|a b|Main|"
