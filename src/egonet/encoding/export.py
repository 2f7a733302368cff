"""Encodings as files for other tools: Parquet, Arrow, CSV, Matrix Market, or egonet's own .npz."""

import csv
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any, Literal, TypeAlias

import numpy as np
from scipy.io import mmwrite

from egonet.encoding.encoding import Encoding
from egonet.encoding.matrix import Weighting
from egonet.errors import InputError
from egonet.io.atomic import atomic_path

Form: TypeAlias = Literal["wide", "sparse"]
SUFFIXES = (".parquet", ".arrow", ".csv", ".npz", ".mtx")
#: More feature columns than this are written as lists, because few tools open wider tables.
WIDE_LIMIT = 2_000
_BLOCK = 1_024


def write_encoding(
    encoding: Encoding, path: str | Path, *, weighting: Weighting = "count", form: Form | None = None
) -> None:
    """Write an encoding to a file whose suffix names the format, whole or not at all.

    Parameters
    ----------
    encoding
        What to write.
    path
        .parquet or .arrow (a table), .csv (a wide table), .mtx (the matrix; lines such as `%row 1 "a"` and
        `%column 1 "r1_d0_deg1"` before it hold ids and names as JSON) or .npz (everything, to be read back
        by `egonet.load`).
    weighting
        How counts are weighted; .npz keeps the counts themselves.
    form
        "wide" for a column per feature, "sparse" for two lists per node; wide up to `WIDE_LIMIT` features if
        not given.

    Examples
    --------
    >>> import tempfile, egonet
    >>> path = Path(tempfile.mkdtemp()) / "features.csv"
    >>> write_encoding(egonet.encode([("a", "b"), ("b", "c")], radius=1), path)
    >>> print(path.read_text())
    node,r1_d0_deg1,r1_d0_deg2,r1_d1_deg1
    a,1,0,1
    b,0,1,2
    c,1,0,1
    <BLANKLINE>
    """
    path = Path(path)
    check_format(path, weighting=weighting, form=form)
    if path.suffix == ".npz":
        encoding.save(path)
        return
    with atomic_path(path) as temporary:
        _WRITERS[path.suffix](encoding, temporary, weighting, form or default_form(encoding))


def check_format(path: Path, *, weighting: Weighting, form: Form | None) -> None:
    """Refuse a format, or a combination, that cannot be written; called before the work, not after it."""
    if path.suffix not in SUFFIXES:
        raise InputError(f"an encoding is written as {', '.join(SUFFIXES)}, got {path.name!r}.")
    if path.suffix == ".npz" and weighting != "count":
        raise InputError(".npz keeps the counts themselves. Leave weighting out, or write another format.")
    if path.suffix == ".csv" and form == "sparse":
        raise InputError("CSV has no lists. Write .parquet or .arrow for the sparse form.")


def default_form(encoding: Encoding) -> Form:
    """Return "wide" for up to `WIDE_LIMIT` features, "sparse" above."""
    return "wide" if len(encoding.vocabulary) <= WIDE_LIMIT else "sparse"


def write_csv(encoding: Encoding, stream: IO[str], weighting: Weighting = "count") -> None:
    """Write a wide table to an open text stream, some rows at a time."""
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["node", *encoding.feature_names])
    matrix, nodes = encoding.weighted(weighting), encoding.nodes.tolist()
    for first in range(0, len(nodes), _BLOCK):
        block = matrix[first : first + _BLOCK].toarray().tolist()
        writer.writerows([node, *row] for node, row in zip(nodes[first : first + _BLOCK], block, strict=True))


def _write_csv(encoding: Encoding, path: Path, weighting: Weighting, _form: Form) -> None:
    """Write a wide table as CSV."""
    with path.open("w", encoding="utf-8", newline="") as stream:
        write_csv(encoding, stream, weighting)


def _write_parquet(encoding: Encoding, path: Path, weighting: Weighting, form: Form) -> None:
    """Write a table as Parquet."""
    table = encoding.to_arrow(weighting, form=form)
    import pyarrow.parquet as parquet

    parquet.write_table(table, path, compression="zstd", write_page_checksum=True)


def _write_arrow(encoding: Encoding, path: Path, weighting: Weighting, form: Form) -> None:
    """Write a table as an Arrow file (also called Feather)."""
    table = encoding.to_arrow(weighting, form=form)
    import pyarrow.feather as feather

    feather.write_feather(table, str(path), compression="uncompressed")


def _write_mtx(encoding: Encoding, path: Path, weighting: Weighting, _form: Form) -> None:
    """Write the matrix in Matrix Market form."""
    matrix = encoding.weighted(weighting)
    whole = np.issubdtype(matrix.dtype, np.integer)
    with path.open("wb") as stream:
        mmwrite(
            stream,
            matrix,
            comment="\n".join(_names(encoding)),
            field="integer" if whole else "real",
            symmetry="general",
        )


def _names(encoding: Encoding) -> Iterator[str]:
    """Yield the comments of a Matrix Market file that name its rows and columns, counted from 1 as its entries are."""
    for word, names in (("row", encoding.nodes.tolist()), ("column", encoding.feature_names)):
        for place, name in enumerate(names, start=1):
            yield f"{word} {place} {json.dumps(name, default=str)}"


_WRITERS: dict[str, Callable[[Encoding, Path, Weighting, Form], Any]] = {
    ".csv": _write_csv,
    ".parquet": _write_parquet,
    ".arrow": _write_arrow,
    ".mtx": _write_mtx,
}
