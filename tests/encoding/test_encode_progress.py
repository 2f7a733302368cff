"""The progress bar: shown for long work, absent for short work."""

import sys

import pytest

import egonet
from egonet.encoding import encode as module
from egonet.encoding.encode import as_progress
from egonet.errors import InputError

PATH = egonet.named.path("abc")


@pytest.mark.parametrize("has_tqdm", [True, False])
def test_progress_true_shows_a_bar(monkeypatch, capsys, has_tqdm):
    monkeypatch.setattr(module, "PROGRESS_DELAY", 0)
    if not has_tqdm:
        monkeypatch.setitem(sys.modules, "tqdm", None)

    with as_progress(True) as report:
        report(5, 10)
        report(10, 10)

    assert "encode: " in capsys.readouterr().err
    assert egonet.encode(PATH, 1, progress=True)["a"] == {(0, 1): 1, (1, 1): 1}


def test_progress_shows_nothing_for_short_work(capsys):
    egonet.encode(PATH, 1, progress=True)

    assert capsys.readouterr().err == ""
    with pytest.raises(InputError, match="progress must be True, False or a function"):
        egonet.encode(PATH, 1, progress="yes")
