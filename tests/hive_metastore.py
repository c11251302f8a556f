"""A real Hive metastore for tests: that of the jars of pyspark, on Derby, in a folder of its own."""

from __future__ import annotations

import importlib.util
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from xml.sax.saxutils import escape

from tests.interop.errors import PeerUnavailableError
from tests.ports import LOOPBACK, free_port

PATIENCE = 180  # seconds until it has to answer
_OPENED = ("java.lang", "java.net", "java.util", "java.util.concurrent")  # Hive of Java 8 looks into these

# Locks of which nothing was heard for so long are freed; the default is 300 s.
HOUSEKEEPER = {
    "hive.compactor.initiator.on": "true",
    "hive.txn.timeout": "3s",
}
# Who may do what in the metastore is who may do it to the directories.
AUTHORIZER = {
    "hive.metastore.pre.event.listeners": (
        "org.apache.hadoop.hive.ql.security.authorization.AuthorizationPreEventListener"
    ),
    "hive.security.metastore.authorization.manager": (
        "org.apache.hadoop.hive.ql.security.authorization.StorageBasedAuthorizationProvider"
    ),
    "hive.security.metastore.authenticator.manager": (
        "org.apache.hadoop.hive.ql.security.HadoopDefaultMetastoreAuthenticator"
    ),
}

_METASTORE = """
import org.apache.hadoop.hive.conf.HiveConf;
import org.apache.hadoop.hive.metastore.HiveMetaStore;
import org.apache.hadoop.hive.metastore.txn.TxnStore;
import org.apache.hadoop.hive.metastore.txn.TxnUtils;

class Metastore {
    // What Hive's housekeeper does, which a metastore of these jars does not start by itself.
    private static void keepHouse(HiveConf conf) {
        TxnStore locks = TxnUtils.getTxnStore(conf);
        while (true) {
            try {
                Thread.sleep(1000);
                locks.performTimeOuts();
            } catch (Throwable error) {
                error.printStackTrace();
            }
        }
    }

    public static void main(String[] given) throws Throwable {
        HiveConf conf = new HiveConf();
        if (HiveConf.getBoolVar(conf, HiveConf.ConfVars.HIVE_COMPACTOR_INITIATOR_ON)) {
            Thread keeper = new Thread(() -> keepHouse(conf));
            keeper.setDaemon(true);
            keeper.start();
        }
        HiveMetaStore.main(given);
    }
}
"""
_LOCKS = """
import org.apache.hadoop.hive.conf.HiveConf;
import org.apache.hadoop.hive.metastore.txn.TxnDbUtil;

class Locks {
    public static void main(String[] given) throws Exception {
        TxnDbUtil.prepDb(new HiveConf());
        System.exit(0);
    }
}
"""


@contextmanager
def hive_metastore(folder: Path, settings: Mapping[str, str] | None = None) -> Iterator[Mapping[str, str]]:
    """Catalog options of a metastore on the loopback that runs as long as the block; no `warehouse`.

    `settings` are of its `hive-site.xml`, such as `HOUSEKEEPER` and `AUTHORIZER`.

    Raises:
        PeerUnavailableError: there is no Java, or no pyspark.
    """
    port, java = free_port(), _java(folder, settings or {})
    (source := folder / "Metastore.java").write_text(_METASTORE)
    command = [*java, str(source), "-p", str(port)]
    log = folder / "log"
    _make_lock_tables(java, folder)
    with log.open("w") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output, cwd=folder)
    try:
        _wait(port, process, log)
        yield {"metastore": "hive", "uri": f"thrift://{LOOPBACK}:{port}"}
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def empty_metastore(uri: str) -> None:
    """Drop every database but `default`, which cannot be dropped, with their tables; files stay."""
    from core.catalog.hive.client import HiveClient  # the tests of one part alone want it

    client = HiveClient.at(uri)
    for name in client.ask("list", lambda hms: hms.get_all_databases()):
        if name != "default":
            client.change("drop", lambda hms, name=name: hms.drop_database(name, False, True))  # type: ignore[misc]


def _make_lock_tables(java: list[str], folder: Path) -> None:
    """A metastore makes them by itself `in.test` alone, where it takes no locks of other versions."""
    source = folder / "Locks.java"
    source.write_text(_LOCKS)
    done = subprocess.run([*java, str(source)], cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise PeerUnavailableError(f"Hive's tables of locks: {done.stderr[-2000:]}")


def _java(folder: Path, more: Mapping[str, str]) -> list[str]:
    found = importlib.util.find_spec("pyspark")
    home = os.environ.get("JAVA_HOME")
    java = f"{home}/bin/java" if home else shutil.which("java")
    if found is None or found.origin is None or java is None:
        raise PeerUnavailableError("a Hive metastore needs Java and pyspark, whose jars have it")
    (conf := folder / "conf").mkdir()
    settings = {
        "hive.async.log.enabled": "false",  # else it wants a class that pyspark leaves out; so the next one
        "datanucleus.connectionPoolingType": "HikariCP",
        "datanucleus.schema.autoCreateAll": "true",
        "hive.metastore.schema.verification": "false",
        "hive.metastore.warehouse.dir": f"file:{folder}/warehouse",
        "javax.jdo.option.ConnectionURL": f"jdbc:derby:;databaseName={folder}/derby;create=true",
        **more,
    }
    properties = "".join(
        f"<property><name>{name}</name><value>{escape(value)}</value></property>"
        for name, value in settings.items()
    )
    (conf / "hive-site.xml").write_text(f"<configuration>{properties}</configuration>")
    opens = [f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in _OPENED]
    jars = Path(found.origin).parent / "jars" / "*"
    limits = ["-Xmx512m", "-XX:+UseSerialGC", f"-Djava.io.tmpdir={folder}"]
    return [java, *limits, *opens, "-cp", f"{conf}{os.pathsep}{jars}"]


def _wait(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    """Until it takes connections, which it does when its database is made."""
    end = time.monotonic() + PATIENCE
    while process.poll() is None and time.monotonic() < end:
        with suppress(OSError), socket.create_connection((LOOPBACK, port), 1):
            return
        time.sleep(0.1)
    raise AssertionError(f"the metastore did not start:\n{log.read_text()[-4000:]}")
