"""`manage.py openapi`: write docs/openapi.json, or check that it is current."""

from __future__ import annotations

import json
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from drf_spectacular.generators import SchemaGenerator

PATH = settings.ROOT / "docs" / "openapi.json"


def document() -> str:
    """The OpenAPI document of this code, as it is checked in."""
    generator: Any = SchemaGenerator
    schema = generator().get_schema(request=None, public=True)
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


class Command(BaseCommand):
    help = "Write docs/openapi.json from the code."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--check", action="store_true", help="only compare; fail if it is not current")

    def handle(self, *args: Any, **options: Any) -> None:
        if not options["check"]:
            PATH.write_text(document(), encoding="utf-8")
            self.stdout.write(f"wrote {PATH.relative_to(settings.ROOT)}")
        elif PATH.read_text(encoding="utf-8") != document():
            raise CommandError("docs/openapi.json is not current: run manage.py openapi")
