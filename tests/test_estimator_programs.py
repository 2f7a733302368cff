"""Random programs of calls on every estimator that has rows, failing calls included, against an estimator made anew."""

import copy
import pickle
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

import egonet
from egonet.errors import EgonetError

#: How many programs run, and how many calls each has at most.
PROGRAMS, STEPS = 20, 12
EDGES = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 5), (5, 3), (5, 6), (6, 7), (7, 0)]
GRAPH = egonet.as_graph(EDGES)
OTHER = egonet.as_graph([*EDGES, (1, 4), (0, 6)])
SMALL = [
    [(0, 1), (1, 2)],
    [(0, 1), (1, 2), (2, 0)],
    [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a"), ("a", "c")],
    egonet.named.cycle(5),
    egonet.named.path("abcdef"),
]
SMILES = ["CCO", "c1ccccc1", "N(C)(C)C", "C(N)(N)=N", "CC(=O)O", "O"]


@dataclass(frozen=True)
class Kind:
    """One estimator: values of its parameters (the first is the first value), what it reads, and what it refuses."""

    make: Any
    params: dict[str, tuple[Any, ...]]
    entries: tuple[Any, ...]
    bad: tuple[Any, ...]
    method: str = "transform"
    fit_reads: bool = True
    bad_params: tuple[tuple[str, Any], ...] = (("radius", -1), ("radius", "2"), ("unseen", "drop"))


COLUMNS = {
    "radius": (1, 2, (1, 2)),
    "unseen": ("clip", "ignore", "error"),
    "weighting": ("count", "log", "paper"),
}
PAIRS = tuple((u, v) for u in range(8) for v in range(8) if u != v)
BAD_PAIRS = ([], [(0,)], [(0, None)], [("0", 1)], [(0, 1, 2)], [(1.5, 2)])


def make_node_encoder(**params: Any) -> Any:
    return egonet.NodeEncoder(GRAPH, **params)


def make_pair_encoder(**params: Any) -> Any:
    return egonet.PairEncoder(GRAPH, **params)


def make_edge_encoder(**params: Any) -> Any:
    return egonet.EdgeEncoder(GRAPH, **params)


def make_embedding(**params: Any) -> Any:
    from egonet.embeddings.skipgram import Training, Walks

    return egonet.EgoEmbedding(
        GRAPH, walks=Walks(per_node=1, length=5), training=Training(epochs=1), random_state=0, **params
    )


def make_predictor(**params: Any) -> Any:
    return egonet.links.LinkPredictor(model="linear", radius=1, **params)


KINDS = {
    "nodes": Kind(
        make_node_encoder,
        COLUMNS | {"degree_rank": (False, True), "degrees": ("total", "full"), "max_degree": (None, 2)},
        tuple(range(8)),
        ([], ["1"], [None], [99], [1.5], "ab"),
    ),
    "pairs": Kind(
        make_pair_encoder,
        COLUMNS
        | {"degrees": ("total", "layered"), "without_edge": (True, False), "ends_distance": (None, 4)}
        | {"ordered": (False, True)},
        PAIRS,
        (*BAD_PAIRS, [(1, 1)]),
    ),
    "edges": Kind(
        make_edge_encoder,
        COLUMNS | {"degrees": ("total", "full"), "ends_distance": (None, 4)},
        PAIRS,
        BAD_PAIRS,
    ),
    "graphs": Kind(
        egonet.GraphEncoder,
        COLUMNS
        | {"aggregate": ("sum", "mean", "max", "classes", "bag"), "wl": (None, 1), "min_count": (1, 2)}
        | {"num_hashed": (None, 16)},
        tuple(map(egonet.as_graph, SMALL)),
        ([None], [[(1.5, 2)]], "ab", [3], 5, [[("0", 1), (0, 1)]]),
    ),
    "molecules": Kind(
        egonet.MoleculeEncoder,
        {
            "radius": (1, 0, 2),
            "values": ("count", "log", "binary"),
            "wl": (None, 1),
            "num_columns": (None, 64),
            "morgan": (None, 1),
            "atom_labels": ("element", "atom", "invariant"),
            "min_count": (1, 2),
        },
        tuple(SMILES),
        (["C1CC"], [None], [3], "CCO", [""]),
        bad_params=(("radius", -1), ("values", "counts"), ("num_columns", 0)),
    ),
    "embeddings": Kind(
        make_embedding,
        {"radius": (1, 2), "dim": (3, 4), "unseen": ("clip", "ignore")},
        tuple(range(8)),
        (["1"], [None], [99], [1.5], "ab"),
        fit_reads=False,
        bad_params=(("radius", -1), ("dim", 0), ("unseen", "drop")),
    ),
    "links": Kind(
        make_predictor,
        {"handle_unknown": ("error", "zero"), "random_state": (0, 1), "prior": (False, True)},
        PAIRS,
        (*BAD_PAIRS, [(1, 1)]),
        method="predict_proba",
        bad_params=(("radius", -1), ("negatives", "far"), ("groups", ("all",))),
    ),
}


def outcome(call: Any) -> Any:
    """Return the rows of a call, or its error."""
    try:
        rows = call()
    except EgonetError as error:
        return type(error).__name__, str(error)
    return rows.toarray() if hasattr(rows, "toarray") else np.asarray(rows)


def error_of(call: Any) -> str | None:
    """Return the error of a call, None if there is none."""
    try:
        call()
    except EgonetError as error:
        return f"{type(error).__name__}: {error}"
    return None


def assert_same(first: Any, second: Any) -> None:
    assert type(first) is type(second), (first, second)
    if isinstance(first, tuple):
        assert first == second
    else:
        np.testing.assert_array_equal(first, second)


class EstimatorProgram(RuleBasedStateMachine):
    """Fits, questions, parameters, files and failures of one estimator; the model is an estimator made anew."""

    kind: Kind

    @initialize()
    def begin(self):
        self.params = {name: values[0] for name, values in self.kind.params.items()}
        self.estimator, self.fitted = self.kind.make(**self.params), None

    def training(self, choice):
        """Return what the estimator learns from."""
        if self.kind.method == "predict_proba":
            return GRAPH if choice % 2 else OTHER
        return [
            self.kind.entries[(choice + 3 * step) % len(self.kind.entries)] for step in range(1 + choice % 4)
        ]

    def model(self):
        """Return a new estimator that went through the same last fit and has the same parameters."""
        params, learned = self.fitted
        return self.kind.make(**params).fit(learned).set_params(**self.params)

    def ask(self, estimator, entries):
        return outcome(lambda: getattr(estimator, self.kind.method)(entries))

    @rule(choice=st.integers(0, 30))
    def fit(self, choice):
        learned = self.training(choice)
        anew = error_of(lambda: self.kind.make(**self.params).fit(learned))
        assert error_of(lambda: self.estimator.fit(learned)) == anew
        if anew is None:  # parameters that exclude each other are an error, and nothing is learned
            self.fitted = dict(self.params), learned

    @rule(data=st.data())
    def fail_to_fit(self, data):
        hashed = self.params.get("num_hashed") or self.params.get("num_columns")
        if not self.kind.fit_reads or hashed:  # hashed columns need no pass over the data
            return
        bad = data.draw(st.sampled_from(self.kind.bad))
        with pytest.raises(EgonetError):
            self.estimator.fit(bad)

    @rule(data=st.data())
    def change(self, data):
        name = data.draw(st.sampled_from(sorted(self.params)))
        self.params[name] = data.draw(st.sampled_from(self.kind.params[name]))
        self.estimator.set_params(**{name: self.params[name]})

    @rule(data=st.data())
    def fit_with_a_bad_parameter(self, data):
        name, value = data.draw(st.sampled_from(self.kind.bad_params))
        before = self.estimator.get_params()[name]
        # another parameter may be wrong, too
        with pytest.raises(EgonetError, match="|".join([name, *self.params])):
            self.estimator.set_params(**{name: value}).fit(self.training(1))
        self.estimator.set_params(**{name: before})

    @precondition(lambda self: self.fitted)
    @rule(data=st.data())
    def compare(self, data):
        entries = data.draw(st.lists(st.sampled_from(self.kind.entries), min_size=1, max_size=4))
        found = self.ask(self.estimator, entries)
        assert_same(found, self.ask(self.model(), entries))
        if not isinstance(found, tuple) and self.kind.method == "transform":
            names = self.estimator.get_feature_names_out()
            assert len(names) == found.shape[1] == len(set(names))
            alone = [self.ask(self.estimator, [entry]) for entry in entries]
            # one row at a time: unseen="error" and warnings aside, rows do not depend on each other
            np.testing.assert_array_equal(np.concatenate(alone), found)

    @precondition(lambda self: self.fitted)
    @rule(data=st.data())
    def fail_to_ask(self, data):
        bad = data.draw(st.sampled_from(self.kind.bad))
        entries = [self.kind.entries[0]]
        before = self.ask(self.estimator, entries)
        if isinstance(bad, list) and not bad:
            return  # no rows are a table of no rows
        with pytest.raises(EgonetError):
            getattr(self.estimator, self.kind.method)(bad)
        assert_same(self.ask(self.estimator, entries), before)

    @rule(how=st.sampled_from(["pickle", "copy", "clone"]))
    def go_through(self, how):
        from sklearn.base import clone

        if how == "clone":
            self.estimator, self.fitted = clone(self.estimator), None
        else:
            again = (
                pickle.loads(pickle.dumps(self.estimator))
                if how == "pickle"
                else copy.deepcopy(self.estimator)
            )
            self.estimator = again


@pytest.mark.parametrize("name", KINDS)
def test_an_estimator_is_as_one_made_anew(name, need):
    need("sklearn")
    if name == "molecules":
        need("rdkit")
    from hypothesis.stateful import run_state_machine_as_test

    program = type(f"Program of {name}", (EstimatorProgram,), {"kind": KINDS[name]})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run_state_machine_as_test(
            program,
            settings=settings(
                max_examples=PROGRAMS, stateful_step_count=STEPS, deadline=None, report_multiple_bugs=False
            ),
        )
