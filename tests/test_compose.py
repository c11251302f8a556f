"""docker-compose.yml against the code: it cannot be started here, so what it names must exist.

Each command, module path, variable and health check of a service of ours is looked up where it is defined.
"""

from __future__ import annotations

import importlib
import re
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.management import get_commands
from django.urls import resolve

ROOT = Path(__file__).parents[1]
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OURS = {name: service for name, service in SERVICES.items() if "build" in service}
CONSOLE = {
    name: service for name, service in OURS.items() if "DATABASE_URL" in service.get("environment", {})
}
DOCKERFILE = (ROOT / "Dockerfile").read_text()
EXAMPLE = (ROOT / ".env.example").read_text()
REFERENCE = re.compile(r"\$\{(\w+)(:?[-?])?([^}]*)\}")
STANDALONE = {"SPARK_LOCAL_HOSTNAME"}  # read by Spark itself, not by our code


def texts(node: Any) -> list[str]:
    """Every string of a YAML tree."""
    if isinstance(node, dict):
        return [text for value in node.values() for text in texts(value)]
    if isinstance(node, list):
        return [text for value in node for text in texts(value)]
    return [str(node)]


def references() -> dict[str, set[str]]:
    """The variables that compose takes from .env, each with the operators it is used with."""
    found: dict[str, set[str]] = {}
    for text in texts(SERVICES):
        for name, operator, _ in REFERENCE.findall(text):
            found.setdefault(name, set()).add(operator)
    return found


def spark_jars() -> Path:
    return Path(importlib.import_module("pyspark").__file__ or "").parent / "jars"


def test_the_services_are_those_that_the_readme_promises() -> None:
    images = {name: service["image"].split(":")[0] for name, service in SERVICES.items()}
    assert images == {
        **dict.fromkeys(["migrate", "console", "worker", "spark-master", "spark-worker"], "lakescope"),
        "postgres": "postgres",
        "redis": "redis",
        "s3": "chrislusf/seaweedfs",
    }


def test_all_of_ours_come_from_one_dockerfile() -> None:
    assert {service["build"] for service in OURS.values()} == {"."}


@pytest.mark.parametrize("name", [name for name in SERVICES if name != "migrate"])
def test_every_service_that_stays_has_a_health_check(name: str) -> None:
    assert SERVICES[name]["healthcheck"]["test"][0] == "CMD"


@pytest.mark.parametrize("name", [n for n, s in SERVICES.items() if "depends_on" in s])
def test_a_service_waits_for_what_it_needs_to_be_ready(name: str) -> None:
    for needed, how in SERVICES[name]["depends_on"].items():
        expected = "service_completed_successfully" if needed == "migrate" else "service_healthy"
        assert how["condition"] == expected, needed


def test_every_volume_is_named_and_declared() -> None:
    mounted = {volume.split(":")[0] for s in SERVICES.values() for volume in s.get("volumes", [])}
    assert mounted == set(COMPOSE["volumes"])


def test_no_secret_has_a_value_in_the_file() -> None:
    secret = re.compile("KEY|PASSWORD|AUTH|SECRET|_URL$")
    for name, service in SERVICES.items():
        for variable, value in service.get("environment", {}).items():
            if secret.search(variable):
                assert ":?" in value, f"{name}: {variable}"


def test_a_variable_is_either_asked_for_or_has_a_default() -> None:
    assert {frozenset(operators) for operators in references().values()} == {
        frozenset({":?"}),
        frozenset({":-"}),
    }


def test_the_example_lists_every_variable_and_leaves_secrets_empty() -> None:
    listed = dict(re.findall(r"^(?:# )?([A-Z]\w*)=(.*)$", EXAMPLE, re.MULTILINE))
    assert set(listed) == set(references())
    for name, operators in references().items():
        if ":?" in operators:
            assert listed[name] == ""


@pytest.mark.parametrize("name", CONSOLE)
def test_the_code_reads_each_variable_that_a_console_process_is_given(name: str) -> None:
    sources = "".join(
        path.read_text()
        for package in ("console", "core", "spark_jobs")
        for path in (ROOT / package).rglob("*.py")
    )
    # secret("secret_key") reads LAKESCOPE_SECRET_KEY
    secrets = {f"LAKESCOPE_{kept.upper()}" for kept in re.findall(r'secret\("(\w+)"', sources)}
    for variable in set(CONSOLE[name]["environment"]) - STANDALONE - secrets:
        assert f'"{variable}"' in sources, variable


def test_the_image_puts_data_where_compose_mounts_it() -> None:
    (folder,) = re.findall(r"LAKESCOPE_DATA=(\S+)", DOCKERFILE)
    for name in CONSOLE:
        assert f"data:{folder}" in CONSOLE[name]["volumes"], name


def test_the_image_copies_all_that_is_needed_to_run() -> None:
    copied = set(
        " ".join(re.findall(r"^COPY (?!--from|frontend)(.*) \S+$", DOCKERFILE, re.MULTILINE)).split()
    )
    assert {"core", "console", "spark_jobs", "manage.py", "requirements.lock", "pyproject.toml"} <= copied
    allowed = {line[1:] for line in (ROOT / ".dockerignore").read_text().split() if line.startswith("!")}
    assert copied <= allowed
    assert all((ROOT / name).exists() for name in copied)


def test_migrations_are_run_by_a_command_that_exists() -> None:
    python, manage, command, *_ = SERVICES["migrate"]["command"]
    assert (python, manage) == ("python", "manage.py")
    assert command in get_commands()


def test_the_set_up_link_of_the_heading_is_a_command() -> None:
    (command,) = re.findall(r"manage\.py (\w+)", (ROOT / "docker-compose.yml").read_text().split("name:")[0])
    assert command in get_commands()


def test_gunicorn_serves_a_wsgi_application_on_the_published_port() -> None:
    command = SERVICES["console"]["command"]
    module, _, attribute = command[1].partition(":")
    assert callable(getattr(importlib.import_module(module), attribute))
    (port,) = re.findall(r"--bind=0\.0\.0\.0:(\d+)", " ".join(command))
    assert SERVICES["console"]["ports"][0].endswith(f":{port}")


def test_the_images_default_command_is_compose_s() -> None:
    default = re.sub(r"[\[\]\",]", " ", re.findall(r"^CMD (.*)$", DOCKERFILE, re.MULTILINE)[0])
    assert (
        default.replace("--", "").split()
        == " ".join(SERVICES["console"]["command"]).replace("--", "").replace("=", " ").split()
    )


def test_the_worker_is_a_celery_application_that_also_beats() -> None:
    _, _, path, command, *options = SERVICES["worker"]["command"]
    module, _, attribute = path.partition(":")
    application = getattr(importlib.import_module(module), attribute)
    assert application.main
    assert command == "worker"
    assert "--beat" in options


def test_the_workers_health_check_asks_the_worker_by_its_name() -> None:
    worker = SERVICES["worker"]
    assert f"--destination=celery@{worker['hostname']}" in worker["healthcheck"]["test"]
    assert worker["environment"]["SPARK_LOCAL_HOSTNAME"] == worker["hostname"]


def test_the_consoles_health_check_asks_an_address_that_exists() -> None:
    (path,) = re.findall(r"8000(/\w+)", SERVICES["console"]["healthcheck"]["test"][-1])
    assert resolve(path)


@pytest.mark.parametrize("name", ["spark-master", "spark-worker"])
def test_spark_processes_are_classes_of_the_installed_spark(name: str) -> None:
    launcher, main_class, *_ = SERVICES[name]["command"]
    assert (spark_jars().parent / "bin" / launcher).exists()
    (jar,) = spark_jars().glob("spark-core_*.jar")
    assert main_class.replace(".", "/") + ".class" in zipfile.ZipFile(jar).namelist()


@pytest.mark.parametrize("name", ["spark-master", "spark-worker"])
def test_options_of_spark_processes_stand_apart_from_their_values(name: str) -> None:
    """Spark prints its usage and ends where they are written with `=`."""
    options = [word for word in SERVICES[name]["command"] if word.startswith("--")]
    assert options
    assert not any("=" in option for option in options)


def test_every_client_of_the_master_uses_its_host_and_port() -> None:
    command = SERVICES["spark-master"]["command"]
    host, port = (command[command.index(f"--{key}") + 1] for key in ("host", "port"))
    assert host == SERVICES["spark-master"]["hostname"]
    assert SERVICES["spark-worker"]["command"][-1] == f"spark://{host}:{port}"
    assert SERVICES["worker"]["environment"]["LAKESCOPE_SPARK_MASTER"] == f"spark://{host}:{port}"


def test_the_stores_are_reached_by_their_service_names() -> None:
    environment = SERVICES["console"]["environment"]
    assert "@postgres:5432/lakescope" in environment["DATABASE_URL"]
    assert "@redis:6379/" in environment["REDIS_URL"]


def test_only_the_console_publishes_a_port() -> None:
    assert [name for name, service in SERVICES.items() if "ports" in service] == ["console"]
