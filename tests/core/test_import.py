"""What `import core` costs: commands and workers start often."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize("module", ["core", "core.cli"])
def test_importing_it_imports_no_pandas(module: str) -> None:
    # PyArrow brings pandas in with its first array, and with pyarrow.dataset.
    code = f"import {module}, sys; print(sorted({{'pandas', 'pyarrow.dataset'}} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
