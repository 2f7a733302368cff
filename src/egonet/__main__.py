"""The `egonet` command: runs the command line and turns every error into one sentence and an exit code."""

import os
import re
import signal
import sys

from egonet.errors import EgonetError

ERROR, INTERRUPTED = 2, 130
#: Which extra brings a package that a command may find missing.
_EXTRAS = {
    "pyarrow": "io",
    "networkx": "io",
    "matplotlib": "plot",
}
#: Arguments of the library that commands take as options of the same name.
_READING = "source|target|delimiter|header|comment|format|directed"
_OPTIONS = f"{_READING}|unseen|max_degree|degree_bins|cap|device|memory_limit"


def main() -> None:
    """Run the command line; exit 0 fine, 1 negative answer, 2 any error, 130 on Ctrl-C."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:  # nohup means what it says
            signal.signal(number, _stop)
    debug = bool(os.environ.get("EGONET_DEBUG"))
    try:
        try:
            from egonet.cli import app
        except ModuleNotFoundError as error:
            if error.name != "typer":
                raise
            _fail('the command line needs an extra package: pip install "egonet[cli]".', ERROR)
        status = app(standalone_mode=False)
        sys.stdout.flush()
    except SystemExit:
        # typer ends with 1, which means a negative answer here, when the reader of our output has gone.
        if type(sys.stdout).__name__ == "PacifyFlushWrapper":
            sys.exit(ERROR)
        raise
    except KeyboardInterrupt:
        _fail("stopped.", INTERRUPTED)
    except BrokenPipeError:
        # The reader of our output has gone; Python must not complain about it while it shuts down.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(ERROR)
    except EgonetError as error:
        if debug:
            raise
        _fail(_as_options(str(error)), ERROR)
    except Exception as error:  # the last line of defence: a user never sees a traceback
        if debug:
            raise
        if hasattr(error, "show") and hasattr(error, "exit_code"):
            error.show()
            sys.exit(ERROR)
        if type(error).__name__ == "Abort":
            _fail("stopped.", INTERRUPTED)
        if isinstance(error, ModuleNotFoundError) and error.name in _EXTRAS:
            _fail(f'this needs an extra package: pip install "egonet[{_EXTRAS[error.name]}]".', ERROR)
        _fail(f"{_reason(error)} Set EGONET_DEBUG=1 to see where.", ERROR)
    sys.exit(status if isinstance(status, int) else 0)


def _as_options(sentence: str) -> str:
    """Return a sentence of the library with its arguments as the options of the command line.

    Examples
    --------
    >>> _as_options("Should it be read with delimiter=';'?")
    "Should it be read with --delimiter ';'?"
    >>> _as_options('Use fewer roots, degree_bins="log" or engine="disk".')
    'Use fewer roots, --degree-bins "log" or --output folder/.'
    """
    sentence = sentence.replace('engine="disk"', "--output folder/")

    def option(found: re.Match[str]) -> str:
        word, after = found.groups()
        return f"--{word.replace('_', '-')}" + (after if after in ("", " ", ".", ",", ";") else f" {after}")

    return re.sub(rf"(?<![\w'\"-])({_OPTIONS})=(.?)", option, sentence)


def _reason(error: Exception) -> str:
    """Return an unforeseen error as a sentence."""
    if isinstance(error, MemoryError):
        return "memory ran out. Use a smaller radius, fewer roots, max_degree, or a machine with more memory."
    if isinstance(error, OSError) and error.filename:
        return f"{error.filename}: {error.strerror}."
    if isinstance(error, OSError) and error.strerror:
        return f"the system refused: {error.strerror}."
    return f"something unforeseen went wrong ({type(error).__name__}: {error})."


def _fail(sentence: str, status: int) -> None:
    """Print one sentence to stderr and exit."""
    print(f"egonet: {sentence}", file=sys.stderr)  # noqa: T201
    sys.exit(status)


def _stop(number: int, _frame: object) -> None:
    """Turn SIGTERM into an orderly exit, so that temporary files are removed; a second one cannot disturb it."""
    signal.signal(number, signal.SIG_IGN)
    sys.exit(128 + number)


if __name__ == "__main__":
    main()
