"""What reading leaves out is said once: one warning per call, which names the option that uses or silences it."""

import sys
import warnings
from typing import Any

from egonet.errors import IgnoredInputWarning, InputError
from egonet.graph.graph import GraphInfo
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


def as_direction(directed: Any) -> Direction | None:
    """Return which way arcs are followed, None for undirected; False says that undirected is meant.

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
    """Warn about arcs and weights that were not used, unless the caller said that this is meant.

    Examples
    --------
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     warn_ignored(GraphInfo(read_as_undirected=True), directed=None)
    ...     warn_ignored(GraphInfo(read_as_undirected=True), directed=False)
    >>> [str(warning.message)[:39] for warning in caught]
    ['Arcs are read as undirected edges. Say ']
    """
    said = []
    if info.read_as_undirected and directed is None:
        said.append(ARCS)
    if info.weights_ignored and source is None:
        said.append(COLUMNS if is_table else WEIGHTS)
    if said:
        warn(" ".join(said))


def warn(sentence: str) -> None:
    """Warn at the line outside egonet that made the call."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "egonet":
        level, frame = level + 1, frame.f_back
    warnings.warn(sentence, IgnoredInputWarning, stacklevel=level)
