"""The tables of the peers: a name for every method, in the order of the methods."""

from experiments.nets.peers.methods import METHODS
from experiments.report.peer_tables import NAMES, large_cost_table, reported


def test_every_method_has_a_name_in_the_order_of_the_methods():
    assert list(NAMES) == list(METHODS)


def test_cost_on_zinc_is_shown_where_memory_was_measured():
    shared = {"set": "zinc", "seed": 0, "milliseconds": 1500.0, "rows_per_node": 9.2, "weights": 480_000}
    lines = [
        shared | {"method": "gin", "peak_bytes": None, "prepare_seconds": 0.0},
        shared | {"method": "nested", "peak_bytes": 3 * 2**30, "prepare_seconds": 2.5},
    ]

    (table,) = large_cost_table(lines)

    assert table.rows == [["Nested GNN", "2.5", "1.50", "3,072", "9.2", "480,000"]]


def test_figures_that_were_not_found_again_have_a_star():
    assert reported("dss-ed", "mutag").endswith("*")
    assert reported("kp-gnn", "ptc") == "64.7"
