"""The Celery application. Tasks take ids, load, call a service, and can run twice."""

from __future__ import annotations

import os
import warnings
from typing import Any

from celery import Celery
from celery.exceptions import SecurityWarning
from kombu.exceptions import OperationalError
from redis import Redis, RedisError
from redis.backoff import NoBackoff
from redis.retry import Retry

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "console.settings")

# As root the worker warns of pickled messages; Celery takes nothing but JSON unless told otherwise.
warnings.filterwarnings("ignore", category=SecurityWarning)

app = Celery("console")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["console.audit", "console.jobs", "console.warehouses"])


def send(task: str, *arguments: Any) -> bool:
    """Wake a worker up; False if the broker does not answer.

    What is to be done stands in the database, and a beat task finds what nobody was woken up for.
    """
    if not broker_answers():
        return False
    try:
        app.send_task(task, arguments, retry=False)
    except OperationalError:
        return False
    return True


def broker_answers() -> bool:
    """Whether the broker is there, found out at once: its own client tries again for seconds."""
    address = str(app.conf.broker_url).replace("redis+socket://", "unix://")
    try:
        with Redis.from_url(address, retry=Retry(NoBackoff(), 0), socket_connect_timeout=1) as client:
            return bool(client.ping())
    except RedisError:
        return False
