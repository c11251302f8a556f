import subprocess
import sys
from pathlib import Path

from spark_jobs.__main__ import main
from spark_jobs.session import is_local
from spark_jobs.ship import core_archive


def test_the_archive_alone_is_enough_to_import_core_and_the_jobs(tmp_path: Path) -> None:
    archive = core_archive(tmp_path)
    first = "import sys; sys.path.insert(0, sys.argv[1]); "
    code = first + "import core, spark_jobs.jobs.write; print(core.__file__)"
    said = subprocess.run(
        [sys.executable, "-c", code, str(archive)], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert said.stdout.startswith(str(archive))


def test_the_command_line_says_where_the_archive_is(tmp_path: Path, capsys) -> None:
    assert main(["archive", str(tmp_path)]) == 0
    assert Path(capsys.readouterr().out.strip()).exists()


def test_a_cluster_on_one_machine_is_no_local_master() -> None:
    assert is_local("local[*]")
    assert is_local("local")
    assert not is_local("local-cluster[2,1,1024]")
    assert not is_local("spark://master:7077")
    assert not is_local(None)
