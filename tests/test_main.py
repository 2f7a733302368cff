"""The outermost function of the command line: every way to fail is one sentence and a status."""

import signal
import sys

import pytest

import egonet.cli
from egonet import __main__ as module
from egonet.errors import InputError


def run(monkeypatch, capsys, outcome):
    """Return the status and what was said if the command line ends with `outcome`, raised or returned."""

    def app(standalone_mode):
        assert standalone_mode is False
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome

    monkeypatch.setattr(egonet.cli, "app", app)
    monkeypatch.setattr(signal, "signal", lambda number, handler: None)
    with pytest.raises(SystemExit) as caught:
        module.main()
    return caught.value.code, capsys.readouterr().err


class ShownError(Exception):
    exit_code = 2

    def show(self):
        sys.stderr.write("Usage: egonet\n")


class Abort(Exception):  # noqa: N818 — the name that typer gives it
    pass


UNFORESEEN = "Set EGONET_DEBUG=1 to see where.\n"


@pytest.mark.parametrize(
    ("outcome", "status", "said"),
    [
        (None, 0, ""),
        (1, 1, ""),
        (KeyboardInterrupt(), 130, "egonet: stopped.\n"),
        (Abort(), 130, "egonet: stopped.\n"),
        (InputError("radius must be 1."), 2, "egonet: radius must be 1.\n"),
        (ShownError(), 2, "Usage: egonet\n"),
        (
            ModuleNotFoundError("no torch", name="torch"),
            2,
            'egonet: this needs an extra package: pip install "egonet[experiments]".\n',
        ),
        (
            MemoryError(),
            2,
            "egonet: memory ran out. Use a smaller radius, fewer roots, max_degree, or a machine with more memory. "
            + UNFORESEEN,
        ),
        (OSError(13, "Permission denied", "a.csv"), 2, f"egonet: a.csv: Permission denied. {UNFORESEEN}"),
        (OSError(5, "I/O error"), 2, f"egonet: the system refused: I/O error. {UNFORESEEN}"),
        (
            ZeroDivisionError("division by zero"),
            2,
            f"egonet: something unforeseen went wrong (ZeroDivisionError: division by zero). {UNFORESEEN}",
        ),
    ],
)
def test_every_end_is_a_status_and_at_most_one_sentence(monkeypatch, capsys, outcome, status, said):
    monkeypatch.delenv("EGONET_DEBUG", raising=False)

    assert run(monkeypatch, capsys, outcome) == (status, said)


@pytest.mark.parametrize("error", [InputError("radius must be 1."), ZeroDivisionError("division by zero")])
def test_a_traceback_is_seen_if_asked_for(monkeypatch, capsys, error):
    monkeypatch.setenv("EGONET_DEBUG", "1")

    with pytest.raises(type(error), match=str(error)):
        run(monkeypatch, capsys, error)


def test_without_the_package_of_the_command_line_the_command_is_told(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "egonet.cli", None)
    monkeypatch.setattr(signal, "signal", lambda number, handler: None)

    def missing(name, *words, **more):
        raise ModuleNotFoundError("No module named 'typer'", name="typer")

    monkeypatch.setattr("builtins.__import__", missing)
    with pytest.raises(SystemExit) as caught:
        module.main()
    monkeypatch.undo()

    assert caught.value.code == 2
    assert capsys.readouterr().err == (
        'egonet: the command line needs an extra package: pip install "egonet[cli]".\n'
    )


def test_a_request_to_stop_is_an_orderly_exit():
    with pytest.raises(SystemExit) as caught:
        module._stop(signal.SIGTERM, None)

    assert caught.value.code == 143
