"""`egonet compare`, as a user calls it."""

import json

import pytest

from egonet.errors import InputError


@pytest.fixture
def call(need):
    typer_testing = need("typer.testing", "typer")
    from egonet.cli import app

    def run(*words):
        done = typer_testing.CliRunner().invoke(app, list(map(str, words)))
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        return done

    return run


@pytest.fixture
def molecules(tmp_path):
    """Return the files of decalin and bicyclopentyl."""
    ring = [(v, (v + 1) % 10) for v in range(10)]
    rings = [(ring + v, ring + (v + 1) % 5) for ring in (0, 5) for v in range(5)]
    paths = []
    for name, edges in (("decalin", [*ring, (0, 5)]), ("bicyclopentyl", [*rings, (0, 5)])):
        paths.append(tmp_path / f"{name}.csv")
        paths[-1].write_text("source,target\n" + "".join(f"{u},{v}\n" for u, v in edges))
    return paths


def test_compare_prints_a_line_per_test(call, molecules):
    done = call("compare", *molecules)

    lines = {line[:18].strip(): line.split()[-1] for line in done.stdout.splitlines()[1:]}
    assert done.exit_code == 0
    assert lines["1-WL"] == "equal"
    assert "total r=2           different  2 (0, 5) against 0" in done.stdout


def test_compare_exits_with_one_if_asked_and_the_graphs_differ(call, molecules):
    assert call("compare", *molecules, "--exit-code").exit_code == 1
    assert call("compare", molecules[0], molecules[0], "--exit-code").exit_code == 0


def test_compare_takes_one_file_of_two_graphs_and_prints_json(call, tmp_path):
    both = tmp_path / "pair.g6"
    both.write_text("EQjO\nEEj_\n")

    found = json.loads(call("compare", both, "--json", "-r", "1").stdout)

    verdicts = {verdict["test"]: verdict["equal"] for verdict in found["verdicts"]}
    assert found["isomorphic"] is False
    assert verdicts["1-WL"] is True
    assert verdicts["total r=1"] is False


def test_compare_refuses_one_graph(call, molecules):
    with pytest.raises(InputError, match="compare takes two graphs, got 1 in"):
        call("compare", molecules[0])


def test_encode_takes_the_rungs(call, molecules, tmp_path):
    out = tmp_path / "edges.csv"

    done = call("encode", molecules[0], "--rooted", "edge", "-o", out)

    assert done.exit_code == 0
    assert out.read_text().startswith("node,r2_edge_")
