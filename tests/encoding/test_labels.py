"""Node labels in every form they come in, for one graph and for many."""

import time

import networkx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import egonet
from contracts.parts import need
from egonet import Graph, encode, named
from egonet.errors import InputError
from egonet.sklearn import NodeEncoder

PATH = named.path("abc")
#: A path of three at radius 0 with labels C, N, C.
EXPECTED = [{(0, 1, "C"): 1}, {(0, 2, "N"): 1}, {(0, 1, "C"): 1}]


def rows(encoding):
    return [encoding[node] for node in encoding.nodes.tolist()]


def frames():
    pd, pl = need("pandas"), need("polars")
    return [
        pd.Series(["C", "N", "C"], index=["a", "b", "c"]),
        pl.Series(["C", "N", "C"]),
        pd.Series(["C", "N", "C"], index=["a", "b", "c"], dtype="category"),
    ]


@pytest.mark.parametrize(
    "labels",
    [
        ["C", "N", "C"],
        ("C", "N", "C"),
        np.array(["C", "N", "C"]),
        np.array(["C", "N", "C"], dtype=object),
        {"b": "N", "c": "C", "a": "C"},
        [np.str_("C"), np.str_("N"), "C"],
        *frames(),
    ],
    ids=["list", "tuple", "array", "objects", "mapping", "scalars", "pandas", "polars", "categories"],
)
def test_every_form_of_strings_is_the_same(labels):
    assert rows(encode(PATH, 0, labels=labels)) == EXPECTED


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int64, bool])
def test_whole_numbers_of_any_width_are_plain_labels(dtype):
    encoding = encode(PATH, 0, labels=np.array([0, 1, 0], dtype=dtype))

    assert encoding.vocabulary.labels == (0, 1)
    assert encoding["b"] == {(0, 2, 1): 1}


def test_tensors_are_arrays_too():
    torch = need("torch")

    assert encode(PATH, 0, labels=torch.tensor([6, 7, 6]))["b"] == {(0, 2, 7): 1}
    assert encode(PATH, 0, labels=[torch.tensor(6), torch.tensor(7), torch.tensor(6)]).columns == [
        (0, 1, 6),
        (0, 2, 7),
    ]


def test_numbers_and_strings_may_be_mixed_and_stay_apart():
    encoding = encode(named.path("abcd"), 0, labels=[1, "1", 1, 2])

    assert encoding.vocabulary.labels == (1, 2, "1")
    assert encoding.columns == [(0, 1, 1), (0, 1, 2), (0, 2, 1), (0, 2, "1")]


def test_the_numbers_of_labels_do_not_depend_on_the_order_of_nodes():
    first = encode(PATH, 0, labels=["C", "N", "O"])
    second = encode(PATH, 0, labels=["O", "N", "C"])

    assert first.columns == second.columns


MANY = [named.path("ab"), named.path("xyz")]


@pytest.mark.parametrize(
    "labels",
    [
        [["C", "O"], ["C", "N", "C"]],
        (["C", "O"], np.array(["C", "N", "C"])),
        [{"b": "O", "a": "C"}, {"x": "C", "y": "N", "z": "C"}],
        ["C", "O", "C", "N", "C"],
        np.array(["C", "O", "C", "N", "C"]),
    ],
    ids=["lists", "mixed", "mappings", "flat list", "flat array"],
)
def test_many_graphs_take_labels_per_graph_or_flat(labels):
    both = encode(MANY, 0, labels=labels)

    assert both.part(0)["b"] == {(0, 1, "O"): 1}
    assert both.part(1)["y"] == {(0, 2, "N"): 1}
    assert both.columns == [(0, 1, "C"), (0, 1, "O"), (0, 2, "N")]


def test_a_vocabulary_knows_its_labels():
    known = encode(MANY, 0, labels=[["C", "O"], ["C", "N", "C"]]).vocabulary

    later = encode(PATH, vocabulary=known, labels=["O", "N", "Si"])

    assert later["a"] == {(0, 1, "O"): 1}
    assert later["b"] == {(0, 2, "N"): 1}
    assert later["c"] == {}
    assert later.unseen.dropped == 1
    assert later.unseen.rows.tolist() == [2]
    with pytest.raises(
        InputError, match=r"the vocabulary was learned with node labels\. Give labels= here too\."
    ):
        encode(PATH, vocabulary=known)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (
            [["C", "O"]],
            r"one sequence or mapping per graph \(2\), or one flat sequence, got 1 entries, 1 of them",
        ),
        ([["C", "O"], "C"], r"got 2 entries, 1 of them sequences\."),
        ([["C"], ["C", "N", "C"]], r"labels must have one entry per node \(graph 0\): 2, got 1\."),
        (
            [["C", "C"], {"x": "C"}],
            r"labels must name every node \(graph 1\): 2 of 3 are missing, first 'y', 'z'\.",
        ),
        (["C"] * 4, r"labels must have one entry per node: 5, got 4\."),
        (
            np.zeros((5, 2), dtype=int),
            r"labels must be one entry per node, got an array of shape \(5, 2\)\.",
        ),
        (np.zeros(5), r"labels must be whole numbers or strings, got 0\.0\."),
        ([None] * 5, r"labels must not be missing: 5 of 5 are, first at 0, 1, 2"),
        ([1, 2, 3, 4, {}], r"got 5 entries, 1 of them sequences\."),
        ([1, 2, 3, 4, {5}], r"labels must be whole numbers or strings, got \{5\}\."),
    ],
)
def test_labels_that_do_not_fit_raise(labels, message):
    with pytest.raises(InputError, match=message):
        encode(MANY, 0, labels=labels)


def test_arrays_of_labels_cost_no_loop_over_nodes():
    """Numbering an array must be faster than merely touching each entry in Python."""
    from egonet.graph.align import align_labels

    count = 400_000
    labels = np.arange(count) % 7
    nodes, one_graph = np.arange(count), np.array([0, count])

    def seconds(work):
        began = time.process_time()
        work()
        return time.process_time() - began

    ours = min(seconds(lambda: align_labels(labels, nodes, one_graph)) for _ in range(3))
    loop = min(seconds(lambda: [int(label) for label in labels]) for _ in range(3))

    assert ours < loop


def test_edge_labels_by_subdivision():
    """A node on every edge carries the edge's label: a double bond is told from a single one at twice the radius."""
    single = Graph.from_edges([("a", "ab"), ("ab", "b")])
    labels = {"a": "C", "b": "O", "ab": "="}

    assert encode(single, 2, labels=labels)["a"] == {(0, 1, "C"): 1, (1, 2, "="): 1, (2, 1, "O"): 1}


ALIGNED = egonet.encode(PATH, 1, labels=["x", "y", "z"])["a"]


@pytest.mark.parametrize(
    "labels",
    [
        {"c": "z", "b": "y", "a": "x"},
        pd.Series(["z", "y", "x"], index=["c", "b", "a"]),
        pd.Series(["z", "y", "x"], index=["c", "b", "a"], dtype="category"),
        pd.DataFrame({"kind": ["z", "y", "x"]}, index=["c", "b", "a"]),
        pd.DataFrame({"id": ["c", "b", "a"], "kind": ["z", "y", "x"]}),
        pl.DataFrame({"kind": ["z", "y", "x"], "node": ["c", "b", "a"]}),
        pa.table({"node": ["c", "b", "a"], "kind": ["z", "y", "x"]}),
    ],
    ids=["dict", "series", "category", "indexed frame", "pandas", "polars", "arrow"],
)
def test_labels_are_aligned_by_id(labels):
    assert egonet.encode(PATH, 1, labels=labels)["a"] == ALIGNED


@pytest.mark.parametrize(
    "labels",
    [iter("xyz"), {0: "x", 1: "y", 2: "z"}.values(), pl.Series(["x", "y", "z"])],
    ids=["iterator", "values", "polars series"],
)
def test_labels_without_ids_are_in_row_order(labels):
    assert egonet.encode(PATH, 1, labels=labels)["a"] == ALIGNED


def test_labels_must_name_every_node_and_no_other():
    with pytest.raises(InputError, match="1 of 3 are missing, first 'c'"):
        egonet.encode(PATH, 1, labels=pd.Series(["x", "y"], index=["a", "b"]))
    with pytest.raises(InputError, match="1 of 4 ids are not in it, first 'd'"):
        egonet.encode(PATH, 1, labels=pd.Series(list("xyzw"), index=list("abcd")))
    with pytest.raises(InputError, match=r"3 of 3 are missing.*The ids of labels are 0, 1, 2"):
        egonet.encode(PATH, 1, labels=pd.Series(list("xyz")))
    with pytest.raises(InputError, match="name every node once, got 'a' twice"):
        egonet.encode(PATH, 1, labels=pd.Series(list("xyz"), index=list("aab")))
    with pytest.raises(InputError, match="must have a column 'node' or 'id' and one column of labels"):
        egonet.encode(PATH, 1, labels=pd.DataFrame({"who": list("abc"), "kind": list("xyz")}))


def test_lists_of_graphs_take_labels_by_id_per_graph():
    parts = [pd.Series(list("zyx"), index=list("cba")), {"a": "x", "b": "y", "c": "z"}]

    both = egonet.encode([PATH, PATH], 1, labels=parts)

    assert both.part(0)["a"] == both.part(1)["a"] == ALIGNED
    with pytest.raises(InputError, match="got one mapping or table for 2 graphs"):
        egonet.encode([PATH, PATH], 1, labels=parts[0])


def test_roots_and_node_encoder_align_labels_by_id():
    labels = pd.Series(list("zyx"), index=list("cba"))
    encoder = NodeEncoder(PATH, 1, labels=labels)

    assert egonet.encode(PATH, 1, roots=["a"], labels=labels)["a"] == ALIGNED
    assert encoder.fit_transform(["a"]).sum() == 2
    assert "r1_d0_deg1_labelx" in encoder.get_feature_names_out()
    with pytest.raises(InputError, match="ids are not in it, first 'd'"):
        NodeEncoder(PATH, 1, labels=pd.Series(list("zyxw"), index=list("cbad"))).fit(["a"])


def test_node_encoder_reads_an_iterator_of_labels_once():
    encoder = NodeEncoder(PATH, 1, labels=iter("xyz"))

    assert encoder.fit(["a"]).transform(["a"]).sum() == 2


def test_number_and_text_labels_have_different_names():
    names = egonet.encode([(0, 1)], 0, labels=[1, "1"]).feature_names

    assert names == ["r0_d0_deg1_label1", "r0_d0_deg1_label'1'"]
    names = egonet.encode([(0, 1), (1, 2)], 0, labels=["1", "-0", "7A"]).feature_names
    assert names == ["r0_d0_deg1_label1", "r0_d0_deg1_label7A", "r0_d0_deg2_label-0"]


@pytest.mark.parametrize("labels", [[True, 1, 0], [1, np.True_, 2]])
def test_labels_must_not_mix_booleans_and_numbers(labels):
    with pytest.raises(InputError, match="must not mix booleans and numbers, got True and"):
        egonet.encode(PATH, 1, labels=labels)


def test_boolean_labels_do_not_fit_a_vocabulary_of_numbers():
    learned = egonet.encode(PATH, 0, labels=[0, 1, 1])

    with pytest.raises(InputError, match="must not mix booleans and numbers"):
        egonet.encode(PATH, vocabulary=learned, labels=[False, True, True])
    with pytest.raises(InputError, match="must not mix booleans and numbers"):
        learned.update(added=[("a", "d")], labels={"d": True})


def test_boolean_labels_keep_their_name():
    names = egonet.encode(PATH, 0, labels=np.array([True, False, True])).feature_names

    assert names == ["r0_d0_deg1_labelTrue", "r0_d0_deg2_labelFalse"]


@pytest.mark.parametrize("make", [list, np.array, lambda labels: dict(zip("abc", labels, strict=True))])
def test_label_with_a_lone_surrogate_raises(make):
    said = r"^labels must be text that UTF-8 can encode, got 'C\\udcff'\. Decode the input again"
    with pytest.raises(InputError, match=said):
        encode(PATH, 1, labels=make(["C", "C\udcff", "N"]))


def test_id_column_of_a_table_of_labels_may_be_capitalized():
    table = pd.DataFrame({"Id": ["y", "x"], "kind": ["N", "C"]})

    encoding = egonet.encode([("x", "y")], 0, labels=table)
    assert encoding["x"] == {(0, 1, "C"): 1}


def test_pairs_have_no_attribute_of_nodes():
    with pytest.raises(InputError, match=r"pairs of node ids have none\. Give a mapping from id to label"):
        egonet.encode([("x", "y")], 0, labels="kind")


def test_a_view_of_networkx_names_the_attribute():
    path = networkx.path_graph(3)
    networkx.set_node_attributes(path, dict(enumerate("CNC")), "kind")

    found = egonet.encode(path, radius=0, labels=path.nodes(data="kind"))

    assert [found[node] for node in range(3)] == EXPECTED
    for every in (path.nodes(data=True), path.nodes):
        with pytest.raises(InputError, match=r'one attribute of the nodes, .* graph\.nodes\(data="kind"\)'):
            egonet.encode(path, radius=0, labels=every)


def test_settings_of_an_encoding_with_labels_learn_names_again():
    settings = encode([(0, 1)], 1, labels=["C", "N"]).settings

    assert encode([(0, 1)], settings, labels=["C", "C"]).vocabulary.labels == ("C",)


def test_an_unseen_label_is_shown_by_its_name():
    learned = egonet.encode([("a", "b")], 1, labels={"a": "p", "b": "p"})
    found = egonet.encode([("a", "b")], vocabulary=learned, labels={"a": "z", "b": "q"}, unseen="ignore")

    assert found.unseen.example == ("a", (0, 1, "z"))
    assert found.vocabulary.labels == ("p",)
    typed = egonet.encode([("a", "b")], 1, edge_labels=["p"])
    with pytest.raises(InputError, match=r"first at node 'a': \(1, 2, 'q'\)"):
        egonet.encode([("a", "b")], vocabulary=typed, edge_labels=["q"], unseen="error")


def test_an_unseen_label_of_a_pair_a_query_and_a_histogram_is_shown_by_its_name():
    path, kinds = [("a", "b"), ("b", "c"), ("a", "c")], {"a": "p", "b": "p", "c": "p"}
    others = kinds | {"b": "q"}
    pairs = egonet.encode_pairs(path, [("a", "c")], 1, labels=kinds)
    found = egonet.encode_pairs(path, [("a", "c")], vocabulary=pairs.vocabulary, labels=others)
    assert found.unseen.example == (("a", "c"), (1, 1, 2, "q"))

    events = [("a", "b", 1)]
    encoder = egonet.TemporalEncoder(events, 1, labels=kinds).fit([("a", 2)])
    encoder.set_params(labels=others)
    assert encoder.count_unseen([("a", 2)]).example == ("a", (1, 1, "q"))

    nested = egonet.encode(path, 1, labels=kinds, common=True)
    with pytest.raises(InputError, match="'q'"):
        egonet.encode(path, vocabulary=nested, labels=others, unseen="error")


def test_missing_labels_are_counted():
    labels = pd.Series(["x", None, "y", float("nan")], index=list("abcd"), dtype=object)

    with pytest.raises(
        InputError, match=r"labels must not be missing: 2 of 4 are, first at 1, 3 \(counted from 0\)"
    ):
        egonet.encode([("a", "b"), ("c", "d")], radius=1, labels=labels)


def test_text_is_quoted_only_where_a_number_reads_alike():
    twins = encode(PATH, 0, labels={"a": 1, "b": "b", "c": "1"})
    assert twins.feature_names == ["r0_d0_deg1_label1", "r0_d0_deg1_label'1'", "r0_d0_deg2_labelb"]

    apart = encode(PATH, 0, labels={"a": 1, "b": "2", "c": "x"})
    assert apart.feature_names == ["r0_d0_deg1_label1", "r0_d0_deg1_labelx", "r0_d0_deg2_label2"]
