"""Objects for `as_graph`: hypothesis builds valid and invalid lists, arrays, matrices, tables and graphs."""

import traceback
from collections import Counter
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import scipy.sparse as sp
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import egonet
from egonet.errors import EgonetError
from egonet.graph.graph import Graph

OBJECTS = "as_graph"

whole = st.integers(0, 9) | st.sampled_from([2**31 - 1, 2**31, 2**63 - 1, 2**63, 10**30, -1])
ids = whole | st.text(max_size=4) | st.sampled_from(["a", "b", "nan", "7", "", "\0", "\ud800"])
odd = (
    ids
    | st.none()
    | st.booleans()
    | st.floats()
    | st.binary(max_size=3)
    | st.tuples(st.integers(0, 3))
    | st.just([])
)
pairs = st.lists(st.tuples(ids, ids), max_size=12)
odd_pairs = st.lists(st.tuples(odd, odd) | st.lists(odd, max_size=3) | odd, max_size=8)
kinds = st.sampled_from(
    ["i1", "u1", "i4", "i8", "u8", "f4", "f8", "?", "U2", "S2", "c8", "M8[s]", "m8[s]", "O"]
)
shapes = st.sampled_from(
    [(0,), (3,), (2, 0), (0, 2), (2, 2), (2, 5), (5, 2), (3, 3), (4, 4), (1, 1), (2, 3, 2), ()]
)
small = st.integers(-1, 6)


@st.composite
def any_array(draw: Any) -> Any:
    """Return an array of any type and shape."""
    dtype = np.dtype(draw(kinds))
    if dtype.kind == "O":
        shape = draw(shapes)
        flat = draw(st.lists(odd, min_size=int(np.prod(shape)), max_size=int(np.prod(shape))))
        made = np.empty(len(flat), dtype=object)
        made[:] = flat
        return made.reshape(shape)
    elements = small.map(dtype.type) if dtype.kind == "i" and draw(st.booleans()) else None
    return draw(arrays.arrays(dtype, draw(shapes), elements=elements))


@st.composite
def any_matrix(draw: Any) -> Any:
    """Return a sparse matrix of any form, with repeats and explicit zeros."""
    size = draw(st.integers(0, 5))
    entry = st.tuples(
        st.integers(0, max(size - 1, 0)),
        st.integers(0, max(size - 1, 0)),
        st.sampled_from([0, 1, -1, 2.5, np.nan]),
    )
    entries = draw(st.lists(entry, max_size=10 if size else 0))
    columns = size + draw(st.sampled_from([0, 0, 0, 1]))
    rows, cols, data = zip(*entries, strict=True) if entries else ((), (), ())
    form = draw(st.sampled_from(["csr", "csc", "coo", "lil", "dok", "dia", "bsr"]))
    dtype = draw(st.sampled_from([float, np.float32, complex]))
    kind = draw(st.sampled_from([sp.coo_array, sp.coo_matrix]))
    return kind(
        (np.array(data, dtype=dtype), (np.array(rows, int), np.array(cols, int))), shape=(size, columns)
    ).asformat(form)


@st.composite
def any_table(draw: Any) -> Any:
    """Return a table of pandas, polars or pyarrow with two or three columns of one kind each."""
    size = draw(st.integers(0, 5))
    column = st.one_of(
        *(
            st.lists(e, min_size=size, max_size=size)
            for e in (
                st.integers(0, 9),
                st.text(max_size=3),
                st.floats(),
                st.none() | st.integers(0, 3),
                st.booleans(),
                st.none() | st.text(max_size=2),
                st.just([1]),
            )
        )
    )
    names = draw(
        st.sampled_from(
            [
                ("source", "target"),
                ("u", "v"),
                ("a", "b"),
                ("src", "x", "dst"),
                ("u", "v", "src", "dst"),
                ("a",),
                (),
            ]
        )
    )
    table = {name: draw(column) for name in names}
    return draw(st.sampled_from([pd.DataFrame, lambda t: pl.DataFrame(t, strict=False), pa.table]))(table)


@st.composite
def any_networkx(draw: Any) -> Any:
    """Return a networkx graph of any class, with loops and repeats, and ids of any type."""
    graph = draw(st.sampled_from([nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph]))()
    names = st.sampled_from([None]).flatmap(
        lambda _: ids | st.floats(allow_nan=True) | st.tuples(st.integers(0, 2)) | st.booleans()
    )
    graph.add_nodes_from(draw(st.lists(names, max_size=4)))
    graph.add_edges_from(draw(st.lists(st.tuples(names, names), max_size=8)))
    return graph


things = (
    pairs
    | odd_pairs
    | any_array()
    | any_matrix()
    | any_table()
    | any_networkx()
    | odd
    | st.sets(st.integers(0, 3))
    | st.dictionaries(ids, ids, max_size=2)
)
options = st.fixed_dictionaries(
    {},
    optional={
        "num_nodes": st.sampled_from([0, 3, 10, -1, 2.5, True, 2**31, 2**40, "3"]),
        "nodes": pairs.map(lambda found: [u for u, _ in found]) | odd | any_array(),
        "directed": st.sampled_from(["out", "in", "both", 1]),
        "source": st.sampled_from(["source", "u", "x", 0]),
        "target": st.sampled_from(["target", "v", "x", 1]),
    },
)


def check(thing: Any, given: dict[str, Any], counts: Counter[str]) -> None:
    """Raise unless an object becomes a valid graph, equal to the one of its edges, or raises one sentence."""
    try:
        graph = egonet.as_graph(thing, **given)
    except EgonetError as error:
        said = str(error)
        assert said.isprintable(), f"not one sentence: {said!r}"
        assert said.endswith((".", "?")), f"not one sentence: {said!r}"
        counts[f"{OBJECTS} rejected"] += 1
        return
    counts[f"{OBJECTS} accepted"] += 1
    rows = np.repeat(np.arange(graph.num_nodes), graph.degrees)
    assert not (rows == graph.indices).any(), "a loop stayed"
    assert (np.diff(graph.indptr) >= 0).all()
    ids = graph.node_ids.tolist()
    assert len(set(ids)) == len(ids) == graph.num_nodes
    arcs = [(ids[u], ids[v]) for u, v in zip(rows.tolist(), graph.indices.tolist(), strict=True)]
    again = Graph.from_edges(arcs, nodes=ids, directed=None if graph.directed is None else "out")
    assert again.indices.tobytes() == graph.indices.tobytes(), "its edges make another graph"
    assert again.node_ids.tolist() == ids
    if isinstance(thing, nx.Graph) and graph.directed is None:
        expected = {frozenset(edge[:2]) for edge in thing.edges() if edge[0] != edge[1]}
        assert {frozenset(arc) for arc in arcs} == expected, "networkx lists other edges"
    if sp.issparse(thing) and graph.directed is None:
        found = thing.tocoo()
        expected = {
            frozenset((int(u), int(v)))
            for u, v, x in zip(found.coords[0], found.coords[1], found.data, strict=True)
            if x != 0 and u != v
        }
        assert {frozenset(arc) for arc in arcs} == expected, "scipy lists other entries"


def check_objects(number: int, examples: int, counts: Counter[str]) -> list[str]:
    """Return the failures of a number of examples, as text."""
    found: list[str] = []

    @seed(number)
    @settings(
        max_examples=examples,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(things, options)
    def run(thing: Any, options: dict[str, Any]) -> None:
        try:
            check(thing, options, counts)
        except Exception:  # noqa: BLE001 — any other exception is a finding
            counts[f"{OBJECTS} failed"] += 1
            if len(found) < 5:
                found.append(f"as_graph({thing!r}, **{options!r})\n{traceback.format_exc()}")

    run()
    return found
