"""The options of reading a graph, and the one warning per call about input that is not used."""

import sys
import warnings
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any

from egonet.errors import IgnoredInputWarning, InputError
from egonet.graph.graph import GraphInfo
from egonet.graph.ids import show
from egonet.typing import Direction

ARCS = (
    'Arcs are read as undirected edges. Say directed="out" or directed="in" to follow them,'
    " directed=False if undirected is meant."
)
WEIGHTS = (
    "Edge weights play no part in an encoding and are ignored; drop them if this is meant."
    " In Python, egonet.errors.IgnoredInputWarning can be filtered."
)
COLUMNS = (
    "Columns besides the two ends of an edge (weights, times) play no part and are ignored."
    " Say source= and target= if this is meant."
)


@dataclass(frozen=True)
class InputOptions:
    """The options that `as_graph` and `read_graph` share.

    Attributes
    ----------
    source, target
        The two columns of a table, by name or (in a file) by position.
    num_nodes
        If given, ids are the whole numbers 0 ... num_nodes - 1.
    nodes
        If given, these ids come first, in this order.
    directed
        "out" or "in" follows arcs that way; None reads them as undirected edges.
    keep
        The edge attributes to keep in `Graph.edge_table`; None for no table.
    """

    source: str | int | None = None
    target: str | int | None = None
    num_nodes: int | None = None
    nodes: Iterable[Hashable] | None = None
    directed: Direction | None = None
    keep: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        """Check that the options do not contradict each other."""
        if self.num_nodes is not None and self.nodes is not None:
            raise InputError("give num_nodes or nodes, not both.")

    def allow(self, kind: str, names: tuple[str, ...] = ()) -> None:
        """Raise if an option is given that does not apply to this kind; `directed` and `keep` always do."""
        allowed = (*names, "directed", "keep")
        unused = {name: value for name, value in vars(self).items() if name not in allowed}
        if any(value is not None for value in unused.values()):
            refuse_unused(kind, unused)


def refuse_unused(kind: str, options: dict[str, Any]) -> None:
    """Raise for the first option that is given; none of them applies to this kind of input.

    Examples
    --------
    >>> refuse_unused("a Graph", {"source": None, "num_nodes": 3})
    Traceback (most recent call last):
        ...
    egonet.errors.InputError: num_nodes has no meaning for a Graph, got 3. Leave it out.
    """
    for name, value in options.items():
        if value is not None:
            raise InputError(f"{name} has no meaning for {kind}, got {show(value)}. Leave it out.")


def as_direction(directed: Any) -> Direction | None:
    """Return which way arcs are followed: "out", "in", or None for undirected (given as None or False).

    Examples
    --------
    >>> as_direction("out"), as_direction(False)
    ('out', None)
    """
    if directed is False:
        return None
    if directed not in (None, "out", "in"):
        raise InputError(f'directed must be None, False, "out" or "in", got {directed!r}.')
    direction: Direction | None = directed
    return direction


def warn_ignored(info: GraphInfo, *, directed: Any, source: Any = None, is_table: bool = False) -> None:
    """Warn about arcs and weights that are not used, unless `directed` or `source` is given.

    Examples
    --------
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     warn_ignored(GraphInfo(read_as_undirected=True), directed=None)
    ...     warn_ignored(GraphInfo(read_as_undirected=True), directed=False)
    >>> [str(warning.message)[:39] for warning in caught]
    ['Arcs are read as undirected edges. Say ']
    """
    sentences = []
    if info.read_as_undirected and directed is None:
        sentences.append(ARCS)
    if info.weights_ignored and source is None:
        sentences.append(COLUMNS if is_table else WEIGHTS)
    if sentences:
        warn(" ".join(sentences))


def warn(sentence: str) -> None:
    """Warn at the line outside egonet that made the call."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "egonet":
        level, frame = level + 1, frame.f_back
    warnings.warn(sentence, IgnoredInputWarning, stacklevel=level)
