"""What commands print: tables, JSON, progress."""

import json

import pytest

from egonet import Settings, named


def test_histograms_are_shown_in_a_column_of_their_own(run, edges):
    shown = run("encode", edges, "-r", "1", "--common").stdout

    assert "common neighbors" in shown
    assert "common_none" in shown


def test_rings_beyond_the_graph_are_not_shown(run, edges):
    head = run("encode", edges, "-r", "50").stdout.splitlines()[0]

    assert [word for word in head.split() if word.isdecimal()] == ["0", "1", "2"]


@pytest.mark.parametrize("escape", ["\x1b[31m", "\x9b31m", "\x07", "\u202e"])
def test_ids_never_control_the_terminal(run, tmp_path, escape):
    path = tmp_path / "edges.csv"
    path.write_text(f"a{escape},b\nb,c\n", encoding="utf-8")
    words = ["--no-header"]
    printed = [
        run("encode", path, "-r", 1, *words),
        run("explain", path, f"a{escape}", "-r", 1, *words),
        run("explain", path, f"a{escape}", "b", "-r", 1, *words),
        run("explain", path, f"a{escape}", "-r", 1, "--json", *words),
        run("explain", path, f"a{escape}z", "-r", 1, *words, status=2),
        run("compare", path, path, *words),
    ]

    for done in printed:
        assert all(c.isprintable() or c == "\n" for c in done.stdout + done.stderr)
    assert json.loads(printed[3].stdout)["node"] == f"a{escape}"


def test_a_short_run_is_not_predicted(monkeypatch, capsys):
    from egonet.cli import output as show

    monkeypatch.setattr(show, "predict", None)

    show.print_plan(named.grid(30, 30), Settings((1, 2)), show.Printing())

    assert capsys.readouterr().err == ""
    assert show.may_take_long(named.star(40_000), 2)
