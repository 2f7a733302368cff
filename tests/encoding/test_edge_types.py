"""Edge types and weights in `encode`, its front ends and its files: counted by subdivision."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

import egonet
from egonet.errors import InputError
from egonet.kernel import reference

TABLE = pd.DataFrame(
    {
        "source": ["a", "b", "c"],
        "target": ["b", "c", "a"],
        "bond": ["single", "double", "single"],
        "w": [1, 20, 300],
    }
)
PAIRS = [("a", "b"), ("b", "c"), ("c", "a")]
BONDS = ["single", "double", "single"]


def test_an_edge_is_a_node_with_its_type_at_half_steps():
    encoding = egonet.encode(PAIRS, 1, edge_labels=BONDS)

    assert encoding["a"] == {(0, 2): 1, (1, 2, "single"): 2, (2, 1): 2}
    assert encoding["b"] == {(0, 2): 1, (1, 2, "double"): 1, (1, 2, "single"): 1, (2, 1): 2}
    assert encoding.feature_names == ["r1_d0_deg2", "r1_d1_double_deg2", "r1_d1_single_deg2", "r1_d2_deg1"]


def test_node_labels_come_along():
    encoding = egonet.encode(PAIRS, 1, edge_labels=BONDS, labels={"a": "C", "b": "N", "c": "C"})

    assert encoding["a"] == {(0, 2, "C"): 1, (1, 2, "single"): 2, (2, 1, "C"): 1, (2, 1, "N"): 1}
    assert encoding.feature_names[0] == "r1_d0_deg2_labelC"


typed = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6), st.integers(0, 3)), min_size=1, max_size=25)


@given(
    typed,
    st.integers(0, 3),
    st.sampled_from(["total", "layered", "full", "in_out"]),
    st.sampled_from([None, "out", "in"]),
    st.booleans(),
)
@settings(max_examples=150)
def test_random_graphs_equal_the_subdivided_reference(edges, radius, degrees, directed, labeled):
    if degrees == "in_out" and directed is None:
        directed = "out"
    labels = [v % 2 for v in range(7)] if labeled else None
    graph = egonet.as_graph([edge[:2] for edge in edges], num_nodes=7, directed=directed, keep=[])

    encoding = egonet.encode(
        graph, radius, degrees=degrees, edge_labels=[t for *_, t in edges], labels=labels, threads=2
    )

    names = sorted({t for *_, t in edges})
    turn = directed == "in" and degrees != "in_out"
    numbered = [(v, u, names.index(t)) if turn else (u, v, names.index(t)) for u, v, t in edges]
    arrays = reference.subdivide(7, numbered, labels or [0] * 7, directed=directed is not None)
    rows = reference.encode_rows(*arrays[:2], np.arange(7), 2 * radius, degrees=degrees, labels=arrays[2])
    assert encoding.vocabulary.keys[:, 1:].tolist() == rows.keys.tolist()
    for field, array in (("indptr", rows.indptr), ("indices", rows.columns), ("data", rows.counts)):
        assert getattr(encoding.matrix, field).tolist() == array.tolist()


def test_types_come_by_name_from_every_kind_of_input(tmp_path):
    expected = egonet.encode(PAIRS, 1, edge_labels=BONDS).to_dense().tolist()
    graph = nx.Graph()
    graph.add_edges_from((u, v, {"bond": bond}) for (u, v), bond in zip(PAIRS, BONDS, strict=True))
    TABLE.to_csv(tmp_path / "bonds.csv", index=False)
    TABLE.to_parquet(tmp_path / "bonds.parquet")
    nx.write_graphml(graph, tmp_path / "bonds.graphml")
    nx.write_gml(graph, tmp_path / "bonds.gml")
    files = [
        egonet.read_graph(path, keep="bond", source="source", target="target")
        for path in sorted(tmp_path.glob("bonds.[cp]*"))
    ]
    files += [egonet.read_graph(tmp_path / name, keep="bond") for name in ("bonds.graphml", "bonds.gml")]

    assert egonet.encode(TABLE.drop(columns="w"), 1, edge_labels="bond").to_dense().tolist() == expected
    assert egonet.encode(graph, 1, edge_labels="bond").to_dense().tolist() == expected
    assert [egonet.encode(file, 1, edge_labels="bond").to_dense().tolist() for file in files] == [
        expected
    ] * 4
    assert (
        egonet.encode(
            egonet.Graph.from_edges(PAIRS),
            1,
            edge_labels={("b", "a"): "single", ("b", "c"): "double", ("a", "c"): "single"},
        )
        .to_dense()
        .tolist()
        == expected
    )


def test_matrices_molecules_and_pyg_have_attributes(need):
    need("torch_geometric")
    import torch
    from torch_geometric.data import Data

    chem = need("rdkit.Chem")
    matrix = csr_array([[0, 5], [5, 0]])
    data = Data(
        edge_index=torch.tensor([[0, 1], [1, 0]]), num_nodes=2, edge_attr=torch.tensor([[0, 1], [0, 1]])
    )

    assert egonet.encode(matrix, 1, weights="weight", weight_bins="log")[0] == {
        (0, 1): 1,
        (1, 2, "4to8"): 1,
        (2, 1): 1,
    }
    assert egonet.encode(data, 1, edge_labels="edge_attr")[0] == {(0, 1): 1, (1, 2, 1): 1, (2, 1): 1}
    assert egonet.encode(chem.MolFromSmiles("C=O"), 1, edge_labels="bond_type")[0] == {
        (0, 1): 1,
        (1, 2, "double"): 1,
        (2, 1): 1,
    }


def test_parallel_edges_of_different_types_are_several():
    pairs = [("a", "b"), ("b", "a"), ("a", "b"), ("a", "a")]

    encoding = egonet.encode(pairs, 1, edge_labels=["x", "y", "x", "z"])

    assert encoding["a"] == {(0, 2): 1, (1, 2, "x"): 1, (1, 2, "y"): 1, (2, 2): 1}


def test_several_graphs_and_a_vocabulary():
    first, other = egonet.as_graph(TABLE, keep=["bond", "w"]), egonet.Graph.from_edges([("x", "y")])
    learned = egonet.encode([first, first], 1, edge_labels="bond")

    applied = egonet.encode(other, vocabulary=learned, edge_labels=["triple"])

    assert learned.part(1)["b"] == egonet.encode(PAIRS, 1, edge_labels=BONDS)["b"]
    assert applied.unseen.dropped == 2
    with pytest.raises(InputError, match=r"learned with edge labels\. Give edge_labels= here too"):
        egonet.encode(other, vocabulary=learned)


def test_weights_become_types_by_bins_learned_once(tmp_path):
    encoding = egonet.encode(PAIRS, 1, weights=[1, 20, 300], weight_bins=2, degrees="in_out")
    encoding.save(tmp_path / "w.npz")

    loaded = egonet.load(tmp_path / "w.npz")
    other = egonet.encode([("x", "y")], vocabulary=loaded, weights=[19.9], unseen="ignore")

    assert encoding.vocabulary.schema.limits == (20.0,)
    assert encoding["a"] == {
        (0, 1, 1): 1,
        (1, 1, 1, "20plus"): 1,
        (1, 1, 1, "below20"): 1,
        (2, 0, 1): 1,
        (2, 1, 0): 1,
    }
    assert loaded.vocabulary.schema == encoding.vocabulary.schema
    assert other["x"] == {(1, 1, 1, "below20"): 1, (2, 1, 0): 1}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"edge_labels": BONDS, "weights": [1, 2, 3]}, "give edge_labels or weights, not both"),
        ({"weights": [1, 2, 3]}, 'Give weight_bins="log", a number or limits'),
        ({"weight_bins": "log"}, r"weight_bins is for weights\. Give weights= too"),
        (
            {"weights": [1, None, 3], "weight_bins": "log"},
            "weights must be finite numbers: 1 of 3 are not, first None",
        ),
        ({"weights": [1, float("nan"), 3], "weight_bins": "log"}, "1 of 3 are not, first nan at edge 1"),
        ({"edge_labels": [0.5, 1, 2]}, "^edge_labels must be whole numbers or strings"),
        ({"edge_labels": [[1], 1, 2]}, "^edge_labels must be whole numbers or strings"),
        ({"edge_labels": [True, 1, 2]}, "^edge_labels must not mix booleans and numbers"),
        ({"edge_labels": ["\ud800", "a", "b"]}, "^edge_labels must be text that UTF-8 can encode"),
        ({"edge_labels": "bond"}, "a list of pairs has no edge attributes, got 'bond'"),
        ({"edge_labels": BONDS, "common": True}, "take no edge types"),
        (
            {"edge_labels": BONDS, "layout": "paper"},
            'layout="paper" numbers columns by distance and total degree',
        ),
    ],
)
def test_what_types_cannot_be_raises(options, message):
    with pytest.raises(InputError, match=message):
        egonet.encode(PAIRS, 1, **options)


def test_an_unknown_column_has_a_near_match():
    with pytest.raises(InputError, match=r"the table has no edge attribute 'bnd'\. Did you mean 'bond'"):
        egonet.encode(TABLE, 1, edge_labels="bnd")


def test_updates_and_pages_say_what_they_cannot_do():
    encoding = egonet.encode(PAIRS, 1, edge_labels=BONDS)

    with pytest.raises(InputError, match="update does not know the types of new edges"):
        encoding.update(added=[("a", "d")])
    with pytest.raises(InputError, match=r"does not keep its edge types. Use explore\(graph, edge_labels="):
        encoding.explore()


def test_explain_counts_edges_apart():
    text = str(egonet.explain(PAIRS, "a", 1, edge_labels=BONDS))

    assert "distance 1: 2 edges\n  edge single, degree 2" in text


def test_a_cap_drops_typed_edges_too():
    star = [(0, leaf) for leaf in range(1, 9)]

    encoding = egonet.encode(star, 1, edge_labels=["x"] * 8, cap=2)

    assert encoding[0] == {(0, 2): 1, (1, 2, "x"): 2, (2, 1): 2}


def test_a_memory_limit_counts_edge_nodes():
    with pytest.raises(egonet.errors.MemoryLimitError, match="above the memory_limit"):
        egonet.encode(PAIRS, 1, edge_labels=BONDS, memory_limit=10)


def test_estimators_take_types(need):
    need("sklearn")
    graphs = [egonet.as_graph(TABLE, keep=["bond", "w"])] * 2
    nodes = egonet.NodeEncoder(
        TABLE, 1, edge_labels="bond", source="source", target="target", sparse_output=False
    )

    rows = egonet.GraphEncoder(1, edge_labels="bond", sparse_output=False).fit_transform(graphs)
    weights = egonet.GraphEncoder(1, weights="w", weight_bins=[10]).fit(graphs)

    assert rows.tolist() == [[3, 2, 4, 6]] * 2
    assert nodes.fit_transform(["a"]).tolist() == [[1, 2, 2]]
    assert "r1_d1_below10_deg2" in weights.get_feature_names_out()
    assert weights.transform(graphs).shape[0] == 2


def test_the_command_line_names_columns(tmp_path, need):
    typer_testing = need("typer.testing")
    from egonet.cli.commands import app

    TABLE.to_csv(tmp_path / "bonds.csv", index=False)
    run = typer_testing.CliRunner().invoke
    ends = ["--source", "source", "--target", "target", "-r", "1", "-o", "-"]

    bonds = run(app, ["encode", str(tmp_path / "bonds.csv"), *ends, "--edge-labels", "bond"])
    amounts = run(
        app, ["encode", str(tmp_path / "bonds.csv"), *ends, "--weights", "w", "--weight-bins", "10,100"]
    )
    arcs = run(app, ["encode", str(tmp_path / "bonds.csv"), *ends, "--degrees", "in_out", "--follow", "out"])

    assert bonds.stdout.splitlines()[0] == "node,r1_d0_deg2,r1_d1_double_deg2,r1_d1_single_deg2,r1_d2_deg1"
    assert "r1_d1_10to100_deg2" in amounts.stdout
    assert "r1_d1_in1_out0" in arcs.stdout


@pytest.mark.parametrize(
    ("learned", "given", "name"),
    [
        ({}, {"edge_labels": ["s", "t"]}, "edge_labels"),
        ({}, {"weights": [1, 2]}, "weights"),
        ({}, {"labels": {"a": 1, "b": 2, "c": 1}}, "labels"),
        (
            {"labels": {"a": 1, "b": 2, "c": 1}},
            {"labels": {"a": 1, "b": 2, "c": 1}, "edge_labels": [1, 2]},
            "edge_labels",
        ),
        ({"edge_labels": [1, 2]}, {"labels": {"a": 1, "b": 2, "c": 1}, "edge_labels": [1, 2]}, "labels"),
    ],
)
def test_labels_that_a_vocabulary_was_learned_without_are_an_error(learned, given, name):
    path = [("a", "b"), ("b", "c")]
    vocabulary = egonet.encode(path, 1, **learned).vocabulary

    with pytest.raises(InputError, match=f"the vocabulary was learned without {name}. Leave {name} out"):
        egonet.encode(path, vocabulary=vocabulary, **given)


@pytest.mark.parametrize("gap", [None, float("nan"), "", pd.NA])
def test_missing_types_are_counted_and_dropped_on_request(gap):
    frame = pd.DataFrame({"source": ["a", "b", "c"], "target": ["b", "c", "d"], "kind": ["x", gap, "y"]})

    with pytest.raises(InputError, match=r"edge_labels must not be missing: 1 of 3 are, first at 1 .*drop"):
        egonet.encode(frame, radius=1, edge_labels="kind")
    with pytest.raises(InputError, match="1 of 2 are"):
        egonet.encode([("a", "b"), ("b", "c")], radius=1, edge_labels=["x", gap])
    with pytest.warns(egonet.errors.IgnoredInputWarning, match="1 row with a missing value is left out"):
        dropped = egonet.encode(frame, radius=1, edge_labels="kind", missing="drop")
    assert dropped.vocabulary.edge_labels == ("x", "y")
    assert dropped.graph.num_edges == 2


def test_types_with_signs_are_not_merged(tmp_path):
    path = tmp_path / "typed.csv"
    path.write_text("source,target,kind\na,b,0\nb,c,-0\nc,d,+1\nd,e,1\n")

    kept = egonet.encode(egonet.read_graph(path, keep="kind"), radius=1, edge_labels="kind")

    assert kept.vocabulary.edge_labels == ("+1", "-0", "0", "1")


def test_nullable_numbers_of_pandas_are_weights_and_values():
    numbers = pd.array([1, 20], dtype="Int64")
    edges = [(0, 1), (1, 2)]

    weighted = egonet.encode(edges, radius=1, weights=numbers, weight_bins=[10])
    expected = egonet.encode(edges, radius=1, weights=[1, 20], weight_bins=[10])

    assert (weighted.to_dense() == expected.to_dense()).all()
    assert egonet.ring_statistics([(0, 1)], numbers, 1, ["sum"])[0] == {"d0_sum": 1.0, "d1_sum": 20.0}


@pytest.mark.parametrize(
    "call",
    [
        lambda columns: egonet.encode([(0, 1)], vocabulary=columns),
        lambda columns: egonet.Stream(vocabulary=columns),
        lambda columns: egonet.AddEgoEncoding(vocabulary=columns.vocabulary),
    ],
)
def test_columns_of_pairs_are_no_columns_of_nodes(call):
    pairs = egonet.encode_pairs([(0, 1), (1, 2)], [(0, 2)], radius=1)

    with pytest.raises(InputError, match="vocabulary must be that of an encoding of nodes, got one of pairs"):
        call(pairs)


def test_types_of_two_files_in_sequence_are_the_same_types(tmp_path):
    """One cell of the second file is no number; those that are do not change their type for it."""
    (tmp_path / "jan.csv").write_text("source,target,mcc\na,b,5411\nb,c,5412\n")
    (tmp_path / "feb.csv").write_text("source,target,mcc\na,b,5411\nb,c,7A\n")
    january, february = (egonet.read_graph(tmp_path / name, keep="mcc") for name in ("jan.csv", "feb.csv"))

    both = egonet.GraphEncoder(radius=1, edge_labels="mcc").fit([january, february])

    names = [name for name in both.get_feature_names_out() if "d1" in name]
    assert names == ["r1_d1_5411_deg2", "r1_d1_5412_deg2", "r1_d1_7A_deg2"]
    learned = egonet.GraphEncoder(radius=1, edge_labels="mcc").fit([january])
    row = dict(zip(learned.get_feature_names_out(), learned.transform([february])[0].tolist(), strict=True))
    assert (row["r1_d1_5411_deg2"], row["r1_d1_5412_deg2"]) == (2, 0)
    numbers = pd.DataFrame({"source": ["a"], "target": ["b"], "mcc": [5411]})
    with pytest.raises(InputError, match="edge label 5411 is int here, but the vocabulary has '5411'"):
        learned.transform([numbers])


def test_a_number_of_quantiles_may_be_repeated_with_the_vocabulary_it_was_learned_with():
    options = {"radius": 1, "weights": "w", "weight_bins": 2}
    learned = egonet.encode(TABLE[["source", "target", "w"]], **options)

    again = egonet.encode(TABLE[["source", "target", "w"]], vocabulary=learned.vocabulary, **options)

    assert again.matrix.toarray().tolist() == learned.matrix.toarray().tolist()
    with pytest.raises(InputError, match=r"learned with weight_bins=2, got \(10\.0,\)"):
        egonet.encode(
            TABLE[["source", "target", "w"]],
            vocabulary=learned.vocabulary,
            **options | {"weight_bins": [10]},
        )
