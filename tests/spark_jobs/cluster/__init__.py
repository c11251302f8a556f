"""Jobs on clusters of several processes: a few here, and at length by `make integration`."""

from __future__ import annotations

import os

import pytest

at_length = pytest.mark.skipif(
    "LAKESCOPE_INTEGRATION" not in os.environ, reason="a minute: make integration runs it"
)
