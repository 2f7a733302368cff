"""Rules for data hold from call to call: one test per rule, run through every object that is used again."""

import warnings
from inspect import isfunction, signature

import numpy as np
import pandas as pd
import pytest

import egonet
from contracts.parts import need
from contracts.second_calls import EDGES, IDS, LABELS, OTHER_IDS, SECOND_CALLS, events_of
from egonet.errors import EgonetError, InputError, UnseenWarning

EVERY = pytest.mark.parametrize("call", SECOND_CALLS, ids=lambda call: call.name)


def as_events(edges):
    return [(*edge, time) for time, edge in enumerate(edges)]


def test_every_public_method_that_takes_ids_is_listed():
    """Transforms of PyG take data without ids; `fit` begins again. Class methods make objects."""
    made = [getattr(egonet, name) for name in egonet.__all__ if not name.startswith("Add")]
    made += [getattr(egonet.links, name) for name in egonet.links.__all__]
    made += [egonet.distributed.RowBatches]
    public = {
        f"{each.__name__}.{method}"
        for each in made
        if isinstance(each, type)
        for method in dir(each)
        if (method[0] != "_" or method == "__call__") and method not in ("fit", "fit_transform")
        if takes_ids(getattr(each, method))
    }

    assert public - {call.name for call in SECOND_CALLS} == set(OTHER_IDS)


def takes_ids(method):
    is_ours = isfunction(method) and method.__module__.startswith("egonet")
    return is_ours and not IDS.isdisjoint(signature(method).parameters)


@EVERY
def test_known_ids_are_taken(call):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        call.again(call.first(), [6, 7])


@EVERY
def test_whole_floats_are_the_ids_that_they_are(call):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found, expected = (call.again(call.first(), ids) for ids in ([6.0, np.float32(7)], [6, 7]))

    if isinstance(expected, np.ndarray | list):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("policy", ["zero", "warn", "error"])
def test_whole_floats_are_not_unknown_where_ids_are_their_digits(policy):
    edges = [("1", "2"), ("2", "3")]
    nodes = egonet.NodeEncoder(edges, 1, handle_unknown=policy).fit(["1", "2", "3"])
    pairs = egonet.PairEncoder(edges, 1, handle_unknown=policy).fit([("1", "3")])

    with pytest.raises(EgonetError, match="'1'"):
        nodes.transform(pd.Series([1.0, 2.0]))
    with pytest.raises(EgonetError, match="'1'"):
        pairs.transform(pd.DataFrame({"u": [1.0], "v": [3.0]}))


@EVERY
def test_digits_as_text_are_no_new_nodes_where_ids_are_numbers(call):
    made = call.first()
    before = None if call.state is None else call.state(made)

    with pytest.raises(EgonetError, match=r"'[67]'"):
        call.again(made, ["6", "7"])
    assert before is None or call.state(made) == before


@EVERY
def test_an_unknown_id_is_named_or_has_the_row_of_an_isolated_node(call):
    made = call.first()
    if call.takes_unknown:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            call.again(made, [77, 78])
        return
    with pytest.raises(EgonetError, match=r"\b77\b"):
        call.again(made, [77, 78])


@EVERY
def test_a_refused_call_changes_nothing(call):
    if call.state is None:
        pytest.skip("never changes")
    made = call.first()
    before = call.state(made)

    with pytest.raises(EgonetError):
        call.again(made, [6, None])
    assert call.state(made) == before


#: What applies the columns of a vocabulary to a graph with labels.
APPLY = {
    "encode": lambda known, labels: egonet.encode(EDGES, labels=labels, vocabulary=known),
    "NodeEncoder": lambda known, labels: (
        egonet.NodeEncoder(EDGES, 1, labels=LABELS).fit(np.array([5, 6])).with_graph(EDGES, labels)
    ).transform(np.array([5, 6])),
    "TemporalEncoder": lambda known, labels: (
        egonet.TemporalEncoder(as_events(EDGES), 1, labels=LABELS)
        .fit([(5, 9)])
        .set_params(labels=labels)
        .transform([(5, 9)])
    ),
    "Embedding.encode": lambda known, labels: egonet.fit_embeddings(
        EDGES, 1, 2, labels=LABELS, training=egonet.Training(epochs=1), walks=egonet.Walks(length=4)
    ).encode(EDGES, labels=labels),
}


@pytest.mark.parametrize("apply", APPLY.values(), ids=APPLY)
def test_a_label_that_is_a_number_here_and_text_there_is_an_error(apply):
    texts = {node: str(number) for number, node in enumerate(LABELS)}
    learned = egonet.encode(EDGES, 1, labels=dict(LABELS)).vocabulary

    apply(learned, dict(LABELS))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnseenWarning)
        apply(learned, texts)  # other labels are unseen, no error
    numbers = egonet.encode(EDGES, 1, labels=dict.fromkeys(LABELS, 7)).vocabulary
    with pytest.raises(InputError, match=r"label '7' is str here, but the vocabulary has 7"):
        egonet.encode(EDGES, labels=dict.fromkeys(LABELS, "7"), vocabulary=numbers)


@pytest.mark.parametrize("unseen", ["error", "ignore", "clip"])
def test_unseen_keys_are_treated_alike_by_everything_that_has_columns(unseen):
    """A star of five has degree 4, which a path never has."""
    known = egonet.encode([(0, 1), (1, 2)], 1).vocabulary
    star = [(0, other) for other in range(1, 5)]
    calls = [
        lambda: egonet.encode(star, vocabulary=known, unseen=unseen, roots=[0]).unseen,
        lambda: count_stream(star, known, unseen),
    ]
    for call in calls:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UnseenWarning)
            if unseen == "error":
                with pytest.raises(InputError, match=r"\(0, 4\)"):
                    call()
                continue
            found = call()
        assert (found.num_rows, found.clipped, found.dropped) == (1, unseen == "clip", unseen == "ignore")


def count_stream(edges, vocabulary, unseen):
    stream = egonet.Stream(vocabulary=vocabulary, unseen=unseen, closed="right")
    stream.add(as_events(edges))
    return stream.features([0]).unseen


@pytest.mark.parametrize("parts", [1, 2, 6])
def test_events_in_several_batches_give_the_rows_and_counters_of_one(parts):
    events = events_of([(5, 6), (6, 7), (7, 7), (8, 8), (7, 8), (5, 8)])
    batches = np.array_split(np.arange(len(events)), parts)
    stream = egonet.Stream(1, closed="right")
    encoder = egonet.TemporalEncoder(None, 1)
    for rows in batches:
        stream.add(events.iloc[rows])
        encoder.partial_fit(events.iloc[rows])

    whole = egonet.Stream(1, closed="right")
    whole.add(events)
    assert (stream.num_added, stream.num_loops, stream.num_edges) == (6, 2, 4)
    assert (whole.num_added, whole.num_loops, whole.num_edges) == (6, 2, 4)
    assert stream.features([7])[7] == whole.features([7])[7] == {(0, 2): 1, (1, 1): 2}
    assert encoder.history_.loops_dropped == 2
    assert encoder.transform([(7, 9)]).tolist() == [[1.0, 2.0]]


def test_events_of_an_encoder_in_several_batches_give_the_rows_of_one():
    events = events_of([(5, 6), (6, 7), (7, 7), (7, 8), (5, 8)])
    whole = np.asarray(egonet.EventEncoder(windows=(None,)).fit_transform(events))
    encoder = egonet.EventEncoder(windows=(None,))
    rows = [np.asarray(encoder.fit_transform(events.iloc[:2]))]
    rows += [
        np.asarray(encoder.partial_fit_transform(events.iloc[2:4])),
        np.asarray(encoder.partial_fit_transform(events.iloc[4:])),
    ]

    assert np.array_equal(np.concatenate(rows), whole, equal_nan=True)


def test_columns_of_a_table_keep_their_type_between_calls():
    frame = pd.DataFrame({"source": ["5", "6"], "target": ["6", "7"]})
    encoder = egonet.NodeEncoder(frame, 1).fit(["5", "6"])

    with pytest.raises(InputError, match=r"'5'"):
        encoder.transform(np.array([5]))


GRAPHS = [egonet.named.path("abcd"), egonet.named.cycle(3)]
TRAINING = {"training": egonet.Training(epochs=1), "walks": egonet.Walks(length=4), "random_state": 0}
HASHED = {"aggregate": "bag", "num_hashed": 8}


@pytest.mark.parametrize(
    ("made", "data", "changes"),
    [
        (
            lambda: egonet.GraphEncoder(1),
            GRAPHS,
            {"radius": 2, "aggregate": "mean", "wl": 1, "num_hashed": 8, "labeled": True},
        ),
        (
            lambda: egonet.GraphEncoder(1, aggregate="bag"),
            GRAPHS,
            {"radius": 2, "aggregate": "sum", "min_count": 2, "wl": 1},
        ),
        (
            lambda: egonet.GraphEncoder(1, **HASHED),
            GRAPHS,
            {"radius": 2, "num_hashed": 16, "degrees": "full"},
        ),
        (
            lambda: egonet.EgoEmbedding(GRAPHS[0], 1, dim=2, **TRAINING),
            list("ab"),
            {"radius": 2, "dim": 3, "max_degree": 1, "weighting": "count", "random_state": 1},
        ),
        (
            lambda: egonet.EventEncoder(windows=(5,), groups=("ends",)),
            [("a", "b", 1), ("b", "c", 1)],
            {
                "own": False,
                "windows": (3,),
                "groups": ("pair",),
                "order": "time",
                "amount": "amount",
                "late": "error",
            },
        ),
    ],
    ids=["sum", "bag", "hashed", "EgoEmbedding", "EventEncoder"],
)
def test_a_parameter_that_columns_depend_on_cannot_change_after_fit(made, data, changes):
    for name, value in changes.items():
        encoder = made().fit(data)
        encoder.set_params(**{name: value})
        with pytest.raises(InputError, match="was changed after fit"):
            encoder.transform(data)
        again = getattr(made(), name)
        assert encoder.set_params(**{name: again}).transform(data).shape[0] == len(data)


def test_a_changed_parameter_of_events_is_noticed_by_one_event_too():
    encoder = egonet.EventEncoder(windows=(None,), groups=("ends",)).fit([("a", "b", 1)])
    for time in (2, 3):
        encoder.partial_fit_transform([("a", "b", time)])

    encoder.set_params(own=False)

    for call in (encoder.partial_fit_transform, encoder.partial_fit):
        with pytest.raises(InputError, match="own was changed after fit, from True to False"):
            call([("a", "b", 4)])
    with pytest.raises(InputError, match="own was changed after fit"):
        encoder.transform_nodes([("a", 5)])
    assert encoder.history_.num_events == 3
    assert encoder.fit([("a", "b", 1)]).transform([("a", "b", 4)])[0, 0] == 1


@pytest.mark.parametrize("num_columns", [None, 64])
def test_molecules_notice_changed_parameters(num_columns):
    need("rdkit")
    made = egonet.MoleculeEncoder(1, num_columns=num_columns)
    for name, value in {"radius": 2, "atom_labels": "atom", "bonds": False, "morgan": 1, "wl": 1}.items():
        encoder = egonet.MoleculeEncoder(1, num_columns=num_columns).fit(["CCO", "CC=O"])
        with pytest.raises(InputError, match=f"{name} was changed after fit"):
            encoder.set_params(**{name: value}).transform(["CCO"])
    encoder = made.fit(["CCO", "CC=O"]).set_params(handle_unknown="zero", sparse_output=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert encoder.transform(["CCO", None]).toarray().sum(axis=1).tolist() == [6.0, 0.0]


@pytest.mark.parametrize(
    "options", [{"aggregate": "bag"}, {"aggregate": "bag", "wl": 1}, {"aggregate": "classes"}, {}], ids=str
)
@pytest.mark.parametrize("kinds", [(7, "7"), ("7", 7), (True, 1)], ids=str)
def test_types_that_changed_are_an_error_for_rows_of_graphs(options, kinds):
    def graphs(kind):
        return [pd.DataFrame({"source": ["a", "b"], "target": ["b", "c"], "kind": [kind, kind]})]

    typed = egonet.GraphEncoder(1, edge_labels="kind", **options).fit(graphs(kinds[0]))
    labeled = egonet.GraphEncoder(1, labeled=True, **options).fit([(GRAPHS[1], [kinds[0]] * 3)])

    with pytest.raises(InputError, match=r"7|True"):
        typed.transform(graphs(kinds[1]))
    with pytest.raises(InputError, match=r"7|True"):
        labeled.transform([(GRAPHS[1], [kinds[1]] * 3)])


@pytest.mark.parametrize("aggregate", ["bag", "classes"])
def test_graphs_of_encodings_never_seen_are_warned_about(aggregate):
    encoder = egonet.GraphEncoder(1, aggregate=aggregate).fit(GRAPHS)
    others = [egonet.named.complete(6)]

    with pytest.warns(UnseenWarning, match=r"more than half .* 6 of 6 nodes .* never saw"):
        assert encoder.transform(others).sum() == 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        encoder.set_params(unseen="ignore").transform(others)
    with pytest.raises(InputError, match=r"6 of 6 nodes .* unseen=.(ignore|clip)"):
        encoder.set_params(unseen="error").transform(others)


def test_events_without_a_value_are_counted_in_a_warning_everywhere():
    table = pd.DataFrame({"source": ["a", None, "b"], "target": ["b", "c", "c"], "time": [1, 2, None]})
    calls = [
        lambda: egonet.EventEncoder(windows=(None,), missing="drop").fit(table),
        lambda: egonet.EventEncoder(windows=(None,), missing="drop").fit_transform(table),
        lambda: egonet.TemporalEncoder(table, 1, missing="drop").fit([("a", 3)]),
        lambda: egonet.Stream(1).add(table, missing="drop"),
    ]
    for call in calls:
        with pytest.warns(
            egonet.errors.IgnoredInputWarning, match="2 rows with a missing value are left out"
        ):
            call()
