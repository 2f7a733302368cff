"""The times of searches count the pairs that are split."""

from egonet import named
from research.expressivity import search_times
from research.expressivity.families import Pairs


def test_pairs_that_are_split_are_counted(monkeypatch):
    pairs = (named.shrikhande(), named.rook_4x4(), named.cycle(5), named.cycle(5))
    monkeypatch.setattr(search_times, "brec", lambda: Pairs(pairs, {"all": (0, 2)}))

    assert search_times.brec_seconds(1)["split"] == 0
    assert search_times.brec_seconds(2)["split"] == 1
