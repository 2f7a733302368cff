"""Small valid files of what egonet keeps besides graphs and encodings."""

from datetime import UTC, datetime, timedelta
from typing import Any

import egonet
from fuzz.seeds import written

EDGES = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")]


def stream_seeds() -> list[bytes]:
    """Return saved streams: numbers, fractions and dates as times, directions, columns of a model, none at all."""
    day = datetime(2020, 1, 1, tzinfo=UTC)
    of_numbers = [("a", "b", 1), ("b", "c", 2), ("c", "a", 2), ("c", "c", 3)]
    of_dates = [(1, 2, day), (2, 3, day + timedelta(hours=5)), (("x", 1), 2, day + timedelta(days=2))]
    model = egonet.encode(EDGES, 2)
    cases: list[tuple[dict[str, Any], list[Any]]] = [
        ({"settings": 1}, []),
        ({"settings": 1, "window": 5}, of_numbers),
        ({"settings": (1, 2), "window": 2.5, "late": "merge"}, [(u, v, t + 0.5) for u, v, t in of_numbers]),
        ({"settings": 2, "window": "7d", "directed": "out", "closed": "right"}, of_dates),
        ({"vocabulary": model, "window": 10, "unseen": "ignore", "directed": "in"}, of_numbers),
        ({"vocabulary": egonet.encode(EDGES, 1, degrees="full"), "closed": "right"}, of_numbers),
    ]
    found = []
    for options, events in cases:
        stream = egonet.Stream(**options)
        stream.add(events)
        found.append(written(stream.save, "w.npz"))
    return found


def vocabulary_seeds() -> list[bytes]:
    """Return saved columns: of graphs with and without directions, labels, bins, the paper's layout."""
    arcs = egonet.as_graph(EDGES, directed="out")
    encodings = [
        egonet.encode(EDGES, 1),
        egonet.encode(EDGES, (1, 2), degrees="full"),
        egonet.encode(arcs, 2),
        egonet.encode(arcs, 1, degrees="in_out"),
        egonet.encode(EDGES, 2, max_degree=2, layout="paper"),
        egonet.encode(EDGES, 1, degree_bins="log"),
        egonet.encode(EDGES, 1, labels=list("xyxy")),
        egonet.encode(EDGES, 1, edge_labels=list("xyxy")),
    ]
    return [written(encoding.vocabulary.save, "v.json") for encoding in encodings]


def pair_seeds() -> list[bytes]:
    """Return rows of pairs as Parquet, whose metadata keep their columns."""
    arcs = egonet.as_graph(EDGES, directed="out")
    asked = [("a", "d"), ("b", "c")]
    encodings = [
        egonet.encode_pairs(EDGES, asked, 1),
        egonet.encode_pairs(EDGES, asked, (1, 2), ordered=True, without_edge=False),
        egonet.encode_pairs(arcs, asked, 1),
        egonet.encode_pairs(EDGES, asked, 1, max_degree=3, degree_bins="log"),
    ]
    return [written(encoding.write, "p.parquet") for encoding in encodings]


def event_seeds() -> list[bytes]:
    """Return tables of events in text."""
    return [
        b"source,target,time\na,b,1\nb,c,2\nc,a,4\n",
        b"source,target,time,amount\n1,2,0.5,10\n2,3,1.5,20\n",
        b"source,target,time\na,b,2020-01-01\nb,c,2020-01-02T05:00:00\n",
        b'time,source,target\r\n1,"x y","q""r"\r\n2,007,7\r\n',
        b"node,time\na,1\n",
        b"source,target,time\n",
    ]
