"""What all drivers in Python share. The peers' interpreters run it, so it imports nothing of ours."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any


def main(once: Callable[[dict[str, Any]], int]) -> None:
    """Do the task in the file that the command line names, and print what each run took."""
    task = json.loads(Path(sys.argv[1]).read_text())
    for _ in range(task["runs"]):
        wall, cpu = time.perf_counter(), time.process_time()
        result = once(task)
        took = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu, "result": result}
        print(json.dumps(took), flush=True)
    status = Path("/proc/self/status").read_text()
    print(json.dumps({"peak_kib": int(status.split("VmHWM:")[1].split()[0])}))


def without_pandas() -> None:
    """pyarrow imports pandas wherever it is installed, for 45 MiB; what is measured does not need it."""

    class Refusing:
        def find_spec(self, name: str, path: object = None, target: object = None) -> None:
            if name == "pandas":
                raise ImportError(name)

    sys.meta_path.insert(0, Refusing())  # type: ignore[arg-type]  # a finder needs no more than this
