"""The options of reading a graph, the choice of two columns, and the warning about input that is not used."""

import sys
import warnings
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any

from egonet.errors import IgnoredInputWarning, InputError, closest_match
from egonet.graph.graph import GraphInfo
from egonet.graph.ids import show
from egonet.typing import Direction

ARCS = (
    'Arcs are read as undirected edges. Say directed="out" or directed="in" to follow them,'
    " directed=False if undirected is meant."
)
WEIGHTS = (
    "Edge weights are ignored. Count them with weights= and weight_bins=, or drop them if this is meant."
    " In Python, egonet.errors.IgnoredInputWarning can be filtered."
)
COLUMNS = (
    "Columns besides the two ends of an edge (weights, times) play no part and are ignored."
    " Say source= and target= if this is meant."
)

#: Well-known names of the two columns, in lower case.
COLUMN_PAIRS = (("source", "target"), ("src", "dst"), ("from", "to"), ("u", "v"))


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
        if self.source is None and self.target is None and self.num_nodes is None and self.nodes is None:
            return
        allowed = (*names, "directed", "keep")
        refuse_unused(kind, {name: value for name, value in vars(self).items() if name not in allowed})


def refuse_unused(kind: str, options: dict[str, Any]) -> None:
    """Raise for the first option that is given; none of them applies to this kind of input.

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

    >>> as_direction("out"), as_direction(False)
    ('out', None)
    """
    if directed is None or directed is False:
        return None
    known: tuple[Direction, ...] = ("out", "in")
    if isinstance(directed, str) and directed in known:
        return known[known.index(directed)]
    raise InputError(f'directed must be None, False, "out" or "in", got {directed!r}.')


def choose_columns(
    columns: list[Any], source: Any, target: Any, *, only_two: bool = False
) -> tuple[Any, Any]:
    """Return the names of the two columns to read: the given ones, or a pair of well-known names.

    With `only_two`, two columns of any name are accepted if there are no others. So are unnamed columns (0 and 1).

    >>> choose_columns(["when", "src", "dst"], None, None)
    ('src', 'dst')
    >>> choose_columns(["sender", "target"], "sendr", "target")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    egonet.errors.InputError: there is no column 'sendr'. Did you mean 'sender'? The columns are ...
    """
    if (source is None) != (target is None):
        raise InputError("give both source and target, or neither.")
    if source is not None:
        for name in (source, target):
            if name not in columns:
                near = closest_match(name, columns)
                hint = f" Did you mean {show(near)}?" if near else ""
                raise InputError(
                    f"there is no column {show(name)}.{hint} The columns are {listing(columns)}."
                )
        refuse_same(source, target)
        return only(columns, source), only(columns, target)
    found = known_pairs(columns)
    if len(found) == 1:
        lowered = [str(name).strip().lower() for name in columns]
        source, target = (columns[lowered.index(only(lowered, name))] for name in found[0])
        return source, target
    for name in columns[:2]:
        only(columns, name)
    if len(columns) == 2 and (only_two or columns == [0, 1]):
        return columns[0], columns[1]
    raise InputError(
        f"which columns hold the edges? Say source= and target=; the columns are {listing(columns)}."
    )


def listing(columns: list[Any]) -> str:
    """Return the first twenty column names for a message."""
    return ", ".join(map(show, columns[:20])) + (", ..." if len(columns) > 20 else "") or "none"


def refuse_same(source: Any, target: Any) -> None:
    """Raise if both ends of every edge would come from one column."""
    if source is not None and source == target:
        raise InputError(f"source and target must be two columns, got {show(source)} twice.")


def named_ends(columns: list[str], *ends: str | int | None) -> list[str | int | None]:
    """Return columns given by name or by position as names.

    >>> named_ends(["when", "payer", "payee"], 1, "payee")
    ['payer', 'payee']
    """
    named: list[str | int | None] = []
    for end in ends:
        if not isinstance(end, int) or isinstance(end, bool):
            named.append(end)
            continue
        if not 0 <= end < len(columns):
            raise InputError(f"a column position must be from 0 to {len(columns) - 1}, got {end}.")
        if str(end + 1) in columns and columns[end] != str(end + 1):  # the command line counts columns from 1
            raise InputError(f"{end + 1} may be a column's name or its position. Rename the column.")
        named.append(columns[end])
    return named


def known_pairs(columns: list[Any]) -> list[tuple[str, str]]:
    """Return the pairs of well-known names among some column names.

    >>> known_pairs(["When", "From", "To"])
    [('from', 'to')]
    """
    lowered = {str(name).strip().lower() for name in columns}
    return [(a, b) for a, b in COLUMN_PAIRS if a in lowered and b in lowered]


def only(names: list[Any], name: Any) -> Any:
    """Return a column's name; raise if several columns have it.

    >>> only(["u", "v", "u"], "u")
    Traceback (most recent call last):
        ...
    egonet.errors.InputError: 2 columns are named 'u'. Rename all but one.
    """
    if names.count(name) > 1:
        raise InputError(f"{names.count(name)} columns are named {show(name)}. Rename all but one.")
    return name


def warn_ignored(info: GraphInfo, *, directed: Any, source: Any = None, is_table: bool = False) -> None:
    """Warn about arcs and weights that are not used, unless `directed` or `source` is given.

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
