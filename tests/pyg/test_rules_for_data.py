"""The rules for data hold at every transform of PyG: one test per rule, run through all of them."""

import numpy as np
import pytest
import torch
from torch_geometric.data import Batch, Data

from contracts.entry_points import PYG_ENTRY_POINTS, VALUES
from egonet.errors import EgonetError, InputError

EVERY = pytest.mark.parametrize("entry", PYG_ENTRY_POINTS, ids=lambda entry: entry.name)
#: A path of four, in both directions.
INDEX = torch.tensor([[0, 1, 1, 2, 2, 3], [1, 0, 2, 1, 3, 2]])
PAIRS = torch.tensor([[0, 1], [2, 3]])


def path(**fields):
    return Data(edge_index=INDEX.clone(), num_nodes=4, edge_label_index=PAIRS.clone(), **fields)


def need(entry, keyword):
    if keyword in entry.without:
        pytest.skip(f"{entry.name} has no {keyword}")


def values_of(keyword):
    """Return keywords that name the attribute "given", and how many values it has."""
    bins = {"weight_bins": "log"} if keyword == "weights" else {}
    return {keyword: "given"} | bins, 4 if keyword == "labels" else 6


@pytest.mark.parametrize(
    "index",
    [
        None,
        torch.zeros(3, 2, dtype=torch.long),
        torch.tensor([[0.5], [1.0]]),
        torch.tensor([[float("nan")], [1.0]]),
        torch.tensor([[-1], [1]]),
        torch.tensor([[9], [1]]),
    ],
    ids=["none", "three rows", "fractions", "NaN", "negative", "beyond the nodes"],
)
@EVERY
def test_an_edge_index_that_is_none_is_an_error(entry, index):
    with pytest.raises(InputError, match=r"edge_index"):
        entry.call(Data(edge_index=index, num_nodes=4, edge_label_index=PAIRS))


@pytest.mark.parametrize("value", [None, 7, "x", [], {}, [path()]], ids=repr)
@EVERY
def test_what_is_no_data_is_an_error_of_egonet(entry, value):
    with pytest.raises(EgonetError):
        entry.call(value)


@EVERY
def test_rows_are_those_of_the_function_without_pyg(entry):
    if entry.encode is None:
        pytest.skip("there is no such function")

    assert entry.call(path()) == entry.encode(path())


@pytest.mark.parametrize("keyword", VALUES)
@EVERY
def test_an_attribute_counts_like_the_values_given_to_the_function(entry, keyword):
    need(entry, keyword)
    keywords, size = values_of(keyword)
    given = torch.tensor([1, 1, 2, 2, 3, 3][:size])

    rows = entry.call(path(given=given), **keywords)

    assert rows == entry.encode(path(), **keywords | {keyword: given.tolist()})
    assert rows != entry.call(path())


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([1.0, 1.0, 2.0, 2.0, 3.0, float("nan")], r"1 of [46] are"),
        ([1, 2], "got (2|shape)"),
        (None, "'given'"),
    ],
    ids=["missing", "too few", "no attribute"],
)
@pytest.mark.parametrize("keyword", VALUES)
@EVERY
def test_values_that_are_missing_are_an_error_that_changes_nothing(entry, keyword, given, message):
    need(entry, keyword)
    keywords, size = values_of(keyword)
    fields = {} if given is None else {"given": torch.tensor(given if len(given) == 2 else given[-size:])}
    data = path(**fields)
    before = {name: data[name] for name in data.keys()}  # noqa: SIM118 — Data iterates over pairs

    with pytest.raises(InputError, match=message):
        entry.call(data, **keywords)

    assert {name: data[name] for name in data.keys()} == before  # noqa: SIM118


@EVERY
def test_a_batch_has_the_rows_of_its_graphs(entry):
    if entry.name == "AddPairEncoding":
        pytest.skip("pairs are those of one graph")
    alone = entry.call(path())

    assert np.allclose(entry.call(Batch.from_data_list([path(), path()])), alone + alone)
