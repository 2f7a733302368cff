"""Hostile values for options and damaged files: a few of what `python -m fuzz values` and `saved` try."""

import pytest

PACKAGES = ("pandas", "polars", "pyarrow", "networkx", "torch", "torch_geometric", "sklearn", "duckdb")


@pytest.mark.parametrize("only", [r"^encode\.", r"^encode_pairs\.", r"^links\.", r"^Stream\.", r"\.value$"])
def test_hostile_values_end_in_one_sentence(only, need):
    for package in PACKAGES:
        need(package)
    from fuzz.values import run

    report = run(1, 60, only, print)

    assert report.failures == []
    assert report.counts["rejected"] > 30


def test_a_damaged_file_is_an_error_or_says_the_same(need):
    for package in PACKAGES:
        need(package)
    from fuzz.saved_damage import run

    said = []
    counts = run(1, 5, ".json", said.append)

    assert said == []
    assert sum(counts.values()) > 60
