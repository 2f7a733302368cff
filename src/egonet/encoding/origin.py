"""Which graph an encoding was made of: what a saved file keeps, so that no update starts from another graph."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from egonet.graph.digest import graph_digest
from egonet.typing import Direction

if TYPE_CHECKING:
    from egonet.encoding.encoding import Encoding


@dataclass(frozen=True)
class Origin:
    """The graph of an encoding, as far as it is known without the graph itself.

    Attributes
    ----------
    digest
        The `graph_digest` of the graph; it includes the direction.
    directed
        The direction of the graph.
    every_node
        Whether there is a row for every node, so that new nodes get rows too.
    """

    digest: str
    directed: Direction | None
    every_node: bool

    def __post_init__(self) -> None:
        """Check every field, which may come from a file."""
        hexadecimal = isinstance(self.digest, str) and len(self.digest) == 32 and int(self.digest, 16) >= 0
        if not hexadecimal or self.directed not in (None, "out", "in") or type(self.every_node) is not bool:
            raise ValueError(f"not the origin of an encoding: {self}")


def origin_of(encoding: "Encoding") -> Origin | None:
    """Return which graph an encoding was made of; None if of several graphs, or if that is not known.

    Examples
    --------
    >>> import egonet
    >>> path = egonet.encode([("a", "b"), ("b", "c")], radius=1, directed="out")
    >>> origin_of(path).directed, origin_of(path).every_node
    ('out', True)
    """
    graph: Any = encoding.graph
    if graph is None or encoding.num_graphs > 1:
        return encoding.origin
    return Origin(graph_digest(graph), graph.directed, encoding.roots is None)
