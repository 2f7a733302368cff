"""The tables of the peers: a name for every method, in the order of the methods."""

import json

from research.nets.peers.methods import METHODS
from research.nets.peers.spec import peer_spec
from research.report.peer_names import NAMES
from research.report.peer_tables import large_cost_table, read_lines_of, reported


def test_every_method_has_a_name_in_the_order_of_the_methods():
    assert list(NAMES) == list(METHODS)


def test_cost_on_zinc_is_shown_where_memory_was_measured():
    shared = {"set": "zinc", "seed": 0, "milliseconds": 1500.0, "rows_per_node": 9.2, "weights": 480_000}
    lines = [
        shared | {"method": "gin", "peak_bytes": None, "prepare_seconds": 0.0},
        shared | {"method": "nested", "peak_bytes": 3 * 2**30, "prepare_seconds": 2.5},
    ]

    (table,) = large_cost_table(lines)

    assert table.rows == [["Nested GNN", "2.5", "3,072", "9.2", "480,000"]]


def test_figures_of_others_have_a_source():
    figures = peer_spec()["reported"]

    assert {source for sources in figures.values() for source in sources} == {"checked", "paper"}
    assert reported("dss-ed", "mutag") == "–"
    assert reported("kp-gnn", "ptc") == "64.7"


def test_the_longest_run_of_a_job_counts(tmp_path):
    shared = {"set": "ptc", "method": "i2-gnn", "seed": 0, "quick": False, "planned_epochs": 60}
    runs = [{"epochs": 46, "score": 60.9}, {"epochs": 60, "score": 61.5}, {"epochs": 20, "score": 50.0}]
    path = tmp_path / "peers.jsonl"
    path.write_text("".join(json.dumps(shared | run) + "\n" for run in runs))

    assert [line["score"] for line in read_lines_of(path)] == [61.5]


def test_seeds_and_targets_of_a_job_are_different_lines(tmp_path):
    shared = {"set": "randomgraph", "method": "gin", "quick": False, "epochs": 50, "planned_epochs": 50}
    lines = [shared | {"seed": seed, "target": target} for seed in (0, 1) for target in (0, 1, 2)]
    path = tmp_path / "peers.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))

    assert read_lines_of(path) == lines
