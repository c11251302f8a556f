"""`manage.py check_audit`: whether the audit log is as it was written."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from console.audit.chain import first_break
from console.audit.models import AuditDay


class Command(BaseCommand):
    """A line for each day; ends with 1 where a chain is broken."""

    help = "Checks the chain of hashes of each day of the audit log."

    def handle(self, *args: Any, **options: Any) -> None:
        broken = 0
        for day in AuditDay.objects.order_by("day"):
            found = first_break(day)
            broken += found is not None
            state = "expired" if day.expired_at else "whole" if found is None else f"broken at {found.number}"
            self.stdout.write(f"{day.day}  {day.count:>8} entries  {day.head[:16]}  {state}")
        if broken:
            raise CommandError(f"{broken} days are not as they were written", returncode=1)
