"""What a job asks of its engine, as settings of Spark."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from core.jobs import Resources

_FIELDS: Mapping[str, str] = {
    "executors": "spark.executor.instances",
    "executor_cores": "spark.executor.cores",
    "executor_memory": "spark.executor.memory",
    "python_memory": "spark.executor.pyspark.memory",
    "driver_memory": "spark.driver.memory",
    "event_log": "spark.eventLog.dir",
}


def settings_of(resources: Resources) -> dict[str, str]:
    """The settings of a session that has those resources.

    A standalone master counts cores, not executors: so a number of executors is also a limit of cores,
    of one core each where nothing else is said. A folder on this machine for the event log is made.
    """
    asked = {setting: getattr(resources, name) for name, setting in _FIELDS.items()}
    settings = {setting: str(value) for setting, value in asked.items() if value is not None}
    if resources.executors is not None:
        cores = resources.executor_cores or 1
        settings["spark.executor.cores"] = str(cores)
        settings["spark.cores.max"] = str(resources.executors * cores)
    if resources.event_log is not None:
        settings["spark.eventLog.enabled"] = "true"
        _make_folder(resources.event_log)
    return {**settings, **resources.conf}


def _make_folder(place: str) -> None:
    """Spark refuses to start where the folder of its event log is missing."""
    if "://" not in place:
        Path(place.removeprefix("file:")).mkdir(parents=True, exist_ok=True)
