"""The progress bar: shown for long work, absent for short work."""

import sys

import pytest

import egonet
from egonet import progress as module
from egonet.errors import InputError
from egonet.progress import as_progress

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


@pytest.mark.parametrize(("seconds", "shown"), [(0.0, True), (3600.0, False)])
def test_progress_is_automatic_after_two_seconds_where_someone_watches(monkeypatch, capsys, seconds, shown):
    monkeypatch.setattr(module, "AUTOMATIC_DELAY", seconds)
    monkeypatch.setattr(module, "SHORT_WORK", 0)
    monkeypatch.setattr(module, "is_watched", lambda: True)
    graph = egonet.as_graph([(i, j) for i in range(400) for j in range(i)])

    egonet.encode(graph, 2, threads=1)
    found = capsys.readouterr().err
    egonet.encode(graph, 2, threads=1, progress=False)

    assert ("encode: " in found) == shown
    assert capsys.readouterr().err == ""


def test_nothing_is_automatic_where_nobody_watches(monkeypatch, capsys):
    monkeypatch.setattr(module, "AUTOMATIC_DELAY", 0)
    monkeypatch.setattr(module, "SHORT_WORK", 0)
    monkeypatch.delitem(sys.modules, "ipykernel", raising=False)

    assert not module.is_watched()
    egonet.encode(egonet.as_graph([(i, j) for i in range(400) for j in range(i)]), 2)
    assert capsys.readouterr().err == ""
