"""What the host does for a GPU in the compiled core, since Python would take microseconds for each."""

from typing import Any

from numpy.typing import NDArray

from egonet import _native
from egonet.types import Int32s, Int64s


def narrow_rows(indptr: Int64s, positions: Int32s) -> tuple[int, int, int]:
    """Write rows as 32-bit positions; return the largest degree, the sum of their squares, and how many are 0.

    Notes
    -----
    The contract::

        indptr      int64 (num_nodes + 1,)      rising from 0, to less than 2**31
        positions   int32 (num_nodes + 1,)      or longer; what is behind is left as it was
        promises    keeps the GIL, for it is meant for rows that are read in microseconds

    Examples
    --------
    The path 0-1-2 and a vertex alone:

    >>> import numpy as np
    >>> positions = np.empty(5, dtype=np.int32)
    >>> narrow_rows(np.array([0, 1, 3, 4, 4]), positions), positions.tolist()
    ((2, 6, 1), [0, 1, 3, 4, 4])
    """
    facts: tuple[int, int, int] = _native.narrow_rows(indptr, positions)
    return facts


def address(array: NDArray[Any]) -> int:
    """Return where an array without gaps begins; `array.ctypes.data` takes seven times as long.

    Examples
    --------
    >>> import numpy as np
    >>> numbers = np.arange(3)
    >>> address(numbers) == numbers.ctypes.data
    True
    """
    return int(_native.address(array))


def lay_out(arguments: tuple[Any, ...], room: int) -> None:
    """Write the arguments of a GPU's kernel from an address on, eight bytes each.

    Notes
    -----
    The contract::

        arguments   whole numbers within 64 bits; None, which is 0; arrays, which are where they begin (`data.ptr`)
        room        where there are eight bytes for each
    """
    _native.lay_out(arguments, room)


def place_arrays(places: dict[str, int], sizes: dict[str, int], begin: int, alignment: int) -> int:
    """Put arrays of so many bytes one behind another from an address on; return where the last ends.

    Each begins on a multiple of `alignment`, a power of two, which is entered in `places`.

    Examples
    --------
    >>> places = {}
    >>> place_arrays(places, {"marks": 100, "sums": 8}, 250, 256), places
    (520, {'marks': 256, 'sums': 512})
    """
    return int(_native.place_arrays(places, sizes, begin, alignment))
