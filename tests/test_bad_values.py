"""Every keyword of every public entry point refuses a value that it can never have, with an error of egonet."""

import inspect
import warnings
from functools import reduce
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import egonet
from contracts.entry_points import ENTRY_POINTS, PYG_ENTRY_POINTS
from egonet.errors import EgonetError

EDGES = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")]
#: No option has one of these values.
NEVER = {
    "an object": object(),
    "bytes": b"\x00",
    "a square": np.array([[1, 2], [3, 4]]),
    "a function": lambda value: value,
    "complex": 1j,
    "a path": Path("/nonexistent/x"),
}
#: Some options take it, others have a limit.
HUGE = 10**30
#: Arguments that are the data or the rows asked for, which have their own rules; or what a call above sets itself.
NOT_OPTIONS = {
    "graph",
    "graphs",
    "first",
    "second",
    "other",
    "data",
    "pairs",
    "node",
    "nodes",
    "values",
    "events",
}


def options_of(entry):
    """Return the names of the options in the signature of an entry point."""
    names = entry.name.split(".")
    module = import_module(f"egonet.{names[0]}") if names[0] == "accessors" else getattr(egonet, names[0])
    function = reduce(getattr, names[1:], module)
    if hasattr(function, "from_dataset"):
        function = function.from_dataset
    elif hasattr(function, "from_data"):
        function = function.from_data
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    parameters = inspect.signature(function).parameters.values()
    return [each.name for each in parameters if each.kind in kinds and each.name not in NOT_OPTIONS]


def call(entry, **keywords):
    """Call an entry point; an option that the call sets itself is no keyword of it."""
    data = EDGES
    if entry in PYG_ENTRY_POINTS:
        import torch
        from torch_geometric.data import Data

        index = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
        data = Data(edge_index=index, num_nodes=3, edge_label_index=index[:, :1])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return entry.call(data, **keywords)


#: The command line gives text to every option.
CALLED = [entry for entry in (*ENTRY_POINTS, *PYG_ENTRY_POINTS) if entry.name != "cli.encode"]
EVERY = pytest.mark.parametrize("entry", CALLED, ids=lambda entry: entry.name)


def set_by_call(error):
    return "multiple values for keyword argument" in str(error) or "multiple values for argument" in str(
        error
    )


@pytest.mark.parametrize("kind", NEVER)
@EVERY
def test_no_option_takes_what_is_no_value(entry, kind):
    wrong = []
    for name in options_of(entry):
        if name == "progress" and kind == "a function":
            continue
        try:
            call(entry, **{name: NEVER[kind]})
        except EgonetError as error:
            if not str(error).endswith((".", "?", ")")):
                wrong.append(f"{name}: {error}")
        except Exception as error:  # noqa: BLE001 - any other error is what this test looks for
            if not set_by_call(error):
                wrong.append(f"{name}: {error!r}")
        else:
            wrong.append(f"{name}: accepted")

    assert wrong == []


@EVERY
def test_a_huge_number_is_taken_or_refused(entry):
    wrong = []
    for name in options_of(entry):
        try:
            call(entry, **{name: HUGE})
        except EgonetError:
            continue
        except Exception as error:  # noqa: BLE001 - any other error is what this test looks for
            if not set_by_call(error):
                wrong.append(f"{name}: {error!r}")

    assert wrong == []
