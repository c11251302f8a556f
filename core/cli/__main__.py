"""`python -m core.cli`, where the console script is not installed."""

import sys

from core.cli import main

sys.exit(main())
