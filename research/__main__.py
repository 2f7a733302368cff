"""The command `python -m research`: runs the command line and turns every error into one sentence."""

import os
import signal
import sys
from typing import NoReturn

from egonet.errors import EgonetError

ERROR, INTERRUPTED = 2, 130
REQUIREMENTS = "pip install --group research/pyproject.toml:run --constraint research/constraints.txt"


def main() -> None:
    """Run the command line; exit 0 if all went well, 1 for a negative answer, 2 for any error, 130 on Ctrl-C."""
    signal.signal(signal.SIGTERM, _stop)
    debug = bool(os.environ.get("EGONET_DEBUG"))
    try:
        from research.cli import app

        status = app(standalone_mode=False)
        sys.stdout.flush()
    except KeyboardInterrupt:
        _fail("stopped.", INTERRUPTED)
    except Exception as error:  # a user never sees a traceback, unless he asks for it
        if debug:
            raise
        _fail_with(error)
    sys.exit(status if isinstance(status, int) else 0)


def _fail_with(error: Exception) -> NoReturn:
    """Print what an error says and exit."""
    if hasattr(error, "show") and hasattr(error, "exit_code"):  # an error of the command line's parser
        error.show()
        sys.exit(ERROR)
    if type(error).__name__ == "Abort":
        _fail("stopped.", INTERRUPTED)
    if isinstance(error, EgonetError):
        _fail(str(error), ERROR)
    if isinstance(error, ModuleNotFoundError):
        _fail(f"the experiments need {error.name}. Run: {REQUIREMENTS}", ERROR)
    _fail(f"{type(error).__name__}: {error}. Set EGONET_DEBUG=1 to see where.", ERROR)


def _fail(sentence: str, status: int) -> NoReturn:
    """Print one sentence to stderr and exit."""
    print(f"research: {sentence}", file=sys.stderr)  # noqa: T201
    sys.exit(status)


def _stop(number: int, _frame: object) -> None:
    """Turn SIGTERM into an orderly exit, so that temporary files are removed; ignore a second signal."""
    signal.signal(number, signal.SIG_IGN)
    sys.exit(128 + number)


if __name__ == "__main__":
    main()
