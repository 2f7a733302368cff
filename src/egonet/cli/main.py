"""The entry point `egonet`: runs a command and turns every error into one sentence and an exit code."""

import contextlib
import os
import select
import shlex
import signal
import sys
import warnings
from typing import Any

from egonet.errors import EgonetError, IgnoredInputWarning, UnseenWarning, printable, render, show_value
from egonet.graph.columns import EDGE_ROLES

ERROR, INTERRUPTED = 2, 130
#: The most characters of a message about the arguments, which repeats them.
_LONGEST = 500
#: Optional packages and the extra that installs them.
_EXTRAS = {"pyarrow": "io", "networkx": "io", "matplotlib": "plot"}
#: Options that name a column: as a number they count from 1 on the command line.
_COLUMNS = (
    *("source", "target", "other_source", "other_target", "first", "second"),
    *("time", "node", *EDGE_ROLES, "edge_times", "edge_weights"),
)


def main() -> None:
    """Run the command line; exit 0 fine, 1 negative answer, 2 any error, 130 on Ctrl-C.

    A closed pipe, as with `head`, is not an error: the command ends with 0 and prints nothing.
    """
    hangup = [signal.SIGHUP] if sys.platform != "win32" else []
    for number in (signal.SIGINT, signal.SIGTERM, *hangup):
        if signal.getsignal(number) is not signal.SIG_IGN:  # nohup
            signal.signal(number, _stop)
    _prepare_streams()
    try:
        status = _run()
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError as error:  # the last output could not be written: a closed pipe, or a full disk
        status = _end_of_output(error)
    sys.exit(status)


def _run() -> int:
    """Run the command and return its status; every error is printed here."""
    debug = bool(os.environ.get("EGONET_DEBUG"))
    warnings.showwarning = _note
    try:
        try:
            from egonet.cli.commands import app
        except ModuleNotFoundError as error:
            if error.name != "typer":
                raise
            return _fail('the command line needs an extra package: pip install "egonet[cli]".')
        status = app(standalone_mode=False, prog_name="egonet")
    except SystemExit as end:
        # If the pipe is closed, typer and rich exit with 1, which would mean a negative answer.
        if isinstance(end.__context__, BrokenPipeError):
            by_rich = type(sys.stdout).__name__ != "PacifyFlushWrapper"  # typer's replacement of stdout
            return 0 if by_rich else _end_of_output(end.__context__)
        status = end.code
        if status == INTERRUPTED or hasattr(end, "__notes__"):
            _fail(_describe_stop(end))
    except KeyboardInterrupt as error:
        return _fail(_describe_stop(error), INTERRUPTED)
    except BrokenPipeError as error:
        return _end_of_output(error)
    except EgonetError as error:
        if debug:
            raise
        return _fail(render(error.marked, as_switch))
    except Exception as error:  # users never see a traceback
        if debug:
            raise
        return _fail_unexpected(error)
    return status if isinstance(status, int) else 0


def _fail_unexpected(error: Exception) -> int:
    """Print what is wrong with a command line, or an error that no command expects."""
    if type(error).__name__ == "Abort":  # what typer makes of Ctrl-C
        return _fail(_describe_stop(error.__context__), INTERRUPTED)
    if hasattr(error, "format_message") and type(error).__name__ != "NoArgsIsHelpError":
        command = getattr(getattr(error, "ctx", None), "command_path", None) or _command_path()
        text = _plain(error)
        text = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
        return _fail(f"{text if text.endswith(('.', '?')) else text + '.'} See {command} --help.")
    if hasattr(error, "show"):
        error.show()
        return ERROR
    if isinstance(error, ModuleNotFoundError) and error.name in _EXTRAS:
        return _fail(f'this needs an extra package: pip install "egonet[{_EXTRAS[error.name]}]".')
    if isinstance(
        error, OSError
    ):  # such as a name that is too long, wherever a command looks for the file first
        if not error.filename:
            return _end_of_output(error)
        return _fail(f"{show_value(os.fsdecode(error.filename))} cannot be used: {error.strerror}.")
    return _fail(f"{_reason(error)} Set EGONET_DEBUG=1 to see where.")


#: What a value must be, by the error that the parser of options reports.
_KINDS = {"valid integer": "a whole number", "valid number": "a number", "valid boolean": "true or false"}


def _plain(error: Any) -> str:
    """Return what is wrong with a command line, in the words of the other messages."""
    text: str = error.format_message().strip()
    cause = error.__context__
    if type(error).__name__ != "BadParameter" or not hasattr(cause, "errors"):
        return text
    problem, switch = cause.errors()[0], max(error.param.opts, key=len)
    rule = next((kind for name, kind in _KINDS.items() if name in problem["msg"]), None)
    if rule is None:
        limit = (
            problem["msg"].removeprefix("Input should be ").replace("greater than or equal to", "at least")
        )
        rule = limit.replace("less than or equal to", "at most")
    return f"{switch} must be {rule}, got {problem['input']!r}."


def _command_path() -> str:
    """Return the command of this run, for errors that do not say which one it was."""
    words = [word for word in sys.argv[1:2] if word.isalpha()]
    return " ".join(["egonet", *words])


def _prepare_streams() -> None:
    """Replace closed streams, and escape characters that the encoding of the terminal does not have."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # closed by the caller, as in >&-
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
        elif getattr(stream, "errors", None) in ("strict", "surrogateescape"):
            stream.reconfigure(errors="backslashreplace")


def _end_of_output(error: OSError) -> int:
    """Return the status after a failed write: 0 for a closed pipe. Python must not flush again at exit."""
    is_closed = isinstance(error, BrokenPipeError) and _is_pipe_closed()
    status = 0 if is_closed else _fail(f"{_reason(error)} Set EGONET_DEBUG=1 to see where.")
    sys.stdout = None
    return status


def _is_pipe_closed() -> bool:
    """Return whether stdout or stderr is a closed pipe; a pipe to a worker process may break as well."""
    pipes = select.poll()
    for number in (1, 2):
        pipes.register(number, 0)
    return any(event & (select.POLLERR | select.POLLHUP) for _, event in pipes.poll(0))


def _describe_stop(error: BaseException | None) -> str:
    """Return the sentence for a stopped run; a note says how to resume it."""
    return " ".join(["stopped.", *getattr(error, "__notes__", [])])


def as_switch(name: str, value: tuple[Any, ...]) -> str:
    """Return a marked option of a message as the command line takes it.

    >>> as_switch("source", (0,)), as_switch("header", (False,)), as_switch("degree_bins", ("log",))
    ('--source 1', '--no-header', '--degree-bins log')
    >>> as_switch("directed", (False,)), as_switch("delimiter", (";",)), as_switch("weight_bins", ([10, 100],))
    ('--directed no', "--delimiter ';'", '--weight-bins 10,100')
    """
    switch = f"{'-' if len(name) == 1 else '--'}{name.replace('_', '-')}"
    if not value:
        return switch
    first = value[0]
    if first is None:
        return f"no {switch}"
    if isinstance(first, bool):
        return f"{switch} no" if name == "directed" else switch if first else f"--no-{switch[2:]}"
    if isinstance(first, int) and name in _COLUMNS:
        first += 1
    text = ",".join(map(str, first)) if isinstance(first, list) else str(first)
    if not any(map(str.isalnum, text)) and text.isprintable() and "'" not in text:
        return f"{switch} '{text}'"  # a comma needs no quotes in a shell, but in a sentence
    return f"{switch} {shlex.quote(text) if text.isprintable() else f'${text!r}'}"


def _note(
    message: Warning | str, category: type[Warning], filename: str, lineno: int, *_: object, **__: object
) -> None:
    """Print a warning of egonet as one line; print other warnings as Python does."""
    if isinstance(message, IgnoredInputWarning | UnseenWarning):
        text = f"Note: {render(message.marked, as_switch)}\n"
    else:
        text = warnings.formatwarning(message, category, filename, lineno)
    sys.stderr.write(text)


def _reason(error: Exception) -> str:
    """Return an unexpected error as a sentence."""
    if isinstance(error, MemoryError):
        return "memory ran out. Use a smaller radius, --max-degree, --degree-bins log, or a machine with more memory."
    if isinstance(error, OSError) and error.filename:
        return f"{error.filename}: {error.strerror}."
    if isinstance(error, OSError) and error.strerror:
        return f"the system reported: {error.strerror}."
    return f"an unexpected error occurred ({type(error).__name__}: {error})."


def _fail(sentence: str, status: int = ERROR) -> int:
    """Print one sentence to stderr, control characters escaped, and return the status."""
    shown = "\n".join(map(printable, sentence.split("\n")))
    with contextlib.suppress(OSError):  # stderr is closed
        print(f"egonet: {shown}", file=sys.stderr)  # noqa: T201
    return status


def _stop(number: int, _frame: object) -> None:
    """Turn a signal into an exit that removes temporary files; a second signal is ignored meanwhile."""
    signal.signal(number, signal.SIG_IGN)
    sys.exit(128 + number)
