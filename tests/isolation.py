"""Loaded before all else: what tests have of the machine.

They never see the data folder of a console that runs from this clone.
"""

from __future__ import annotations

import atexit
import gc
import os
import shutil
import tempfile
import time

import pytest

_folder = tempfile.mkdtemp(prefix="lakescope-test-")
atexit.register(shutil.rmtree, _folder, ignore_errors=True)
os.environ["LAKESCOPE_DATA"] = _folder
os.environ["TZ"] = "UTC"
if hasattr(time, "tzset"):
    time.tzset()  # whatever was asked for the time before
# A Java of the tests lives for minutes at most: what its second compiler and its parallel collector take of
# two cores they never give back. Spark with three queries took 33 s of processor time, and so takes 19 s.
os.environ.setdefault("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")

gc.disable()  # until all tests are known: thousands of them are nothing to look through for garbage


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop() -> None:
    gc.freeze()
    gc.enable()
