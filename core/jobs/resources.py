"""What a job asks of its engine: memory, cores, an event log, and settings that are known to be harmless.

A spec may come from somebody who may start jobs but not choose what runs on the cluster's machines. So
it names fields, and of Spark's own settings only those that change how fast or how patiently a job
runs; whoever starts the process may give any setting by `--conf`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Annotated, TypeAlias

from core.errors import InvalidRequestError
from core.jobs.declared import Pattern, read_object
from core.jobs.values import AnyText, Count

SETTINGS = (
    "spark.cleaner.",
    "spark.cores.max",
    "spark.dynamicAllocation.",
    "spark.excludeOnFailure.",
    "spark.executor.heartbeatInterval",
    "spark.executor.memoryOverhead",
    "spark.executor.memoryOverheadFactor",
    "spark.io.compression.",
    "spark.locality.",
    "spark.memory.",
    "spark.network.timeout",
    "spark.reducer.",
    "spark.rpc.",
    "spark.scheduler.",
    "spark.shuffle.",
    "spark.speculation",
    "spark.speculation.",
    "spark.sql.adaptive.",
    "spark.sql.autoBroadcastJoinThreshold",
    "spark.sql.execution.arrow.",
    "spark.sql.files.",
    "spark.sql.shuffle.partitions",
    "spark.stage.",
    "spark.task.",
)
"""Names of Spark's settings that a spec may give; those that end in a dot stand for all that begin so."""

_NEVER = re.compile(r"(?i)class|plugin|manager|\.file$|script|dir(ectory)?$|resource\.|checksum")
# Within the families above: what names code to load, or a place on the machine.


_Memory: TypeAlias = Annotated[str, Pattern("[1-9][0-9]*[kmgt]", "a number and k, m, g or t, such as 4g")]


@dataclass(frozen=True, slots=True)
class Resources:
    """What a job gets of a cluster; what is not given is the engine's default."""

    executors: Annotated[Count | None, "how many at most"] = None
    executor_cores: Annotated[Count | None, "tasks that one executor runs at a time"] = None
    executor_memory: Annotated[_Memory | None, "of its JVM, such as 4g"] = None
    python_memory: Annotated[
        _Memory | None, "of all its Python workers together: beyond it a task fails, named"
    ] = None
    driver_memory: Annotated[_Memory | None, "of the driver's JVM; only where this process starts it"] = None
    event_log: Annotated[str | None, "folder in which the history server finds what was run"] = None
    conf: Annotated[
        Mapping[str, AnyText], "further settings of Spark: those that change how fast a job runs"
    ] = field(default_factory=dict)  # see `SETTINGS`

    def __post_init__(self) -> None:
        for name in self.conf:
            if not is_permitted(name):
                raise InvalidRequestError(
                    "a job spec may not give this setting; who starts the job may, by --conf",
                    field=f"conf.{name}",
                    permitted=", ".join(SETTINGS),
                )


def read_resources(value: object, path: str) -> Resources:
    """The resources of a JSON object.

    Raises:
        InvalidRequestError: a member is not known, or is wrong; `field` names it.
    """
    return read_object(Resources, value, path)


def resources_to_json(resources: Resources) -> dict[str, object]:
    """What was asked for, as `read_resources` takes it; empty if nothing was."""
    return {name: value for name, value in asdict(resources).items() if value is not None and value != {}}


def is_permitted(name: str) -> bool:
    """Whether a spec may give this setting of Spark."""
    in_family = any(name.startswith(known) if known.endswith(".") else name == known for known in SETTINGS)
    return in_family and not _NEVER.search(name)
