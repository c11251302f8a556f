"""The Celery application. Tasks take ids, load, call a service, and can run twice."""

from __future__ import annotations

import os
from typing import Any

from celery import Celery
from kombu.exceptions import OperationalError

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "console.settings")

app = Celery("console")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["console.jobs", "console.warehouses"])


def send(task: str, *arguments: Any) -> bool:
    """Wake a worker up; False if the broker does not answer.

    What is to be done stands in the database, and a beat task finds what nobody was woken up for.
    """
    try:
        app.send_task(task, arguments, retry=False)
    except OperationalError:
        return False
    return True
