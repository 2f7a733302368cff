"""What reading a graph changed, counted."""

from dataclasses import dataclass


@dataclass(frozen=True)
class GraphInfo:
    """What reading a graph changed; nothing is dropped or merged without being counted here.

    Attributes
    ----------
    loops_dropped
        Edges from a node to itself that were left out.
    duplicates_merged
        Edges listed more than once (in an undirected graph: in either direction), less one each.
    weights_ignored
        True if the input had edge weights; they play no part in the encoding.
    read_as_undirected
        True if the input called itself directed and its arcs were read as edges.
    """

    loops_dropped: int = 0
    duplicates_merged: int = 0
    weights_ignored: bool = False
    read_as_undirected: bool = False

    def __str__(self) -> str:
        """Return the changes as text, or "nothing changed"."""
        parts = []
        if self.loops_dropped:
            parts.append(f"{self.loops_dropped:,} self-loops dropped")
        if self.duplicates_merged:
            parts.append(f"{self.duplicates_merged:,} repeated edges merged")
        if self.weights_ignored:
            parts.append("edge weights ignored")
        if self.read_as_undirected:
            parts.append("arcs read as undirected edges")
        return ", ".join(parts) or "nothing changed"


#: One object for most graphs, so that many graphs are quick to sum up.
NOTHING_CHANGED = GraphInfo()
