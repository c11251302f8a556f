"""What compiling the newest Paimon changes in its modules, and what it says where something is missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.interop.build_newest import POM, build, change_dependencies
from tests.interop.errors import PeerUnavailableError

MODULE = f"""<project xmlns="{POM}"><dependencies>
<dependency><artifactId>spark-hive_2.13</artifactId><version>4.1.2</version></dependency>
<dependency><artifactId>avro</artifactId><version>1.11.4</version></dependency>
<dependency><artifactId>mockito-core</artifactId><version>3.4.6</version><scope>test</scope></dependency>
</dependencies></project>"""


def test_a_folder_that_is_no_clone_is_named(tmp_path: Path) -> None:
    with pytest.raises(PeerUnavailableError, match=f"{tmp_path} is no git repository with the tag release-2"):
        build(tmp_path, "release-2.0.0", tmp_path / "jars")
    assert not (tmp_path / "jars").exists()


def test_dependencies_of_tests_go_and_sparks_hive_is_a_jar(tmp_path: Path) -> None:
    pom = tmp_path / "pom.xml"
    pom.write_text(MODULE)
    change_dependencies(pom, Path("/jars/spark-hive.jar"))
    changed = pom.read_text()
    assert "mockito" not in changed
    assert "avro</artifactId><version>1.11.4</version></dependency>" in changed
    assert "<scope>system</scope><systemPath>/jars/spark-hive.jar</systemPath></dependency>" in changed
