"""A broker of Kafka on the loopback, a process of its own."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

from spark_jobs.java import find_java_home
from spark_jobs.session import cache_folder
from tests.ports import free_port
from tests.spark_jobs.cluster.processes import until

_STARTED = "Kafka Server started"
_CLUSTER = "AAAAAAAAAAAAAAAAAAAAAQ"  # any 16 bytes


class Broker:
    """One node that is broker and controller, without replicas."""

    def __init__(self, jars: Path, folder: Path) -> None:
        self._port, controller = free_port(), free_port()
        self._log = folder / "broker.log"
        settings = folder / "server.properties"
        settings.write_text(
            "\n".join(
                (
                    "process.roles=broker,controller",
                    "node.id=1",
                    f"controller.quorum.voters=1@127.0.0.1:{controller}",
                    f"listeners=PLAINTEXT://127.0.0.1:{self._port},CONTROLLER://127.0.0.1:{controller}",
                    "controller.listener.names=CONTROLLER",
                    "listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT",
                    f"log.dirs={folder / 'logs'}",
                    "num.partitions=2",
                    "offsets.topic.replication.factor=1",
                )
            )
        )
        home = find_java_home(os.environ, cache_folder(os.environ))
        java = [f"{home}/bin/java" if home else "java", "-Xmx400m", "-cp", f"{jars}/*"]
        with self._log.open("wb") as log:
            format_logs = ["kafka.tools.StorageTool", "format", "-t", _CLUSTER, "-c", str(settings)]
            subprocess.run([*java, *format_logs], check=True, stdout=log, stderr=log)
            self._process = subprocess.Popen(
                [*java, "kafka.Kafka", str(settings)], stdout=log, stderr=log, start_new_session=True
            )
        until(lambda: _STARTED in self._log.read_text(), "the broker of Kafka", self._check)

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self._port}"

    def stop(self) -> None:
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait(30)

    def _check(self) -> None:
        assert self._process.poll() is None, self._log.read_text()
