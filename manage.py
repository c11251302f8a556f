#!/usr/bin/env python
"""The console's command line: `up`, `openapi`, `setup_link` and Django's own commands."""

import os
import sys

from django.core.management import execute_from_command_line

from console.environment import adopt_options

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "console.settings")
    if sys.argv[1:2] == ["up"]:
        adopt_options(sys.argv[2:])  # settings depend on them, and are read before any command is
    execute_from_command_line(sys.argv)
