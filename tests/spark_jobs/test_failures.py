from pyspark.errors import PythonException

from core.errors import NotFoundError
from spark_jobs.failures import carrying_errors, failure_from
from spark_jobs.preflight import ExecutorPythonError


def test_a_module_that_a_task_did_not_find_is_named_with_what_to_do() -> None:
    told = "Traceback ...\nModuleNotFoundError: No module named 'pyroaring'\n\n\tat org.apache.spark..."
    failure = failure_from(PythonException(told))
    assert failure.code == "engine"
    assert failure.message.startswith("the Python of an executor lacks pyroaring:")


def test_what_the_first_look_at_executors_found_is_the_engine_s_fault() -> None:
    failure = failure_from(ExecutorPythonError("/usr/bin/python3 on node-7 lacks pyarrow"))
    assert (failure.code, failure.message) == ("engine", "/usr/bin/python3 on node-7 lacks pyarrow")


def test_an_error_of_core_in_a_task_comes_with_its_code_and_fields() -> None:
    try:
        with carrying_errors():
            raise NotFoundError("no such file", path="/wh/x")
    except Exception as error:
        failure = failure_from(PythonException(f"in a task: {error}"))
    assert (failure.code, failure.fields) == ("not-found", {"path": "/wh/x"})
