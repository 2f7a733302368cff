"""The tables of the peers: a name for every method, in the order of the methods."""

from experiments.nets.peers.methods import METHODS
from experiments.report.peer_tables import NAMES


def test_every_method_has_a_name_in_the_order_of_the_methods():
    assert list(NAMES) == list(METHODS)
