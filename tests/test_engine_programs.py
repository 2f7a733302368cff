"""Random programs of calls on batches of workers, saved columns, stores and transforms, failing calls included."""

import contextlib
import copy
import pickle
import shutil
import warnings
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
import pandas as pd
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

import egonet
from egonet.distributed import RowBatches
from egonet.errors import EgonetError, FileError, IgnoredInputWarning, UnseenWarning

#: How many programs run, and how many calls each has at most.
PROGRAMS, STEPS = 15, 20
NODES = st.integers(0, 7)
EDGES = st.lists(st.tuples(NODES, NODES).filter(lambda edge: edge[0] != edge[1]), min_size=1, max_size=8)
SETTINGS = st.fixed_dictionaries(
    {
        "radius": st.sampled_from([0, 1, 2, (1, 2)]),
        "degrees": st.sampled_from(["total", "layered", "full"]),
        "degree_bins": st.sampled_from([None, "log"]),
    }
)


def graph_of(edges, **keywords):
    return egonet.as_graph(edges, nodes=range(8), simplify=True, **keywords)


class StoreChangedError(Exception):
    """A reader was told that its store has been updated."""


@contextlib.contextmanager
def told_to_open_again(*, may_be):
    """Raise `StoreChangedError` for an error that says so, if the store may have been updated."""
    try:
        yield
    except FileError as error:
        if may_be and "again" in str(error):
            raise StoreChangedError from error
        raise


class Program(RuleBasedStateMachine):
    """A program with a folder of its own."""

    def __init__(self):
        super().__init__()
        self.folder = Path(mkdtemp())

    def teardown(self):
        shutil.rmtree(self.folder)


class BatchProgram(Program):
    """Batches in every form, failing batches, pickle and copies of `RowBatches`; the model is `encode`."""

    @initialize(
        edges=EDGES,
        keywords=SETTINGS,
        kind=st.sampled_from(["memory", "csr", "store"]),
        pairs=st.booleans(),
        has_columns=st.booleans(),
        handle_unknown=st.sampled_from(["error", "zero"]),
    )
    def begin(self, edges, keywords, kind, pairs, has_columns, handle_unknown):
        graph = graph_of(edges)
        self.pairs, self.handle_unknown = pairs, handle_unknown
        self.encode = egonet.encode_pairs if pairs else egonet.encode
        self.graph, self.keywords = graph, keywords
        learned = self.rows([(0, 1), (1, 2), (2, 3)]) if has_columns else None
        self.columns = None if learned is None else learned.vocabulary
        place = graph if kind == "memory" else self.folder / kind
        if kind == "csr":
            egonet.store.write_csr(graph, place)
        if kind == "store":
            egonet.store.encode(graph, place, radius=0)
        options = {} if has_columns else keywords
        self.batches = RowBatches(
            place, self.columns, pairs=pairs, handle_unknown=handle_unknown, threads=2, **options
        )

    def rows(self, ends, **more):
        asked = {"pairs": ends, "handle_unknown": "zero"} if self.pairs else {"roots": [u for u, _ in ends]}
        return self.encode(self.graph, **asked, **self.keywords, **more)

    def expected(self, ends):
        encoding = self.rows(ends, **({} if self.columns is None else {"vocabulary": self.columns}))
        rows = encoding.matrix.toarray().tolist()
        if self.columns is not None:
            return rows
        names = encoding.feature_names
        return [{name: count for name, count in zip(names, row, strict=True) if count} for row in rows]

    @rule(
        ends=st.lists(st.permutations(range(8)).map(lambda order: (order[0], order[1])), max_size=4),
        form=NODES,
    )
    def ask(self, ends, form):
        columns = {"source": [u for u, _ in ends], "target": [v for _, v in ends]}
        if not self.pairs:
            columns = {"node": columns["source"]}
        plain = ends if self.pairs else columns["node"]
        arrays = {name: np.array(values, dtype=np.int64) for name, values in columns.items()}
        batch = (plain, arrays, pd.DataFrame(arrays))[form % 3]
        table = pd.DataFrame(answer) if isinstance(answer := self.batches(batch), dict) else answer
        table = table if isinstance(table, pd.DataFrame) else table.to_pandas()
        assert table[list(columns)].to_numpy().tolist() == [
            list(row) for row in zip(*columns.values(), strict=True)
        ]
        if self.columns is not None:
            found = table.drop(columns=list(columns)).to_numpy().tolist()
        else:
            lists = zip(table["feature"], table["count"], strict=True)
            found = [dict(zip(names, map(int, counts), strict=True)) for names, counts in lists]
        assert found == (self.expected(ends) if ends else [])

    @rule(bad=st.sampled_from([["1"], [None], [1.5], "ab", 5, None, [(1, 2, 3)], {"wrong": [1]}, [True]]))
    def fail_to_ask(self, bad):
        with pytest.raises(EgonetError):
            self.batches(bad)

    @precondition(lambda self: self.handle_unknown == "error")
    @rule()
    def fail_at_an_unknown_node(self):
        with pytest.raises(EgonetError):
            self.batches([(0, 99)] if self.pairs else [99])

    @rule(how=st.sampled_from(["pickle", "copy"]))
    def go_through(self, how):
        self.batches = (
            pickle.loads(pickle.dumps(self.batches)) if how == "pickle" else copy.deepcopy(self.batches)
        )


class ColumnProgram(Program):
    """Columns that go through files, pickle and copies and are used for other graphs; the model is the first ones."""

    @initialize(
        edges=EDGES,
        keywords=SETTINGS,
        labels=st.none() | st.lists(st.sampled_from("xy"), min_size=8, max_size=8),
    )
    def begin(self, edges, keywords, labels):
        self.labels = labels
        self.first = egonet.encode(graph_of(edges), labels=labels, **keywords)
        self.columns = self.first.vocabulary

    @rule(
        ending=st.sampled_from(
            ["encoding.npz", "rows.parquet", "rows.arrow", "columns.json", "pickle", "copy"]
        )
    )
    def go_through(self, ending):
        path = self.folder / ending
        if ending == "pickle":
            self.columns = pickle.loads(pickle.dumps(self.columns))
        elif ending == "copy":
            self.columns = copy.deepcopy(self.columns)
        elif ending == "columns.json":
            egonet.encode(graph_of([(0, 1)]), labels=self.labels, vocabulary=self.columns).vocabulary.save(
                path
            )
            self.columns = egonet.Vocabulary.load(path)
        else:
            self.first.write(path) if ending != "encoding.npz" else self.first.save(path)
            self.columns = path

    @rule(edges=EDGES, unseen=st.sampled_from(["clip", "ignore"]))
    def use(self, edges, unseen):
        first, again = (
            egonet.encode(graph_of(edges), labels=self.labels, vocabulary=columns, unseen=unseen)
            for columns in (self.first.vocabulary, self.columns)
        )
        assert first.vocabulary.feature_names == again.vocabulary.feature_names
        assert first.matrix.toarray().tolist() == again.matrix.toarray().tolist()
        assert str(first.unseen) == str(again.unseen)

    @rule(name=st.sampled_from(["missing.npz", "missing.json", "text.json", "text.npz", "text.parquet"]))
    def fail_to_use(self, name):
        if name.startswith("text"):
            (self.folder / name).write_text("{}")
        with pytest.raises(EgonetError):
            egonet.encode(graph_of([(0, 1)]), vocabulary=self.folder / name)


class FolderProgram(Program):
    """Repeated, wrong and damaged stores and readers of old ones; the model is an encoding in memory."""

    @initialize(edges=EDGES, keywords=SETTINGS)
    def begin(self, edges, keywords):
        self.edges = list(dict.fromkeys(map(frozenset, edges)))
        self.keywords, self.readers = keywords, []
        self.place = self.folder / "store"
        egonet.store.encode(self.graph(), self.place, **keywords)
        self.is_source = True

    def graph(self):
        pairs = [tuple(sorted(edge)) for edge in self.edges]
        return egonet.as_graph(pairs, nodes=range(8))

    def expected(self):
        encoding = egonet.encode(self.graph(), **self.keywords)
        return {node: encoding[node] for node in range(8)}

    @precondition(lambda self: self.is_source)
    @rule()
    def run_again(self):
        egonet.store.encode(self.graph(), self.place, **self.keywords)

    @rule(edges=EDGES)
    def fail_to_run_with_another_graph_or_settings(self, edges):
        other = graph_of(edges)
        if {frozenset(edge) for edge in edges} != set(self.edges):
            with pytest.raises(EgonetError):
                egonet.store.encode(other, self.place, **self.keywords)
        with pytest.raises(EgonetError):
            egonet.store.encode(self.graph(), self.place, **{**self.keywords, "radius": 3})

    @rule(added=EDGES, num_removed=st.integers(0, 2))
    def update(self, added, num_removed):
        new = [edge for edge in dict.fromkeys(map(frozenset, added)) if edge not in self.edges]
        gone = self.edges[:num_removed]
        egonet.store.update(self.place, added=list(map(sorted, new)), removed=list(map(sorted, gone)))
        self.edges = self.edges[num_removed:] + new
        self.is_source = self.is_source and not new and not gone
        if new or gone:
            self.readers = [(reader, None) for reader, _ in self.readers]

    @rule()
    def open(self):
        reader = egonet.store.open(self.place)
        self.readers.append((reader, self.expected()))

    @rule()
    def read(self):
        """Read with every reader: one from before an update gives its rows, or says that it must be opened again."""
        for reader, rows in self.readers:
            found = {}
            with contextlib.suppress(StoreChangedError), told_to_open_again(may_be=rows is None):
                found = {node: reader[node] for node in range(8)}
            assert rows is None or found == rows

    @rule(number=st.integers(0, 10**6), place=st.integers(0, 10**6))
    def damage_and_repair(self, number, place):
        files = sorted(path for path in self.place.rglob("*.np*") if path.stat().st_size > 0)
        path = files[number % len(files)]
        content = bytearray(path.read_bytes())
        content[place % len(content)] ^= 0x10
        path.write_bytes(content)
        try:
            found = egonet.store.open(self.place)
            rows = {node: found[node] for node in range(8)}
        except FileError:
            rows = None
        assert rows in (None, self.expected())
        verified = egonet.store.verify(self.place, self.graph())
        if verified.damaged != verified.repaired:  # ids of the graph are not computed again
            content[place % len(content)] ^= 0x10
            path.write_bytes(content)

    @rule()
    def compare(self):
        stored = egonet.store.open(self.place)
        assert {node: stored[node] for node in range(8)} == self.expected()


MACHINES = [BatchProgram, ColumnProgram, FolderProgram]


@pytest.mark.parametrize("program", MACHINES, ids=lambda program: program.__name__)
def test_programs_of_calls_give_what_a_new_object_gives(program, need):
    for package in ("pandas", "pyarrow"):
        need(package)
    from hypothesis.stateful import run_state_machine_as_test

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IgnoredInputWarning)
        warnings.simplefilter("ignore", UnseenWarning)
        run_state_machine_as_test(
            program,
            settings=settings(
                max_examples=PROGRAMS, stateful_step_count=STEPS, deadline=None, report_multiple_bugs=False
            ),
        )
