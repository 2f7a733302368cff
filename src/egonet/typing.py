"""Array aliases and literals that the whole library shares."""

from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = np.ndarray[Any, Any]
Int32s: TypeAlias = NDArray[np.int32]
Int64s: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]
Degrees: TypeAlias = Literal["total", "layered", "full", "in_out"]
#: How arcs are followed to measure distances if degrees are "in_out".
Follow: TypeAlias = Literal["any", "out", "in"]
Rooted: TypeAlias = Literal["node", "edge", "pair", "refined"]
#: The cells in which a search marks nodes: the largest cell, or every cell of two or more nodes.
Cell: TypeAlias = Literal["largest", "all"]
Direction: TypeAlias = Literal["out", "in"]
#: The option `directed`: None reads arcs as undirected edges and warns, False does so without a warning.
Directed: TypeAlias = Direction | Literal[False] | None

#: How many numbers follow the distance in a key of each kind of degrees.
DEGREE_FIELDS: dict[Degrees, int] = {"total": 1, "layered": 2, "full": 3, "in_out": 2}
