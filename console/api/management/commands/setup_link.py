"""`manage.py setup_link`: print a new one-time link for the administrator, or for a person's password."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from console.accounts.models import User
from console.accounts.services import has_administrator, make_set_up_link, set_up_address


class Command(BaseCommand):
    help = "Print a one-time link: for the first administrator, or for USER to choose a new password."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("user", nargs="?", help="who forgot the password")

    def handle(self, *args: Any, **options: Any) -> None:
        name = options["user"]
        user = User.objects.filter(username=name).first() if name else None
        if name and user is None:
            raise CommandError(f"there is no user {name}")
        if user is None and has_administrator():
            raise CommandError("there is an administrator already: name the USER who forgot the password")
        secret, _ = make_set_up_link(user=user)
        self.stdout.write(set_up_address(secret))
