"""Rows of every kind against definitions from the pages alone, on a few random graphs; `make fuzz` has more."""

import warnings
from random import Random

import pytest

from contracts.parts import need_emulation
from fuzz.differential import Tally, all_checks
from fuzz.engines import check_device

#: What else some comparisons need.
PACKAGES = {"check_containers": ("networkx", "igraph", "torch"), "check_molecules": ("rdkit",)}


@pytest.mark.parametrize("check", all_checks(), ids=lambda check: check.__name__)
def test_rows_are_those_of_the_pages(check, need):
    for package in ("pandas", "polars", "pyarrow", "sklearn", *PACKAGES.get(check.__name__, ())):
        need(package)
    tally = Tally()

    for number in range(3):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            check(Random(f"test {number}"), tally)

    assert tally.differences == []


def test_rows_of_emulated_kernels_are_those_of_the_pages():
    need_emulation()
    tally = Tally()

    for number in range(5):
        check_device(Random(f"test {number}"), tally)

    assert tally.rows["cuda, emulated"] > 0
    assert tally.differences == []


def test_a_wrong_row_is_a_difference():
    tally = Tally()
    tally.compare("node", 3, {(0, 1): 1}, {(0, 2): 1}, "a case")
    tally.add("event", False, 4, {"column": (1.0, 2.0)}, "another case")

    assert len(tally.differences) == 2
    assert sum(tally.rows.values()) == 2
