"""Array aliases and literals that the whole library shares."""

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

Array: TypeAlias = np.ndarray[Any, Any]
Int32s: TypeAlias = NDArray[np.int32]
Int64s: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]
Float32s: TypeAlias = NDArray[np.float32]
#: A sparse matrix of counts, a row per node, pair, event or graph.
Counts: TypeAlias = "csr_array[Any, tuple[int, int]]"
Degrees: TypeAlias = Literal["total", "layered", "full", "in_out"]
#: Called as progress(done, total) while work goes on.
Progress: TypeAlias = Callable[[int, int], None]
#: How arcs are followed to measure distances if degrees are "in_out".
Follow: TypeAlias = Literal["any", "out", "in"]
#: What a degree is where edges are events: the number of neighbors, or the number of events with them.
Counted: TypeAlias = Literal["nodes", "events"]
Rooted: TypeAlias = Literal["node", "edge", "pair", "refined"]
#: What is counted in an ego-network: its nodes, its edges, or its nodes by numbers of events.
Count: TypeAlias = Literal["nodes", "edges", "events"]
#: The cells in which a search marks nodes: the largest cell, or every cell of two or more nodes.
Cell: TypeAlias = Literal["largest", "all"]
Direction: TypeAlias = Literal["out", "in"]
#: Which end of a window [t - window, t] counts: "left" leaves out what happens at t itself.
Closed: TypeAlias = Literal["left", "right"]
#: The option `directed`: None reads arcs as undirected edges and warns, False does so without a warning.
Directed: TypeAlias = Direction | Literal[False] | None

#: How many numbers follow the distance in a key of each kind of degrees.
DEGREE_FIELDS: dict[Degrees, int] = {"total": 1, "layered": 2, "full": 3, "in_out": 2}
