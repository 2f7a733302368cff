"""Graphs in NumPy archives: sparse matrices, edge_index or edges. Pickles and implausible sizes are errors."""

import io
import os
import sys
import tokenize
import warnings
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

import numpy as np
from scipy.sparse import coo_array, csc_array, csr_array

from egonet.errors import FileError, InputError, in_python, show_value
from egonet.graph.arcs import from_edge_index, from_matrix
from egonet.graph.columns import unknown_attribute
from egonet.graph.graph import Graph
from egonet.graph.input_options import InputOptions
from egonet.io.limits import first_line, is_bomb, reject_implausible
from egonet.typing import Array

#: What zipfile and numpy raise for damaged bytes, besides ValueError. SystemError: tokenize of Python 3.12, for a NUL.
_DAMAGE = (
    *(KeyError, TypeError, IndexError, AttributeError, OSError, EOFError, MemoryError, OverflowError),
    *(NotImplementedError, RuntimeError, SyntaxError, SystemError, tokenize.TokenError),
    *(zipfile.BadZipFile, zlib.error),
)


@contextmanager
def one_error() -> Iterator[None]:
    """Raise a ValueError for every error of zipfile and numpy about damaged bytes."""
    try:
        yield
    except _DAMAGE as error:
        raise ValueError(str(error) or type(error).__name__) from error


def read_archive(stream: BinaryIO) -> dict[str, Array]:
    """Return the arrays of an npz file by name; raise a ValueError if it is damaged.

    >>> import io
    >>> file = io.BytesIO()
    >>> np.savez(file, a=np.arange(3))
    >>> read_archive(file)
    {'a': array([0, 1, 2])}
    """
    with one_error(), zipfile.ZipFile(stream) as packed:
        members = packed.infolist()
        unpacked, size = sum(member.file_size for member in members), stream.seek(0, os.SEEK_END)
        if is_bomb(unpacked, size):
            raise ValueError(f"{size:,} bytes claim to hold {unpacked:,}")
        names = [member.filename.removesuffix(".npy") for member in members]
        if len(set(names)) < len(names):
            raise ValueError("two arrays have one name")
        return {name: _member(packed, member) for name, member in zip(names, members, strict=True)}


def read_array(stream: BinaryIO) -> Array:
    """Return the array of an npy file; raise a ValueError if it is damaged."""
    with one_error(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about old headers, and sizes that overflow before they are checked
        array: Array = np.lib.format.read_array(stream, allow_pickle=False)
    if array.dtype.kind == "U" and array.nbytes:
        letters = np.frombuffer(array.tobytes(), np.dtype("u4").newbyteorder(array.dtype.byteorder))
        if letters.max() > sys.maxunicode:
            raise ValueError("an array of strings holds characters that do not exist")
    return array


def _member(packed: zipfile.ZipFile, member: zipfile.ZipInfo) -> Array:
    # Reading a member to its end compares its checksum even if its header is damaged.
    stream = io.BytesIO(packed.read(member))
    array = read_array(stream)
    if stream.read(1):
        raise ValueError(f"{member.filename} has bytes after its array")
    return array


def read_npz(stream: BinaryIO, name: str, options: InputOptions) -> Graph:
    """Return the graph of a scipy sparse matrix, or of an array `edge_index` or `edges`, in an npz file."""
    if stream.read(6) == b"\x93NUMPY":
        raise FileError(
            f"{name} holds one array, not an npz archive."
            + in_python(" Use numpy.savez.", " Save its edges as csv, or the array in an archive.")
        )
    try:
        arrays = read_archive(stream)
    except ValueError as error:
        raise FileError(f"{name} is not an npz file that can be read: {first_line(error)}") from error
    try:
        return from_arrays(arrays, name, options)
    except (ValueError, TypeError, IndexError, KeyError, OverflowError) as error:
        if isinstance(error, FileError):
            raise
        raise FileError(f"{name}: {first_line(error)}") from error


def from_arrays(arrays: dict[str, Array], name: str, options: InputOptions) -> Graph:
    """Return the graph of named arrays: a sparse matrix as scipy stores it, an `edge_index`, or `edges`."""
    directed, keep = options.directed, options.keep

    def column(name_of: str) -> Array:
        if name_of not in arrays:
            raise unknown_attribute(name_of, arrays, name)
        return arrays[name_of]

    num_bytes = sum(array.nbytes for array in arrays.values())
    num_nodes = int(arrays["num_nodes"]) if "num_nodes" in arrays else None
    reject_implausible(num_nodes or 0, num_bytes, name)
    if "edge_index" in arrays:
        index = arrays["edge_index"]
        if index.ndim != 2 or len(index) != 2 or index.dtype.kind not in "iu":
            raise InputError(f"edge_index must be whole numbers of shape (2, num_edges), got {index.shape}.")
        reject_implausible(int(index.max(initial=0)), num_bytes, name)
        return from_edge_index(index, num_nodes=num_nodes, directed=directed, keep=keep, column=column)
    if "edges" in arrays:
        if keep is not None:
            raise InputError(
                "attributes are kept next to an array edge_index, got edges. Rename and transpose it."
            )
        return Graph.from_edges(arrays["edges"], num_nodes, nodes=arrays.get("nodes"), directed=directed)
    if "format" not in arrays or "shape" not in arrays:
        raise FileError(
            f"{name} must hold a scipy sparse matrix, or an array edge_index or edges, got {sorted(arrays)[:20]}."
        )
    shape = tuple(arrays["shape"].tolist())
    reject_implausible(max(shape, default=0), num_bytes, name)
    return from_matrix(sparse_matrix(arrays, shape, name), directed=directed, keep=keep)


def sparse_matrix(arrays: dict[str, Array], shape: tuple[int, ...], name: str) -> Any:
    """Return the sparse matrix that scipy.sparse.save_npz wrote, with validated indices."""
    form = arrays["format"].item()
    layout = form.decode("ascii") if isinstance(form, bytes) else str(form)
    if layout == "coo":
        ends = arrays["coords"] if "coords" in arrays else (arrays["row"], arrays["col"])
        reject_fractions(*ends)
        return coo_array((arrays["data"], tuple(ends)), shape=shape)
    if layout not in ("csr", "csc"):
        raise FileError(
            f"{name} holds a sparse matrix in the {show_value(layout)} format. Store it as csr, csc or coo."
        )
    kind = csr_array if layout == "csr" else csc_array
    rows, columns = shape
    reject_fractions(arrays["indices"], arrays["indptr"])
    matrix = kind((arrays["data"], arrays["indices"], arrays["indptr"]), shape=(rows, columns))
    matrix.check_format(full_check=True)
    return matrix


def reject_fractions(*indices: Array) -> None:
    """Raise if the indices of a sparse matrix are not whole numbers, which scipy would round."""
    for array in indices:
        if array.dtype.kind not in "iu":
            raise InputError(f"the indices of a sparse matrix must be whole numbers, got {array.dtype}.")
