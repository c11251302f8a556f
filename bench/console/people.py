"""What a console of the benchmark knows before its first request: people, the warehouse, its statistics.

    python -m bench.console.people LOCATION ENDPOINT PEOPLE

Writes into the database that the environment names, and prints the people's tokens as JSON. Statistics of
the tables that are only there to be many are made up, as measuring 10,000 tables would take the worker long.
"""

from __future__ import annotations

import json
import os
import sys
from datetime import timedelta

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "console.settings")
django.setup()

from django.core.management import call_command  # noqa: E402
from django.utils import timezone  # noqa: E402

from bench.console.asking import PASSWORD, PERSON  # noqa: E402
from bench.console.reference import names_of_many  # noqa: E402
from console.accounts.models import RoleBinding, User  # noqa: E402
from console.accounts.services import create_token  # noqa: E402
from console.warehouses.models import TableStatistics, Warehouse  # noqa: E402

SHOWN = ("big", "wide", "deep", "levels", "heat", "tower")


def main() -> None:
    location, endpoint, people = sys.argv[1], sys.argv[2], int(sys.argv[3])
    call_command("migrate", interactive=False, verbosity=0)
    warehouse = _warehouse(location, endpoint)
    names = [*names_of_many(), *(("ref", name) for name in SHOWN)]
    TableStatistics.objects.bulk_create(
        _statistics(warehouse, *name, number=i) for i, name in enumerate(names)
    )
    print(json.dumps([_token(f"person-{number}") for number in range(people)]))


def _warehouse(location: str, endpoint: str) -> Warehouse:
    warehouse = Warehouse(name="lake", location=location, state=Warehouse.State.UP)
    if endpoint:
        warehouse.options = {"s3.endpoint": endpoint, "s3.region": "none", "s3.path.style.access": "true"}
        warehouse.credentials = {"s3.access-key": "none", "s3.secret-key": "none"}
    warehouse.save()
    return warehouse


def _statistics(warehouse: Warehouse, database: str, name: str, *, number: int) -> TableStatistics:
    now = timezone.now()
    return TableStatistics(
        warehouse=warehouse,
        database=database,
        name=name,
        kind="append",
        bucket_mode="unaware",
        partition_keys=[],
        rows=number * 1_000,
        bytes=number * 50_000,
        files=number % 900,
        partitions=1,
        snapshots=number % 50,
        last_commit_at=now - timedelta(minutes=number),
        measured_at=now,
    )


def _token(name: str) -> str:
    user = User.objects.create_user(name, password=PASSWORD if name == PERSON else None)
    RoleBinding.objects.create(user=user, role="admin")
    end = timezone.now() + timedelta(days=1)
    return create_token(
        user=user, name="bench", scopes=["meta:read", "plan:create"], expiry=end, networks=[]
    )[1]


if __name__ == "__main__":
    main()
