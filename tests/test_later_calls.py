"""The rules for data from call to call: types do not drift, a failed call changes nothing, and a batch may be split."""

import shutil
from itertools import product

import numpy as np
import pandas as pd
import polars as pl
import pyarrow
import pytest

import egonet
from egonet.distributed import RowBatches
from egonet.embeddings.skipgram import Training, Walks
from egonet.errors import EgonetError, IgnoredInputWarning, InputError, UnseenWarning
from egonet.links.predictor import LinkPredictor
from egonet.sklearn.edges import EdgeEncoder
from egonet.sklearn.embedding import EgoEmbedding
from egonet.sklearn.events import EventEncoder
from egonet.sklearn.graphs import GraphEncoder
from egonet.sklearn.nodes import NodeEncoder
from egonet.sklearn.pairs import PairEncoder
from egonet.sklearn.temporal import TemporalEncoder
from egonet.temporal.stream import Stream

PATH = [(1, 2), (2, 3), (3, 4)]
FAST = {"training": Training(epochs=1), "walks": Walks(length=4)}
BIG = 2**53


def dense(rows):
    return rows.toarray() if hasattr(rows, "toarray") else np.asarray(rows)


# --- two graphs, files or batches in sequence with differing types ---


@pytest.mark.parametrize("values", [{"labels": [[7, 8], ["7", "8"]]}, {"edge_labels": [[7], ["7"]]}])
@pytest.mark.parametrize(
    "call",
    [
        lambda pair, **values: egonet.compare(*pair, radius=1, **values),
        lambda pair, **values: egonet.explain_graphs(*pair, 1, **values),
        lambda pair, **values: egonet.equivalent(*pair, test="1-wl", **values),
        lambda pair, **values: egonet.encode([egonet.as_graph(each) for each in pair], radius=1, **values),
    ],
    ids=["compare", "explain_graphs", "equivalent", "encode"],
)
def test_a_label_that_is_a_number_in_one_graph_and_text_in_another_is_refused(call, values):
    with pytest.raises(InputError, match=r"the label 7 of one graph is '7' in another"):
        call([[(0, 1)], [(0, 1)]], **values)


@pytest.mark.parametrize("values", [{"labels": [[True, False], [1, 0]]}, {"edge_labels": [[True], [1]]}])
def test_true_in_one_graph_is_not_1_in_another(values):
    with pytest.raises(InputError, match="since True equals 1"):
        egonet.compare([(0, 1)], [(0, 1)], radius=1, **values)


def test_true_is_no_end_of_an_edge_that_has_a_value():
    match = r"pairs of node ids as keys, got \(True, 2\)"

    with pytest.raises(InputError, match=match):
        egonet.encode([(0, 1), (1, 2)], radius=1, edge_labels={(0, 1): "a", (True, 2): "b"})
    with pytest.raises(InputError, match=match):
        egonet.ring_statistics([(0, 1), (1, 2)], {(0, 1): 1.0, (True, 2): 2.0}, 1, on="edges")


def test_types_of_events_do_not_drift_from_batch_to_batch():
    encoder = EventEncoder(types="kind", windows=(None,)).fit([("a", "b", 1, 7)])
    late = [("a", "b", 2 + row, f"other{row}") for row in range(1500)]

    with pytest.raises(InputError, match=r"types have 7 in the history and '7' in the new events, row 1500"):
        encoder.transform([*late, ("a", "b", 2000, "7")])
    flags = EventEncoder(types="kind", windows=(None,)).fit([("a", "b", 1, True)])
    for call in (flags.transform, flags.partial_fit_transform):
        with pytest.raises(InputError, match="since True equals 1"):
            call([("a", "b", 2, 1)])
    with pytest.raises(InputError, match="since True equals 1"):
        EventEncoder(types="kind", windows=(None,)).fit([("a", "b", 1, True), ("a", "b", 2, 1)])


def test_ids_of_batches_have_the_type_of_the_graph():
    for call in (
        lambda: RowBatches(PATH, radius=1)(["1"]),
        lambda: RowBatches(PATH, radius=1, pairs=True, handle_unknown="zero")([("1", "3")]),
    ):
        with pytest.raises(InputError, match="no node '1', but it has 1"):
            call()


def test_queries_of_nodes_are_text_if_the_events_are_read_as_text():
    encoder = EventEncoder(ids="text", windows=(None,), groups=("ends",)).fit([(1, 2, 1)])

    assert encoder.transform_nodes([(1, 3)])[0, 0] == encoder.transform_nodes([("1", 3)])[0, 0] == 1


def test_types_that_a_vocabulary_does_not_have_are_shown_by_name_and_stay_apart():
    columns = egonet.encode([("a", "b")], radius=1, edge_labels=["s"]).vocabulary
    stream = Stream(vocabulary=columns, edge_labels="kind", unseen="ignore")
    stream.add([("a", "b", 1, "q")])
    stream.add([("a", "c", 2, "r"), ("a", "d", 3, "s")])
    expected = egonet.encode(
        [("a", "b"), ("a", "c"), ("a", "d")], vocabulary=columns, edge_labels=["q", "r", "s"], unseen="ignore"
    )

    assert dense(stream.features(list("abcd"), time=9).matrix).tolist() == dense(expected.matrix).tolist()
    strict = Stream(vocabulary=columns, edge_labels="kind", unseen="error")
    strict.add([("a", "b", 1, "q")])
    with pytest.raises(InputError, match="'q'"):
        strict.features(["a"], time=2)


@pytest.mark.parametrize("package", ["networkx", "igraph"])
def test_a_number_and_its_text_are_refused_in_graphs_of_other_packages(package):
    if package == "networkx":
        import networkx

        graph = networkx.Graph([(1, 2), ("1", 3)])
    else:
        import igraph

        graph = igraph.Graph([(0, 1), (1, 2)])
        graph.vs["name"] = [1, "1", 2]

    with pytest.raises(InputError, match=r"1 as a number and '1' as text"):
        egonet.as_graph(graph)


# --- objects after a failed call ---


def links_of(pairs=None):
    return LinkPredictor(model="linear").fit(egonet.named.karate_club(), *([] if pairs is None else pairs))


FITTED = {
    "NodeEncoder": (
        lambda: NodeEncoder(PATH, 1, handle_unknown="error").fit([1, 2]),
        lambda each: each.fit([77]),
        lambda each: each.transform([1, 2]),
    ),
    "PairEncoder": (
        lambda: PairEncoder(PATH, 1, handle_unknown="error").fit([(1, 3)]),
        lambda each: each.fit([(77, 1)]),
        lambda each: each.transform([(1, 3)]),
    ),
    "EdgeEncoder": (
        lambda: EdgeEncoder(radius=1).fit(pd.DataFrame({"source": ["a", "b"], "target": ["b", "c"]})),
        lambda each: each.fit(pd.DataFrame({"source": ["a", None], "target": ["b", "c"]})),
        lambda each: each.transform(pd.DataFrame({"source": ["a", "b"], "target": ["b", "c"]})),
    ),
    "GraphEncoder": (
        lambda: GraphEncoder(1, wl=1).fit([egonet.as_graph(PATH)]),
        lambda each: each.fit([egonet.as_graph(PATH), None]),
        lambda each: each.transform([egonet.as_graph(PATH)]),
    ),
    "TemporalEncoder": (
        lambda: TemporalEncoder([("a", "b", 1)], 1).fit([("a", 2)]),
        lambda each: each.fit([("a", None)]),
        lambda each: each.transform([("a", 2)]),
    ),
    "EventEncoder": (
        lambda: EventEncoder(windows=(None,)).fit([("a", "b", 1)]),
        lambda each: each.fit([("a", "b", None)]),
        lambda each: each.transform([("a", "b", 2)]),
    ),
    "EgoEmbedding": (
        lambda: EgoEmbedding(PATH, 1, dim=2, random_state=0, **FAST).fit(),
        lambda each: each.set_params(unseen="nonsense").fit(),
        lambda each: each.set_params(unseen="clip").transform([1, 2]),
    ),
    "LinkPredictor": (
        links_of,
        lambda each: each.fit([(0, 1), (1, 2)], [(0, 1), (0, 2)], [True, True]),
        lambda each: each.predict_proba([(0, 9)]),
    ),
}


@pytest.mark.parametrize("name", FITTED)
def test_a_fit_that_fails_leaves_the_estimator_as_it_was(name):
    make, fail, rows = FITTED[name]
    fitted = make()
    before = dense(rows(fitted))

    with pytest.raises(EgonetError):
        fail(fitted)

    np.testing.assert_array_equal(dense(rows(fitted)), before)


def test_sums_of_amounts_that_would_be_rounded_are_refused_and_nothing_is_added():
    encoder = EventEncoder(amount="amount", windows=(None,)).fit([("a", "b", 1, BIG - 2)])

    for events in ([("a", "c", 2, 7)], [("a", "c", 2, 1), ("a", "d", 3, 7)]):
        with pytest.raises(InputError, match=r"sums of amounts must stay below 2\*\*53"):
            encoder.partial_fit_transform(events)
        assert (encoder.history_.num_events, encoder.history_.num_nodes, encoder.history_.clock) == (1, 2, 1)
    others = encoder.partial_fit_transform([("x", "y", 2, 5)])
    assert others.shape[0] == 1
    assert encoder.history_.num_events == 2


# --- one batch split in two ---


def test_large_amounts_give_the_same_rows_one_by_one_and_at_once():
    events = [("x", "y", 2, 5), ("x", "z", 3, 1), ("y", "x", 4, BIG - 9)]
    first, second = (
        EventEncoder(amount="w", windows=(None,)).fit([("a", "b", 1, BIG - 2)]) for _ in range(2)
    )

    np.testing.assert_array_equal(
        first.partial_fit_transform(events),
        np.vstack([second.partial_fit_transform([event]) for event in events]),
    )


def test_scores_of_pairs_do_not_depend_on_the_other_pairs():
    club = egonet.named.karate_club()
    pairs = [(0, 9), (0, 14), (1, 32), (5, 20)]

    alone = np.concatenate([egonet.links.predict(club, [pair]) for pair in pairs])

    np.testing.assert_array_equal(egonet.links.predict(club, pairs), alone)


def test_rows_of_a_batch_of_nodes_do_not_depend_on_the_other_nodes():
    rows = RowBatches(PATH, egonet.encode(PATH, radius=1))

    assert pyarrow.concat_tables([rows([1, 2]), rows([3, 4])]).equals(rows([1, 2, 3, 4]))


# --- unknown nodes ---


@pytest.mark.parametrize("columns", [True, False])
def test_unknown_nodes_of_a_batch_are_isolated_nodes(columns):
    isolated = egonet.as_graph(PATH, nodes=[1, 2, 3, 4, 77])
    vocabulary = egonet.encode(isolated, radius=1) if columns else None
    options = {} if columns else {"radius": 1}
    rows = RowBatches(PATH, vocabulary, handle_unknown="zero", **options)

    assert rows([77, 1, 3]).equals(RowBatches(isolated, vocabulary, **options)([77, 1, 3]))
    with pytest.raises(EgonetError, match="handle_unknown"):
        RowBatches(PATH, radius=1)([77])
    with pytest.warns(UnseenWarning, match="2 of 3 nodes are not in the graph"):
        rows([77, 78, 1])
    with pytest.raises(InputError, match="handle_unknown"):
        RowBatches(PATH, radius=1, handle_unknown="nonsense")
    pairs = RowBatches(PATH, radius=1, pairs=True, handle_unknown="zero")
    assert pairs([(77, 1), (1, 3)]).num_rows == 2


@pytest.mark.parametrize("weighting", ["paper", "count", "rank"])
def test_unknown_nodes_have_the_vector_of_an_isolated_node(weighting):
    graph = egonet.as_graph([(0, 1), (1, 2)], num_nodes=4)
    encoder = EgoEmbedding(
        graph, 1, dim=2, random_state=0, weighting=weighting, handle_unknown="zero", **FAST
    )
    vectors = encoder.fit().transform([0, 3, 99, 1])

    np.testing.assert_allclose(vectors[2], vectors[1])
    np.testing.assert_array_equal(vectors[[0, 3]], encoder.transform([0, 1]))
    with pytest.raises(InputError, match="'1'"):
        encoder.transform(["1"])
    with pytest.warns(UnseenWarning):
        encoder.transform([98, 99, 1])
    with pytest.raises(EgonetError, match="handle_unknown"):
        encoder.set_params(handle_unknown="error").transform([99])
    with pytest.raises(InputError, match="handle_unknown"):
        encoder.set_params(handle_unknown="nonsense").fit()


def test_an_unknown_node_has_no_recommendations():
    predictor = LinkPredictor(model="zero-shot", handle_unknown="zero").fit(egonet.named.karate_club())

    found = predictor.recommend([3, 99], k=2)

    assert found[99] == []
    assert found[3] == predictor.recommend(3, k=2)
    with pytest.raises(EgonetError, match="99"):
        predictor.set_params(handle_unknown="error").recommend([3, 99])
    with pytest.raises(EgonetError, match=r"no node '3'\. Did you mean 3"):
        predictor.recommend("3")


# --- missing values and containers ---


@pytest.mark.parametrize(
    "labels",
    [
        ["x", None],
        np.array(["x", None], dtype=object),
        pd.array([1, None], dtype="Int64"),
        pd.Series(["x", None], dtype="string"),
        pl.Series([1, None]),
    ],
    ids=["list", "array", "Int64", "string", "polars"],
)
def test_missing_labels_in_row_order_are_counted(labels):
    with pytest.raises(InputError, match=r"must not be missing: 1 of 2 are, first at 1"):
        egonet.encode([(0, 1)], radius=1, labels=labels)


def test_columns_of_arrow_are_columns_of_ids():
    encoder = NodeEncoder([("a", "b"), ("b", "c")], 1).fit(["a"])
    expected = dense(encoder.transform(["a", "b"]))

    for ids in (
        pyarrow.table({"id": ["a", "b"]}),
        pyarrow.array(["a", "b"]),
        pyarrow.chunked_array([["a"], ["b"]]),
    ):
        np.testing.assert_array_equal(dense(encoder.transform(ids)), expected)


@pytest.mark.parametrize("policy", ["error", "zero", "warn"])
def test_a_missing_id_is_named_as_missing_whatever_unknown_nodes_are(policy):
    options = {"handle_unknown": policy}
    table = [("a", "b", 1)]
    encoding = egonet.encode(PATH, 1)
    takers = {
        "NodeEncoder": NodeEncoder(PATH, 1, **options).fit([1, 2]).transform,
        "EgoEmbedding": EgoEmbedding(PATH, 1, dim=2, random_state=0, **options, **FAST).fit().transform,
        "RowBatches": RowBatches(PATH, radius=1, **options),
        "LinkPredictor": LinkPredictor(model="zero-shot", **options).fit(PATH).recommend,
        "roots": lambda ids: egonet.encode(PATH, 1, roots=ids),
        "Stream": lambda ids: egonet.Stream(1).features(ids, time=1),
        "TemporalEncoder": lambda ids: (
            TemporalEncoder(table, 1, **options).fit([("a", 2)]).transform([(node, 2) for node in ids])
        ),
        "PairEncoder": lambda ids: (
            PairEncoder(PATH, 1, **options).fit([(1, 2)]).transform([(1, node) for node in ids])
        ),
        "join": lambda ids: encoding.join(
            pd.DataFrame({"id": ids}), on="id", handle_unknown="error" if policy == "warn" else policy
        ),
    }
    for name, taker in takers.items():
        for missing in (None, np.nan, pd.NaT, ""):
            ids = pd.Series([2, missing, 3, missing], dtype=object).tolist()
            with pytest.raises(InputError, match=r"2 of 4 rows have a missing id") as raised:
                taker(ids)
            assert "1 (counted from 0)" in str(raised.value), name
            assert "3 (counted from 0)" in str(raised.value), name


@pytest.mark.parametrize("word", ["", "NULL", "nan", "\\N"])
def test_words_for_no_value_are_missing_in_files_of_events_too(tmp_path, word):
    path = tmp_path / "events.csv"
    path.write_text(f"source,target,time,kind,amount\na,b,1,x,2\nb,c,2,{word},3\n")
    encoder = EventEncoder(types="kind", amount="amount", windows=(None,))

    with pytest.raises(InputError, match="every event must have a type, 1 of 2 have none"):
        encoder.fit(path)
    with pytest.warns(IgnoredInputWarning, match="1 row with a missing value is left out"):
        assert encoder.set_params(missing="drop").fit(path).history_.num_events == 1


def test_statistics_of_rings_are_an_array_too():
    found = egonet.ring_statistics([(0, 1)], [1.0, 2.0], 1)

    np.testing.assert_array_equal(np.asarray(found), found.values)
    assert np.asarray(found, dtype=np.float32).dtype == np.float32
    assert len(found) == 2


# --- a reader during an update ---


def test_a_reader_of_a_store_that_was_updated_or_written_again_is_told_to_open_it_again(tmp_path):
    folder = tmp_path / "store"
    path = [(node, node + 1) for node in range(50)]
    readers = []
    egonet.store.encode(path, folder, 1)
    readers.append(egonet.load(folder))
    egonet.store.update(folder, added=[(0, 10)])
    readers.append(egonet.load(folder))
    shutil.rmtree(folder)
    egonet.store.encode([*path, (0, 20)], folder, 1)

    for reader, read in product(readers, (lambda each: each.graph.num_edges, lambda each: each[40])):
        with pytest.raises(EgonetError, match="Open it again"):
            read(reader)


# --- columns of one kind of row, and files, given to another ---

COLUMNS = {
    "node": lambda: egonet.encode(PATH, radius=1).vocabulary,
    "pair": lambda: egonet.encode_pairs(PATH, [(1, 3)], 1).vocabulary,
}
TAKERS = {
    "encode": ("node", lambda known: egonet.encode(PATH, vocabulary=known)),
    "Stream": ("node", lambda known: Stream(vocabulary=known)),
    "AddEgoEncoding": ("node", lambda known: egonet.AddEgoEncoding(vocabulary=known)),
    "RowBatches": ("node", lambda known: RowBatches(PATH, known)),
    "encode_pairs": ("pair", lambda known: egonet.encode_pairs(PATH, [(1, 3)], vocabulary=known)),
    "encode_edges": ("pair", lambda known: egonet.encode_edges(PATH, vocabulary=known)),
    "AddPairEncoding": ("pair", lambda known: egonet.AddPairEncoding(vocabulary=known)),
    "RowBatches of pairs": ("pair", lambda known: RowBatches(PATH, known, pairs=True)),
}


@pytest.mark.parametrize("taker", TAKERS)
@pytest.mark.parametrize("kind", COLUMNS)
def test_columns_of_one_kind_of_row_are_refused_for_another(taker, kind):
    wanted, take = TAKERS[taker]

    if kind == wanted:
        take(COLUMNS[kind]())
        return
    with pytest.raises(InputError, match=f"{kind}"):
        take(COLUMNS[kind]())


@pytest.mark.parametrize("ending", [".npz", ".parquet", ".arrow", ".json"])
def test_files_that_egonet_wrote_have_columns_for_later_calls(tmp_path, ending):
    encoding = egonet.encode(PATH, radius=1, labels={1: 7, 2: 8, 3: 7, 4: 8})
    path = tmp_path / f"columns{ending}"
    (encoding.vocabulary.save if ending == ".json" else encoding.write)(path)

    again = egonet.encode(PATH, vocabulary=path, labels={1: 7, 2: 8, 3: 7, 4: 8})

    np.testing.assert_array_equal(np.asarray(again), np.asarray(encoding))
    with pytest.raises(InputError, match="label '7' is str here, but the vocabulary has 7"):
        egonet.encode(PATH, vocabulary=path, labels={1: "7", 2: "8", 3: "7", 4: "8"})


def test_a_table_of_text_says_why_it_has_no_columns(tmp_path):
    egonet.encode(PATH, radius=1).write(tmp_path / "rows.csv")

    with pytest.raises(EgonetError, match=r"rows\.csv has no settings: text and arrays keep counts alone"):
        egonet.encode(PATH, vocabulary=tmp_path / "rows.csv")


# --- one row at a time of what was silently wrong ---


def test_arrays_and_frames_of_an_encoding_are_its_counts():
    for encoding in (
        egonet.encode(PATH, radius=1),
        egonet.encode_pairs(PATH, [(1, 3)], 1),
        egonet.encode_edges(PATH, 1),
    ):
        expected = encoding.matrix.toarray()
        np.testing.assert_array_equal(np.asarray(encoding), expected)
        np.testing.assert_array_equal(pd.DataFrame(encoding).to_numpy(), expected)


def test_two_graphs_are_only_equivalent_by_a_test_that_is_named():
    with pytest.raises((TypeError, InputError), match="test"):
        egonet.equivalent(egonet.named.rook_4x4(), egonet.named.shrikhande())


@pytest.mark.parametrize("rows", ["nodes", "pairs", "types"])
def test_keys_without_a_column_are_shown_with_names(rows):
    def count(label, **options):
        labels = ["p", label, "p"] if rows != "types" else None
        types = ["p", label] if rows == "types" else None
        if rows == "pairs":
            return egonet.encode_pairs([(0, 1), (1, 2)], [(0, 2)], labels=labels, **options)
        return egonet.encode([(0, 1), (1, 2)], labels=labels, edge_labels=types, **options)

    known = count("p", radius=1).vocabulary

    with pytest.raises(InputError, match="'q'"):
        count("q", vocabulary=known, unseen="error")


def test_an_unknown_id_is_never_answered_with_the_id_of_another():
    payments, policy = [("ann1", "bob"), ("bob", "cid")], {"handle_unknown": "error"}
    for encoder, fitted, asked in (
        (NodeEncoder(payments, 1, **policy), ["ann1"], ["ann2"]),
        (PairEncoder(payments, 1, **policy), [("ann1", "cid")], [("ann2", "bob")]),
        (TemporalEncoder([("ann1", "bob", 1)], 1, **policy), [("ann1", 2)], [("ann2", 3)]),
    ):
        with pytest.raises(EgonetError, match="ann2") as caught:
            encoder.fit(fitted).transform(asked)
        assert "ann1" not in str(caught.value)


def test_pairs_may_name_nodes_without_an_edge():
    numbered = egonet.encode_pairs([(0, 1), (1, 2)], [(0, 5)], 1, num_nodes=6)
    named = egonet.encode_pairs([("a", "b"), ("b", "c")], [("a", "z")], 1, nodes=["a", "b", "c", "z"])

    np.testing.assert_array_equal(np.asarray(numbered), np.asarray(named))


def test_two_pairs_in_an_array_mean_the_same_everywhere():
    pairs = np.array([[0, 2], [1, 3]])
    graph = [(0, 1), (1, 2), (2, 3)]

    expected = np.asarray(egonet.encode_pairs(graph, pairs, 1))

    np.testing.assert_array_equal(dense(PairEncoder(graph, 1).fit_transform(pairs)), expected)
    assert len(egonet.links.predict(graph, pairs)) == 2


@pytest.mark.parametrize(
    "as_array", [pyarrow.array, lambda values: pyarrow.chunked_array([values[:1], values[1:]])]
)
def test_arrays_of_arrow_are_values(as_array):
    pairs, numbers = [(0, 1), (1, 2), (2, 0)], [1, 2, 4]
    names = [str(number) for number in numbers]

    def rows(**options):
        return egonet.encode(pairs, radius=1, **options).to_pandas().to_dict()

    assert rows(labels=as_array(names)) == rows(labels=names)
    assert rows(edge_labels=as_array(numbers)) == rows(edge_labels=numbers)
    assert rows(weights=as_array(numbers), weight_bins=[2]) == rows(weights=numbers, weight_bins=[2])
    assert rows(roots=as_array([2, 1, 0])) == rows(roots=[2, 1, 0])
    for on in ("nodes", "edges"):
        found, expected = (
            egonet.ring_statistics(pairs, values, 1, on=on).values for values in (as_array(numbers), numbers)
        )
        np.testing.assert_array_equal(found, expected)
    with pytest.raises(InputError, match="1 of 3"):
        rows(labels=as_array([*names[:2], None]))
    with pytest.raises(InputError, match="1 of 3"):
        rows(weights=as_array([*numbers[:2], None]), weight_bins=[2])


@pytest.mark.parametrize("keyword", ["labels", "edge_labels"])
@pytest.mark.parametrize("missing", [False, True])
def test_arrays_of_arrow_are_values_of_each_of_two_graphs(keyword, missing):
    pairs, values = [(0, 1), (1, 2), (2, 0)], ["x", "y", None if missing else "x"]

    for call in (
        lambda values: egonet.compare(pairs, pairs, radius=1, **{keyword: values}),
        lambda values: egonet.explain_graphs(pairs, pairs, 1, **{keyword: values}),
        lambda values: egonet.equivalent(pairs, pairs, test="1-wl", **{keyword: values}),
    ):
        if missing:
            with pytest.raises(InputError, match=r"1 of 3|2 of 6"):
                call([pyarrow.array(values)] * 2)
        else:
            assert str(call([pyarrow.array(values)] * 2)) == str(call([values] * 2))


def test_nullable_arrays_are_numbers():
    numbers = pd.array([1, 2], dtype="Int64")

    assert egonet.ring_statistics([(0, 1)], numbers, 1)[0]["d0_sum"] == 1
    assert len(egonet.encode([(0, 1), (1, 2)], radius=1, weights=numbers, weight_bins=[1])) == 3
    with pytest.raises(InputError, match="finite numbers: 1 of 2 are not"):
        egonet.ring_statistics([(0, 1)], pd.array([1, None], dtype="Int64"), 1)


@pytest.mark.parametrize("seed", ["x", -1, 1.5])
def test_a_seed_that_is_none_is_an_error(seed):
    with pytest.raises(InputError, match="rng"):
        egonet.fit_embeddings([(0, 1)], 1, 2, rng=seed)
    with pytest.raises(EgonetError, match="seed"):
        egonet.fit_embeddings([(0, 1)], 1, 2, seed=1)


def test_columns_are_missed_by_the_name_of_the_option():
    typed = egonet.encode([(0, 1), (1, 2)], radius=1, edge_labels=["a", "b"]).vocabulary

    with pytest.raises(InputError, match=r"the vocabulary was learned with edge labels.*edge_labels="):
        egonet.encode([(0, 1), (1, 2)], vocabulary=typed)
    with pytest.raises(InputError, match="weights") as caught:
        egonet.encode([(0, 1)], radius=1, weight_bins="log")
    assert "vocabulary" not in str(caught.value)
