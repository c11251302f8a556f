"""`manage.py openid_provider NAME`: registers an identity provider, or changes one."""

from __future__ import annotations

from argparse import ArgumentParser, BooleanOptionalAction
from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from console.accounts.roles import FLAGS, Role
from console.audit.log import record
from console.openid.client import problem_of
from console.openid.models import GroupRole, Provider

TEXTS = ("label", "issuer", "client_id", "scopes", "username_claim", "groups_claim")
SWITCHES = ("creates_people", "links_by_username", "is_enabled")


class Command(BaseCommand):
    help = "Register an OpenID Connect provider, or change what is given of one. See docs/access.md."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="small letters, digits and -; part of the redirect address")
        for name in TEXTS:
            parser.add_argument(f"--{name.replace('_', '-')}")
        for name in SWITCHES:
            parser.add_argument(f"--{name.replace('_', '-')}", action=BooleanOptionalAction)
        parser.add_argument("--client-secret-file", type=Path, help="its first line; an empty one: no secret")
        parser.add_argument(
            "--group-role", action="append", metavar="GROUP=ROLE SCOPE [FLAG...]",
            help="all of them: those of before are replaced",
        )  # fmt: skip

    def handle(self, *args: Any, **given: Any) -> None:
        with transaction.atomic():
            provider = self._save(given)
            if given["group_role"] is not None:
                provider.group_roles.all().delete()
                GroupRole.objects.bulk_create(group_role(provider, text) for text in given["group_role"])
            record(action="register identity provider", target=f"provider:{provider.name}")
        self.stdout.write(f"registered {provider.name}; its redirect address is {provider.redirect_uri}")
        problem = problem_of(provider)
        if problem is not None:
            raise CommandError(f"but nobody can sign in by it: {problem.code}: {problem.found}")

    def _save(self, given: dict[str, Any]) -> Provider:
        provider = Provider.objects.filter(name=given["name"]).first() or Provider(name=given["name"])
        for name in (*TEXTS, *SWITCHES):
            if given[name] is not None:
                setattr(provider, name, given[name])
        if given["client_secret_file"] is not None:
            try:
                provider.client_secret = given["client_secret_file"].read_text().split("\n")[0].strip()
            except OSError as error:
                raise CommandError(f"--client-secret-file: {error}") from None
        provider.label = provider.label or provider.name
        try:
            provider.full_clean()
        except ValidationError as error:
            told = (f"{field}: {' '.join(texts)}" for field, texts in error.message_dict.items())
            raise CommandError("; ".join(told)) from None
        provider.save()
        return provider


def group_role(provider: Provider, text: str) -> GroupRole:
    """The row of `group=role scope flag...`, such as `lake-team=operator lake.sales table_destroy`.

    Raises:
        CommandError: it has another form.
    """
    group, found, terms = text.rpartition("=")
    role, scope, *flags = terms.split() if len(terms.split()) > 1 else ("", "")
    if not found or role not in set(Role) or not set(flags) <= FLAGS.keys():
        raise CommandError(
            f"--group-role {text!r} is not GROUP=ROLE SCOPE, such as lake-team=operator lake.sales; a role "
            f"is one of {', '.join(Role)}, a scope * or warehouse[.database[.table]], a flag "
            f"{' or '.join(FLAGS)}"
        )
    places = (scope.split(".", 2) if scope != "*" else []) + [None] * 3
    return GroupRole(
        provider=provider, group=group, role=role, warehouse=places[0], database=places[1],
        table=places[2], **{flag: flag in flags for flag in FLAGS},
    )  # fmt: skip
