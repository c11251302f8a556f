"""One target under atheris: `python -m tests.fuzz.one TARGET` and what libFuzzer takes."""

from __future__ import annotations

import sys

import atheris
import numpy as np
import pyarrow as pa

with atheris.instrument_imports(include=["core"]):
    from core.errors import PaimonError
    from tests.fuzz.targets import TARGETS


def main() -> None:
    target = TARGETS[sys.argv.pop(1)]
    pa.array(
        np.zeros(1)
    )  # the first array of a process imports pandas: seconds that no input is to answer for

    def one_input(data: bytes) -> None:
        try:
            target(data)
        except PaimonError:
            return

    atheris.Setup(sys.argv, one_input)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
