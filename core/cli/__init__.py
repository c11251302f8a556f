"""`lakescope`: look at a warehouse from a shell.

Exit status: 0 all is well; 1 something is wrong with the data, or was not found; 2 the command
line asks for something that makes no sense. Errors are one line on stderr. A reader that
closes the pipe early ends the command quietly, with the status that a shell shows for it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper

from core.cli.parser import build_parser
from core.errors import InvalidRequestError, PaimonError, StorageError

OK, FAILED, USAGE, INTERRUPTED, BROKEN_PIPE = 0, 1, 2, 130, 141


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; the result is the process's exit status."""
    given = build_parser().parse_args(arguments)
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal that knows no Unicode
    try:
        status: int = given.run(given)
        sys.stdout.flush()
        return status
    except BrokenPipeError:
        _give_up_output()
        return BROKEN_PIPE
    except KeyboardInterrupt:
        return INTERRUPTED
    except InvalidRequestError as error:
        return _complain(error, USAGE)
    except PaimonError as error:
        return _complain(error, FAILED)
    except OSError as error:  # core translates those of the store: this is standard output's
        _give_up_output()
        return _complain(StorageError("cannot write the output", cause=error.strerror), FAILED)


def _give_up_output() -> None:
    """What is still buffered goes nowhere, without a second complaint at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _complain(error: PaimonError, status: int) -> int:
    print(f"lakescope: {' '.join(str(error).split())}", file=sys.stderr)
    return status
