"""Unusual arguments for other entry points than `as_graph`: types, weights, labels, pairs, times, streams, columns."""

import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from hypothesis.errors import HypothesisException

import egonet
from egonet.errors import EgonetError
from fuzz.objects import any_array, any_table, odd, things

EDGES = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")]
GRAPH = egonet.as_graph(EDGES, keep=())
NODES = ["a", "b", "c", "d"]

numbers = st.floats() | st.integers(-3, 9) | st.sampled_from([10**30, -(10**30), 1e308, 5e-324])
moments = (
    st.integers(-5, 50)
    | numbers
    | st.datetimes()
    | st.sampled_from(
        ["2020-01-01", "yesterday", datetime(2020, 1, 1, tzinfo=UTC), np.datetime64("NaT"), pd.NaT]
    )
    | st.sampled_from([np.datetime64(10**18, "s"), pd.Timestamp("2020", tz="UTC"), None, "", 2**63, -(2**63)])
)
names = st.sampled_from([*NODES, "e", 0, None, 1.5, ("a",)])
values = st.sampled_from(["x", "y", 1, 2, True, None, 1.5, "", "\0", float("nan"), [1]]) | odd


def per(size: int, value: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Return sequences of about a size, as lists, arrays, Series, or mappings of edges and nodes."""
    lists = st.lists(value, min_size=size, max_size=size) | st.lists(value, max_size=size + 1)
    # A Series of objects: pandas itself rejects text that is not Unicode.
    series = lambda v: pd.Series(v, dtype=object)  # noqa: E731
    made = st.sampled_from([list, tuple, series, lambda v: np.array(v, dtype=object), iter])
    keys = st.sampled_from([*EDGES, ("b", "a"), ("a", "d"), *NODES, 7])
    return (
        st.tuples(lists, made).map(lambda pair: pair[1](pair[0]))
        | st.dictionaries(keys, value, max_size=5)
        | st.just(dict.fromkeys(NODES, "x"))
        | st.just(dict.fromkeys(EDGES, 1))
        | any_array()
        | any_table()
        | value
    )


events = st.lists(st.tuples(names, names, moments), max_size=8) | things | st.lists(odd, max_size=3)
windows = st.sampled_from(
    [
        *[5] * 10,
        None,
        1,
        5,
        2.5,
        0,
        -1,
        "7d",
        "1M",
        "x",
        timedelta(days=1),
        np.timedelta64(3, "h"),
        True,
        10**30,
    ]
)
radii = st.sampled_from(
    [1] * 30 + [0, 1, 2, (1, 2), (), -1, 1.5, True, "1", None, 10**12, [1, 1], np.int64(1)]
)
bins = st.sampled_from(
    [None, "log", "lin", 2, 3, 1, 0, (1.0,), (2, 1), (float("nan"),), 10**12, [], "x", True]
)


def typed(draw: Any) -> Any:
    """Encode with edge types, weights or labels."""
    options = {
        "edge_labels": draw(st.none() | per(4, values) | st.sampled_from(["kind", "weight", ""])),
        "weights": draw(st.none() | per(4, numbers) | st.sampled_from(["weight"])),
        "weight_bins": draw(bins),
        "labels": draw(st.none() | per(4, values)),
        "degrees": draw(st.sampled_from(["total", "layered", "full", "in_out", "x"])),
    }
    given = {name: value for name, value in options.items() if value is not None}
    table = pd.DataFrame(EDGES, columns=["source", "target"]).assign(kind=list("xyxy"), weight=[1, 2, 3, 4])
    graph = draw(st.sampled_from([GRAPH, EDGES, table, pl.from_pandas(table)]))
    return egonet.encode(graph, draw(radii), **given)


def pairs(draw: Any) -> Any:
    """Encode pairs, also with the vocabulary of other pairs."""
    first = egonet.encode_pairs(EDGES, [("a", "d")], 1)
    options: dict[str, Any] = {
        "degree_bins": draw(st.sampled_from([None, "log", "x"])),
        "max_degree": draw(st.sampled_from([None, 0, 3, -1, 1.5])),
        "ordered": draw(st.booleans()),
        "without_edge": draw(st.booleans()),
        "vocabulary": draw(st.sampled_from([None, first, first.vocabulary, 7, "no.parquet"])),
        "unseen": draw(st.sampled_from(["clip", "ignore", "error", "x"])),
    }
    asked = draw(st.lists(st.tuples(names, names), max_size=5) | things | st.lists(odd, max_size=3))
    return egonet.encode_pairs(EDGES, asked, draw(radii), **options).to_pandas()


def stream(draw: Any) -> Any:
    """Add events, ask for features, at any time."""
    late, closed = (
        draw(st.sampled_from(["error", "merge", "x"])),
        draw(st.sampled_from(["left", "right", "both"])),
    )
    made = egonet.Stream(draw(radii), window=draw(windows), late=late, closed=closed)
    for _ in range(draw(st.integers(1, 3))):
        made.add(draw(events))
        made.features(draw(st.lists(names, max_size=4) | odd), time=draw(moments))
    return made


def as_of(draw: Any) -> Any:
    """Encode (node, time) rows from a table of events."""
    known = draw(st.lists(st.tuples(st.sampled_from(NODES), st.sampled_from(NODES), moments), max_size=6))
    asked = draw(st.lists(st.tuples(names, moments), max_size=4))
    encoder = egonet.TemporalEncoder(
        pd.DataFrame(known, columns=["source", "target", "time"]), draw(radii), draw(windows)
    )
    return encoder.fit_transform(pd.DataFrame(asked, columns=["node", "time"]))


def column(draw: Any) -> Any:
    """Encode a Series or a column of graphs and SMILES."""
    smiles = st.sampled_from(
        ["CCO", "c1ccccc1", "", "C1", "not", None, float("nan"), 7, "[Na+].[Cl-]", "C" * 200]
    )
    item = smiles | st.just(EDGES) | odd | any_array()
    rows = draw(st.lists(item, min_size=1, max_size=4) | st.lists(smiles, min_size=1, max_size=4))
    cell = np.empty(len(rows), dtype=object)
    cell[:] = rows
    make = draw(
        st.sampled_from(
            [
                lambda v: pd.Series(v, dtype=object),
                lambda v: pd.DataFrame(
                    {"graph": pd.Series(v, dtype=object)}
                ),  # pandas alone fails for bad text
                list,
                lambda v: v,
            ]
        )
    )
    return egonet.GraphEncoder(draw(radii)).fit_transform(make(cell))


def rings(draw: Any) -> Any:
    """Add up node and edge values by distance."""
    which = draw(st.sampled_from([("sum",), ("mean", "max"), (), ("x",), "sum"]))
    on = draw(st.sampled_from(["nodes", "edges", "x"]))
    return egonet.ring_statistics(GRAPH, draw(per(4, numbers)), draw(radii), which, on=on)


ENTRY_POINTS: dict[str, Callable[[Any], Any]] = {
    "edge types": typed,
    "pairs": pairs,
    "stream": stream,
    "as of": as_of,
    "column": column,
    "ring statistics": rings,
}


def check_entry_point(name: str, number: int, examples: int, counts: Counter[str]) -> list[str]:
    """Return the failures of a number of calls, as text: exceptions that are not one sentence of an EgonetError."""
    found: list[str] = []

    @seed(number)
    @settings(
        max_examples=examples,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(st.data())
    def run(data: Any) -> None:
        drawn: list[Any] = []

        def draw(strategy: st.SearchStrategy[Any]) -> Any:
            drawn.append(data.draw(strategy))
            return drawn[-1]

        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                ENTRY_POINTS[name](draw)
            counts[f"{name} accepted"] += 1
        except EgonetError as error:
            said = str(error)
            is_sentence = said.isprintable() and said.rstrip().endswith((".", "?"))
            counts[f"{name} {'rejected' if is_sentence else 'failed'}"] += 1
            if not is_sentence and len(found) < 5:
                found.append(f"{name}{drawn!r}\nnot one sentence: {said!r}")
        except HypothesisException:
            raise
        except Exception:  # noqa: BLE001 — any other exception is a finding
            counts[f"{name} failed"] += 1
            if len(found) < 5:
                found.append(f"{name}{drawn!r}\n{traceback.format_exc()}")

    run()
    return found
