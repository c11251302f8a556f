from pathlib import Path

from core.jobs import Resources
from spark_jobs.resources import settings_of


def test_nothing_asked_is_nothing_set() -> None:
    assert settings_of(Resources()) == {}


def test_each_field_is_a_setting_and_further_ones_come_last() -> None:
    asked = Resources(
        executor_memory="4g", python_memory="2g", driver_memory="1g", conf={"spark.task.maxFailures": "8"}
    )
    assert settings_of(asked) == {
        "spark.executor.memory": "4g",
        "spark.executor.pyspark.memory": "2g",
        "spark.driver.memory": "1g",
        "spark.task.maxFailures": "8",
    }


def test_a_number_of_executors_limits_the_cores_that_a_master_gives() -> None:
    assert settings_of(Resources(executors=3, executor_cores=2))["spark.cores.max"] == "6"
    assert settings_of(Resources(executors=3))["spark.executor.cores"] == "1"
    own = Resources(executors=3, conf={"spark.cores.max": "2"})
    assert settings_of(own)["spark.cores.max"] == "2"


def test_the_folder_of_an_event_log_is_made(tmp_path: Path) -> None:
    folder = tmp_path / "history" / "logs"
    settings = settings_of(Resources(event_log=f"file:{folder}"))
    assert (settings["spark.eventLog.enabled"], settings["spark.eventLog.dir"]) == ("true", f"file:{folder}")
    assert folder.is_dir()
