"""Loaded before Django's settings: tests never see the data folder of a console that runs from this clone."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile

_folder = tempfile.mkdtemp(prefix="lakescope-test-")
atexit.register(shutil.rmtree, _folder, ignore_errors=True)
os.environ["LAKESCOPE_DATA"] = _folder
os.environ["TZ"] = "UTC"
