"""Vectors as files for other tools: Parquet, Arrow, CSV or .npy, a row per node."""

import csv
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from egonet.errors import InputError, MissingExtraError
from egonet.io.atomic import atomic_path

SUFFIXES = (".parquet", ".arrow", ".csv", ".npy")


def check_suffix(path: Path) -> None:
    """Refuse a format that cannot be written; called before the work, not after it."""
    if path.suffix not in SUFFIXES:
        raise InputError(f"vectors are written as {', '.join(SUFFIXES)}, got {path.name!r}.")


def write_vectors(nodes: np.ndarray[Any, Any], vectors: NDArray[np.float32], path: str | Path) -> None:
    """Write node ids and their vectors, whole or not at all; .npy holds the vectors alone, in row order.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "vectors.csv"
    >>> write_vectors(np.array(["a", "b"]), np.array([[1.0, 0.5], [0.0, 2.0]], dtype=np.float32), path)
    >>> print(path.read_text())
    node,ego0,ego1
    a,1.0,0.5
    b,0.0,2.0
    <BLANKLINE>
    """
    path = Path(path)
    check_suffix(path)
    with atomic_path(path) as temporary:
        if path.suffix == ".npy":
            np.save(temporary, vectors, allow_pickle=False)
        elif path.suffix == ".csv":
            _write_csv(nodes, vectors, temporary)
        else:
            _write_table(nodes, vectors, temporary)


def _names(vectors: NDArray[np.float32]) -> list[str]:
    return [f"ego{number}" for number in range(vectors.shape[1])]


def _write_csv(nodes: np.ndarray[Any, Any], vectors: NDArray[np.float32], path: Path) -> None:
    """Write one line per node."""
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(["node", *_names(vectors)])
        writer.writerows([node, *row] for node, row in zip(nodes.tolist(), vectors.tolist(), strict=True))


def _write_table(nodes: np.ndarray[Any, Any], vectors: NDArray[np.float32], path: Path) -> None:
    """Write a column per dimension."""
    try:
        import pyarrow
        from pyarrow import feather, parquet
    except ImportError as error:
        raise MissingExtraError('tables need an extra package: pip install "egonet[io]".') from error
    columns = dict(zip(_names(vectors), vectors.T, strict=True))
    ids = nodes.tolist()
    plain = ids if len({type(one) for one in ids}) <= 1 else list(map(str, ids))
    table = pyarrow.table({"node": pyarrow.array(plain), **columns})
    if path.suffix == ".parquet":
        parquet.write_table(table, path, compression="zstd", write_page_checksum=True)
    else:
        feather.write_feather(table, str(path), compression="uncompressed")
