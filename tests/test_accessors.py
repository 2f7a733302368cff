"""`df.egonet` on data frames of pandas and polars."""

import subprocess
import sys

import pandas as pd
import polars as pl
import pytest

import egonet
import egonet.accessors
from egonet.errors import IgnoredInputWarning, InputError

EDGES = {"payer": ["a", "b", "c", "c"], "payee": ["b", "c", "a", "d"], "amount": [1, 2, 3, 4]}
ENDS = {"source": "payer", "target": "payee"}


@pytest.mark.parametrize("frame", [pl.DataFrame(EDGES), pl.DataFrame(EDGES).lazy()], ids=["eager", "lazy"])
def test_polars_frames_are_encoded(frame):
    made = frame.egonet.encode(radius=1, **ENDS)

    assert isinstance(made, pl.DataFrame)
    assert made.equals(egonet.encode(pl.DataFrame(EDGES), 1, **ENDS).to_polars())
    assert made.columns[0] == "node"


def test_pandas_frames_are_encoded():
    made = pd.DataFrame(EDGES).egonet.encode(radius=1, weighting="log", **ENDS)

    pd.testing.assert_frame_equal(made, egonet.encode(pd.DataFrame(EDGES), 1, **ENDS).to_pandas("log"))


def test_settings_labels_and_direction_are_passed_on():
    frame = pd.DataFrame({"u": [0, 1], "v": [1, 2]})

    assert frame.egonet.encode(egonet.Settings(0), labels=["x", "y", "x"]).columns.tolist() == [
        "r0_d0_deg1_labelx", "r0_d0_deg2_labely",
    ]  # fmt: skip
    assert frame.egonet.graph(directed="out").directed == "out"
    assert frame.egonet.encoding(1)[1] == {(0, 2): 1, (1, 1): 2}


def test_columns_are_never_guessed():
    with pytest.raises(InputError, match="which two columns have the node ids"):
        pl.DataFrame(EDGES).egonet.encode(radius=1)


def test_registering_twice_warns_of_nothing():
    assert egonet.accessors.register() == ["pandas", "polars"]


def test_importing_egonet_alone_registers_nothing():
    program = "import egonet, pandas; print(hasattr(pandas.DataFrame, 'egonet'))"

    assert (
        subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout.strip()
        == "False"
    )


def test_the_graph_takes_the_options_of_as_graph():
    frame = pd.DataFrame({"payer": ["a", None, "b"], "payee": ["b", "c", "c"], "kind": ["x", "y", "z"]})

    with pytest.warns(IgnoredInputWarning, match="1 row"):
        graph = frame.egonet.graph(source="payer", target="payee", missing="drop", edge_labels="kind")

    assert graph.edge_columns["edge_labels"].values() == ["x", "z"]
