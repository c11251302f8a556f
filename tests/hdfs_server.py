"""A real HDFS for tests, a namenode and a datanode in one process; Maven's jars of it are found by hand."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.interop.errors import PeerUnavailableError
from tests.interop.peers import DRIVERS, find_javac
from tests.ports import LOOPBACK, free_port


@contextmanager
def hdfs_server(folder: Path) -> Iterator[Mapping[str, str]]:
    """Catalog options of an empty `warehouse` in an HDFS that runs as long as the block.

    Raises:
        PeerUnavailableError: LAKESCOPE_HDFS_JARS names no folder with Hadoop's small cluster, or there is
            no JDK.
    """
    jars = Path(os.environ.get("LAKESCOPE_HDFS_JARS") or "/none")
    if not list(jars.glob("hadoop-client-minicluster-*.jar")):
        raise PeerUnavailableError("LAKESCOPE_HDFS_JARS names no folder with hadoop-client-minicluster")
    java, port, http = find_javac().parent / "java", free_port(), free_port()
    opens = [f"--add-opens=java.base/java.{name}=ALL-UNNAMED" for name in ("lang", "util", "net", "nio")]
    source = DRIVERS / "hdfs" / "Hdfs.java"
    command = [str(java), "-Xmx512m", *opens, "-cp", f"{jars}/*", str(source), f"{folder}/hdfs"]
    with (folder / "hdfs.log").open("w") as log:
        process = subprocess.Popen(
            [*command, str(port), str(http)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            cwd=folder,
            text=True,
        )
    with process:  # closes its input, by which it ends
        assert process.stdout is not None
        if not any(line == "ready\n" for line in process.stdout):
            raise AssertionError((folder / "hdfs.log").read_text()[-4000:])
        yield {
            "warehouse": f"hdfs://{LOOPBACK}:{port}/lake",
            "hadoop.dfs.namenode.http-address": f"{LOOPBACK}:{http}",
        }
