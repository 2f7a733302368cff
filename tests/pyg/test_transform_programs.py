"""Random programs of calls on transforms of PyG, failing calls included, against a transform that is made anew."""

import copy
import pickle
import shutil
import warnings
from pathlib import Path
from tempfile import mkdtemp

import pytest
import torch
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule
from torch_geometric.data import Batch, Data

import egonet
from egonet.errors import EgonetError, IgnoredInputWarning, UnseenWarning

#: How many programs run, and how many calls each has at most.
PROGRAMS, STEPS = 15, 20
SIZE = 6
EDGES = st.lists(
    st.tuples(st.integers(0, SIZE - 1), st.integers(0, SIZE - 1)).filter(lambda edge: edge[0] != edge[1]),
    min_size=1,
    max_size=8,
)


def data_of(edges):
    """Return a graph with both directions of every edge, and pairs to predict."""
    pairs = sorted({arc for edge in edges for arc in (edge, edge[::-1])})
    index = torch.tensor(pairs).T.contiguous()
    return Data(edge_index=index, num_nodes=SIZE, edge_label_index=torch.tensor([[0, 1, 2], [5, 4, 3]]))


TRAINING = [data_of([(0, 1), (1, 2), (2, 0), (2, 3)]), data_of([(0, 1), (2, 3), (3, 4), (4, 5)])]
#: Every transform, and the attributes that it writes.
MAKE = {
    "nodes": (lambda: egonet.AddEgoEncoding(radius=(1, 2), max_degree=3), ("ego_encoding",)),
    "nodes, learned": (
        lambda: egonet.AddEgoEncoding.from_dataset(TRAINING, radius=1, degrees="full", weighting="log"),
        ("ego_encoding",),
    ),
    "nodes, ranks": (
        lambda: egonet.AddEgoEncoding.from_dataset(
            TRAINING, radius=1, degree_bins="quantile", weighting="rank"
        ),
        ("ego_encoding",),
    ),
    "edges": (lambda: egonet.AddEdgeEncoding(radius=1, max_degree=3), ("edge_encoding",)),
    "edges, learned": (
        lambda: egonet.AddEdgeEncoding.from_dataset(TRAINING, 1, degrees="layered", ends_distance=4),
        ("edge_encoding",),
    ),
    "pairs": (lambda: egonet.AddPairEncoding(radius=(1, 2), max_degree=3), ("pair_encoding",)),
    "molecules": (
        lambda: egonet.AddMoleculeEncoding(walk_length=3, longest=5),
        ("atom_encoding", "bond_encoding"),
    ),
}


class TransformProgram(RuleBasedStateMachine):
    """Graphs, batches, failures, files, pickle and copies of one transform; the model is a new one."""

    def __init__(self):
        super().__init__()
        self.folder = Path(mkdtemp())

    def teardown(self):
        shutil.rmtree(self.folder)

    @initialize(name=st.sampled_from(sorted(MAKE)))
    def begin(self, name):
        self.make, self.written = MAKE[name]
        self.transform = self.make()

    def compare(self, data):
        before = {key: value.clone() if hasattr(value, "clone") else value for key, value in data.items()}
        found, expected = self.transform(data), self.make()(copy.copy(data))
        for key in self.written:
            assert torch.equal(found[key], expected[key]), key
        for key, value in before.items():
            assert torch.equal(data[key], value) if hasattr(value, "dtype") else data[key] == value, key
        return found

    @rule(edges=EDGES)
    def apply(self, edges):
        self.compare(data_of(edges))

    @rule(first=EDGES, second=EDGES)
    def apply_to_a_batch(self, first, second):
        parts = [data_of(first), data_of(second)]
        found = self.transform(Batch.from_data_list(parts))
        for key in self.written:
            assert torch.equal(found[key], torch.cat([self.make()(part)[key] for part in parts])), key

    @rule(
        bad=st.sampled_from(
            [
                None,
                "data",
                Data(num_nodes=3),
                Data(edge_index=torch.tensor([[0.0], [1.0]]), num_nodes=3),
                Data(edge_index=torch.tensor([[0], [7]]), num_nodes=3),
                Data(edge_index=torch.tensor([[0], [-1]]), num_nodes=3),
            ]
        )
    )
    def fail_to_apply(self, bad):
        with pytest.raises(EgonetError):
            self.transform(bad)

    @rule(how=st.sampled_from(["pickle", "copy", "file"]))
    def go_through(self, how):
        if how == "file":
            self.transform.save(self.folder / "transform.json")
            self.transform = type(self.transform).load(self.folder / "transform.json")
        else:
            again = pickle.loads(pickle.dumps(self.transform))
            self.transform = again if how == "pickle" else copy.deepcopy(self.transform)


def test_programs_of_calls_give_what_a_new_transform_gives():
    from hypothesis.stateful import run_state_machine_as_test

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IgnoredInputWarning)
        warnings.simplefilter("ignore", UnseenWarning)
        run_state_machine_as_test(
            TransformProgram,
            settings=settings(
                max_examples=PROGRAMS, stateful_step_count=STEPS, deadline=None, report_multiple_bugs=False
            ),
        )


MACHINES = [TransformProgram]
