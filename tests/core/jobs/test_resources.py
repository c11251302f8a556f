"""The `spark` section of a job spec."""

import pytest

from core.errors import InvalidRequestError
from core.jobs import CompactJob, JobSpec, Resources, decode_job_spec, encode_job_spec, job_spec_from_json
from core.jobs.resources import is_permitted, read_resources

ALL = Resources(
    executors=4,
    executor_cores=2,
    executor_memory="4g",
    python_memory="1536m",
    driver_memory="2g",
    event_log="/var/log/spark",
    conf={"spark.speculation": "true", "spark.sql.shuffle.partitions": "64"},
)


@pytest.mark.parametrize("spark", [Resources(), ALL])
def test_resources_survive_the_text_form_of_a_spec(spark: Resources) -> None:
    asked = JobSpec("j-1", {"warehouse": "/wh"}, "db.t", CompactJob(), spark)
    assert decode_job_spec(encode_job_spec(asked)) == asked


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"executors": 0}, "spark.executors"),
        ({"executor_cores": "2"}, "spark.executor_cores"),
        ({"executor_memory": "4 GB"}, "spark.executor_memory"),
        ({"python_memory": 4096}, "spark.python_memory"),
        ({"memory": "4g"}, "spark.memory"),
        ({"conf": {"spark.task.cpus": 2}}, "spark.conf.spark.task.cpus"),
        ({"conf": {"spark.jars": "/tmp/x.jar"}}, "spark.conf.spark.jars"),
        ([], "spark"),
    ],
)
def test_a_wrong_one_is_named_by_its_path(given: object, named: str) -> None:
    body = {
        "job_id": "j-1",
        "catalog": {"warehouse": "/wh"},
        "table": "db.t",
        "kind": "compact",
        "compact": {},
    }
    with pytest.raises(InvalidRequestError) as refused:
        job_spec_from_json({**body, "spark": given})
    assert refused.value.fields["field"] == named


@pytest.mark.parametrize(
    "name",
    [
        "spark.master",
        "spark.executor.extraJavaOptions",
        "spark.executorEnv.PATH",
        "spark.plugins",
        "spark.pyspark.python",
        "spark.shuffle.manager",
        "spark.shuffle.sort.io.plugin.class",
        "spark.scheduler.allocation.file",
        "spark.sql.adaptive.customCostEvaluatorClass",
        "spark.memoryX",
        "spark.speculationX",
    ],
)
def test_what_loads_code_or_names_places_is_for_who_starts_the_job_alone(name: str) -> None:
    assert not is_permitted(name)
    with pytest.raises(InvalidRequestError, match="--conf"):
        read_resources({"conf": {name: "x"}}, "spark")
