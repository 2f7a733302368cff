"""A set of graphs as arrays: one disjoint union, node inputs, targets and splits."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from egonet import Encoding, Graph
from egonet.errors import InputError
from egonet.typing import Floats, Int64s

Split = tuple[Int64s, ...]


@dataclass(frozen=True, eq=False)
class GraphSet:
    """Many graphs in one disjoint union.

    Attributes
    ----------
    name
        The data set's name in the registry.
    union
        All graphs as one, in order.
    node_ptr
        int64 (num_graphs + 1,): the nodes of graph i are rows `node_ptr[i]:node_ptr[i + 1]` of the union.
    inputs
        float64 (num_nodes, width): the inputs of the networks at each node, without an encoding.
    targets
        (num_graphs,) class numbers, (num_graphs, k) real targets, or empty if there are none.
    splits
        Per fold (train, test), or once (train, validation, test): arrays of graph numbers.
    node_labels
        int64 (num_nodes,) or None.
    target_names
        A name per column of real targets.
    encodings
        The encodings made so far, by form and radius, so that no encoding is made twice.
    """

    name: str
    union: Graph
    node_ptr: Int64s
    inputs: Floats
    targets: np.ndarray[Any, Any]
    splits: tuple[Split, ...] = ()
    node_labels: Int64s | None = None
    target_names: tuple[str, ...] = ()
    encodings: dict[tuple[str, int], Encoding] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        """Check that the arrays have matching lengths."""
        if self.node_ptr[-1] != self.union.num_nodes or len(self.inputs) != self.union.num_nodes:
            raise InputError(
                f"{self.name}: {self.union.num_nodes} nodes, but node_ptr ends at {self.node_ptr[-1]} "
                f"and there are {len(self.inputs)} rows of inputs."
            )

    @property
    def num_graphs(self) -> int:
        """Return the number of graphs."""
        return len(self.node_ptr) - 1

    @property
    def sizes(self) -> Int64s:
        """Return the number of nodes of every graph."""
        return np.diff(self.node_ptr)

    def nodes_of(self, graphs: Int64s) -> Int64s:
        """Return the rows of all nodes of some graphs."""
        return np.concatenate([np.arange(self.node_ptr[g], self.node_ptr[g + 1]) for g in graphs])


def from_arcs(
    name: str, sizes: Int64s, arcs: Int64s, *, labels: Int64s | None = None, **fields: Any
) -> GraphSet:
    """Return a set of graphs from their sizes and the arcs of the union, with node numbers of the union.

    The inputs are the labels one-hot if given (else a column of ones), then the degree.

    Examples
    --------
    >>> pair = from_arcs("toy", np.array([2, 1]), np.array([[0, 1]]), targets=np.array([0, 1]))
    >>> pair.inputs.tolist()
    [[1.0, 1.0], [1.0, 1.0], [1.0, 0.0]]
    """
    node_ptr = np.concatenate([[0], np.cumsum(sizes)])
    union = Graph.from_indices(arcs[:, 0], arcs[:, 1], int(node_ptr[-1]))
    first = np.ones((union.num_nodes, 1)) if labels is None else np.eye(int(labels.max()) + 1)[labels]
    inputs = fields.pop("inputs", None)
    if inputs is None:
        inputs = np.column_stack([first, union.degrees.astype(np.float64)])
    return GraphSet(name, union, node_ptr, inputs, node_labels=labels, **fields)
