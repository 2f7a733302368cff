"""The compared methods: which network, which bag, which columns each reads."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from research.nets.peers.bags import Policy, make_bag, make_hops
from research.nets.peers.networks import Net
from research.nets.peers.records import PeerGraphs


@dataclass(frozen=True)
class Method:
    """One row of the comparison.

    Attributes
    ----------
    kind, context, marked
        The network; `marked` networks read the marks of rows.
    policy
        "ego", "near" (ego-networks of radius 1), "pair", "node", "edge", or "" for none.
    columns
        Prepared columns that are added to the inputs: "ego", "rwse", "counts", "walks".
    typed
        True if arcs have the types of substructure counts.
    hops
        Distances of "hops".
    """

    kind: str
    policy: str = ""
    context: bool = False
    marked: bool = False
    columns: str = ""
    typed: bool = False
    hops: int = 0


METHODS: dict[str, Method] = {
    "gin": Method("plain"),
    "gin+ego": Method("plain", columns="ego"),
    "gin+rwse": Method("plain", columns="rwse"),
    "gsn-v": Method("plain", columns="counts"),
    "gsn-e": Method("plain", typed=True),
    "id-gnn-fast": Method("plain", columns="walks"),
    "kp-gnn": Method("hops", hops=3),
    "k-hop": Method("rings", "two"),
    "ego-gnn": Method("ego", "near"),
    "nested": Method("nested", "ego"),
    "id-gnn": Method("identity", "ego"),
    "de-gnn": Method("distance", "ego", marked=True),
    "gnn-ak": Method("kernel", "ego"),
    "gnn-ak+": Method("kernel", "ego", context=True),
    "ds-ego": Method("bag", "ego"),
    "ds-ego+": Method("bag", "ego", marked=True),
    "dss-ego": Method("bag", "ego", context=True),
    "dss-ego+": Method("bag", "ego", context=True, marked=True),
    "ds-nd": Method("bag", "node"),
    "dss-nd": Method("bag", "node", context=True),
    "ds-ed": Method("bag", "edge"),
    "dss-ed": Method("bag", "edge", context=True),
    "i2-gnn": Method("nested", "pair", marked=True),
    "ppgn": Method("pairs"),
}


#: The encoding of one radius alone, for the choice of the radius on validation graphs.
SEARCH: dict[str, Method] = {
    "gin+ego1": Method("plain", columns="ego1"),
    "gin+ego2": Method("plain", columns="ego2"),
}


@dataclass(frozen=True)
class SetShape:
    """What a data set decides: depth, width, radius of ego-networks, and how many subgraphs are kept and sampled.

    Attributes
    ----------
    layers, width, outputs, mean, norm, dropout
        As in `Net`.
    radius
        Of ego-networks.
    most, sample
        Of subgraphs with a deleted node or edge: kept of each graph, and read by a training step.
    """

    layers: int
    width: int
    outputs: int
    radius: int
    mean: bool = False
    norm: bool = True
    dropout: float = 0.0
    most: int = 0
    sample: int = 0


def policy_of(method: Method, shape: SetShape) -> Policy | None:
    """Return the bag that a method reads on a data set, or None."""
    if method.policy in ("node", "edge"):
        return Policy(method.policy, most=shape.most)
    radius = {"near": 1, "two": min(2, shape.radius + 1)}.get(method.policy, shape.radius)
    kind = "pair" if method.policy == "pair" else "ego"
    return Policy(kind, radius) if method.policy else None


def net_of(method: Method, shape: SetShape, num_types: int) -> Net:
    """Return the network of a method on a data set."""
    policy = policy_of(method, shape)
    marks = 0
    if policy is not None and (method.marked or method.kind in ("rings", "kernel")):
        marks = 3 if policy.kind == "pair" else policy.radius + 1
        if method.kind == "bag":
            marks = 2
    layers = max(2, shape.layers - 1) if method.kind in ("kernel", "rings", "pairs") else shape.layers
    return Net(
        kind=method.kind,
        layers=layers,
        width=shape.width,
        outputs=shape.outputs,
        marks=marks,
        num_types=num_types,
        mean=shape.mean,
        context=method.context,
        norm=shape.norm,
        dropout=shape.dropout,
    )


def with_bag(graphs: PeerGraphs, method: Method, shape: SetShape) -> PeerGraphs:
    """Return graphs with the bag or the hops that a method reads."""
    policy = policy_of(method, shape)
    if policy is not None:
        bag = make_bag(graphs.sizes, graphs.arcs, graphs.arc_ptr, policy)
        graphs = replace(graphs, bag=bag, sample=shape.sample if policy.kind in ("node", "edge") else 0)
    if method.hops:
        graphs = replace(graphs, hops=make_hops(graphs.sizes, graphs.arcs, graphs.arc_ptr, method.hops))
    return graphs


def rows_per_node(graphs: PeerGraphs) -> float:
    """Return the rows of the bag per node of the graphs, 1 without a bag."""
    return 1.0 if graphs.bag is None else graphs.bag.num_rows / max(int(np.sum(graphs.sizes)), 1)


def width_for(count: Callable[[int], int], goal: int, widest: int = 512) -> int:
    """Return the largest multiple of 8 as width whose network has at most `goal` weights.

    Examples
    --------
    >>> width_for(lambda width: width * width, 10_000)
    96
    """
    low, high = 1, widest // 8
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if count(8 * middle) <= goal else (low, middle)
    return 8 * low
