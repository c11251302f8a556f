"""What a job asks of its engine: memory, cores, an event log, and settings that are known to be harmless.

A spec may come from somebody who may start jobs but not choose what runs on the cluster's machines. So
it names fields, and of Spark's own settings only those that change how fast or how patiently a job
runs; whoever starts the process may give any setting by `--conf`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

from core.errors import InvalidRequestError
from core.jobs.json_fields import Fields, Reader, integer, matching, text, text_map, wrong

_MEMORY = re.compile(r"[1-9][0-9]*[kmgt]")

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
    "spark.sql.files.",
    "spark.sql.shuffle.partitions",
    "spark.stage.",
    "spark.task.",
)
"""Names of Spark's settings that a spec may give; those that end in a dot stand for all that begin so."""

_NEVER = re.compile(r"(?i)class|plugin|manager|\.file$|script|dir(ectory)?$|resource\.|checksum")
# Within the families above: what names code to load, or a place on the machine.


@dataclass(frozen=True, slots=True)
class Resources:
    """What a job gets of a cluster; what is not given is the engine's default."""

    executors: int | None = None  # how many at most
    executor_cores: int | None = None  # tasks that one executor runs at a time
    executor_memory: str | None = None  # of its JVM, e.g. 4g
    python_memory: str | None = None  # of all its Python workers together: beyond it a task fails, named
    driver_memory: str | None = None  # of the driver's JVM; only where this process starts it
    event_log: str | None = None  # folder in which the history server finds what was run
    conf: Mapping[str, str] = field(default_factory=dict)  # further settings, see `SETTINGS`


def read_resources(value: object, path: str) -> Resources:
    """The resources of a JSON object.

    Raises:
        InvalidRequestError: a member is not known, or is wrong; `field` names it.
    """
    fields = Fields.of(value, path)
    resources = Resources(
        executors=fields.optional("executors", _positive),
        executor_cores=fields.optional("executor_cores", _positive),
        executor_memory=fields.optional("executor_memory", _memory),
        python_memory=fields.optional("python_memory", _memory),
        driver_memory=fields.optional("driver_memory", _memory),
        event_log=fields.optional("event_log", text),
        conf=fields.optional("conf", _settings) or {},
    )
    fields.done()
    return resources


def resources_to_json(resources: Resources) -> dict[str, object]:
    """What was asked for, as `read_resources` takes it; empty if nothing was."""
    return {name: value for name, value in asdict(resources).items() if value is not None and value != {}}


def is_permitted(name: str) -> bool:
    """Whether a spec may give this setting of Spark."""
    in_family = any(name.startswith(known) if known.endswith(".") else name == known for known in SETTINGS)
    return in_family and not _NEVER.search(name)


def _positive(value: object, path: str) -> int:
    number = integer(value, path)
    if not 0 < number < 2**31:
        raise wrong(path, "a number above 0", value)
    return number


_memory: Reader[str] = matching(_MEMORY, "a number and k, m, g or t, such as 4g")


def _settings(value: object, path: str) -> Mapping[str, str]:
    settings = text_map(value, path)
    for name in settings:
        if not is_permitted(name):
            raise InvalidRequestError(
                "a job spec may not give this setting; who starts the job may, by --conf",
                field=f"{path}.{name}",
                permitted=", ".join(SETTINGS),
            )
    return settings
