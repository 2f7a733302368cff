"""Nodes that a graph does not have: an error, or rows of isolated nodes that are counted."""

from collections.abc import Callable, Hashable, Iterable
from typing import Any, Literal, TypeAlias

import numpy as np

from egonet.errors import UnknownNodeError, UnseenWarning, option, show_value
from egonet.graph.graph import Graph
from egonet.graph.index import Places, check_ids, reject_other_types
from egonet.graph.input_options import warn
from egonet.typing import Int64s

#: What happens to nodes that the graph does not have: an error, or the row of an isolated node, with or without a word.
HandleUnknown: TypeAlias = Literal["error", "zero", "warn"]
#: A share of unknown nodes or keys above this is warned about.
MOST_UNSEEN = 0.5


def handle_unknown_nodes(
    ids: Iterable[Any],
    find: Callable[[Any], object],
    policy: HandleUnknown,
    total: int,
    *,
    first: str = "",
) -> None:
    """Raise or warn about nodes that a graph does not have.

    An id that is unknown only because it is a number here and text there (or a float) is always an error.

    Parameters
    ----------
    ids
        The ids that the graph does not have.
    find
        Returns None for an id that is not there, such as `Graph.find`.
    policy
        "error" raises, "warn" warns, "zero" warns if more than half of all nodes are unknown.
    total
        How many nodes were asked for.
    first
        Where the first of them is, for the message.

    Examples
    --------
    >>> import egonet
    >>> handle_unknown_nodes(["x"], egonet.as_graph([("a", "b")]).find, "zero", 3)
    >>> handle_unknown_nodes(["1"], egonet.as_graph([(0, 1)]).find, "zero", 3)
    Traceback (most recent call last):
        ...
    egonet.errors.InputError: the graph has no node '1', but it has 1. Give ids the type that they have in the graph.
    """
    unknown = [each.item() if isinstance(each, np.generic) else each for each in ids]
    if not unknown:
        return
    reject_other_types(unknown, find)
    count = f"{len(unknown):,} of {total:,} nodes are not in the graph, first {show_value(unknown[0])}{first}"
    if policy == "error":
        raise UnknownNodeError(
            f"{count}. {option('handle_unknown', 'zero')} gives them the row of an isolated node."
        )
    if policy == "warn" or len(unknown) > MOST_UNSEEN * total:
        warn(f"{count}. They get the row of an isolated node. Is this the right graph?", UnseenWarning)


def split_known(
    graph: Graph, ids: list[Hashable], policy: HandleUnknown
) -> tuple[list[Hashable], Int64s | None]:
    """Return the ids that a graph has; and for every id its position among them, -1 if the graph does not have it.

    The positions are None if the graph has every id. A missing id is always an error.

    >>> import egonet
    >>> split_known(egonet.as_graph([("a", "b")]), ["b", "x", "a"], "zero")
    (['b', 'a'], array([ 0, -1,  1]))
    """
    is_node = graph.index.find_rows(ids) >= 0
    if is_node.all():
        return ids, None
    check_ids(ids, Places("position", 1, "at"))
    strange = np.flatnonzero(~is_node).tolist()
    where = f" (position {strange[0]}, counted from 0)"
    handle_unknown_nodes([ids[place] for place in strange], graph.find, policy, len(ids), first=where)
    graph_ids = [node for node, there in zip(ids, is_node.tolist(), strict=True) if there]
    return graph_ids, np.where(is_node, np.cumsum(is_node) - 1, -1)
