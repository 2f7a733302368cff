"""Tables of any columns in files: events, queries and values of nodes in, rows with named columns out."""

import csv
import gzip
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Any

import numpy as np

from egonet.cli.table_files import number_in, open_arrow
from egonet.errors import FileError, InputError, require_extra
from egonet.graph.ids import show
from egonet.io.atomic import atomic_path
from egonet.io.read import existing

#: What is written: by the file's ending.
WRITTEN = (".parquet", ".arrow", ".csv")


def read_columns(path: Path) -> dict[str, Any]:
    """Return the columns of a csv, tsv (also .gz), Parquet or Arrow file by name.

    A column of text is whole numbers if all of its fields are, without leading zeros, and numbers if all are.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "events.csv"
    >>> _ = path.write_text("source,target,time\\na,07,1\\nb,a,2.5\\n")
    >>> read_columns(path)
    {'source': ['a', 'b'], 'target': ['07', 'a'], 'time': [1.0, 2.5]}
    """
    file = existing(path)
    if file.suffix in (".parquet", ".arrow"):
        table = open_arrow(file).to_table()
        _check_header(path, table.column_names)
        return {name: table.column(name).to_pylist() for name in table.column_names}
    ending = "".join(file.suffixes[-2:]) if file.suffix == ".gz" else file.suffix
    if ending.removesuffix(".gz") not in (".csv", ".tsv", ".txt"):
        raise InputError(
            f"a table is read from .csv, .tsv (also .gz), .parquet or .arrow, got {str(path)!r}."
        )
    try:
        with _opened(file) as stream:
            rows = [row for row in csv.reader(stream, delimiter="," if ".csv" in ending else "\t") if row]
    except (UnicodeDecodeError, csv.Error, OSError, EOFError) as error:
        raise FileError(f"{path} is not a table that can be read: {error}.") from error
    header = [name.strip() for name in rows[0]] if rows else []
    _check_header(path, header)
    wrong = next((number for number, row in enumerate(rows, start=1) if len(row) != len(header)), None)
    if wrong is not None:
        raise FileError(f"{path}, record {wrong}: expected {len(header)} fields, got {len(rows[wrong - 1])}.")
    return {name: as_numbers([row[place] for row in rows[1:]]) for place, name in enumerate(header)}


def _opened(file: Path) -> IO[str]:
    if file.suffix == ".gz":
        return gzip.open(file, "rt", encoding="utf-8-sig", newline="")
    return file.open(encoding="utf-8-sig", newline="")


def _check_header(path: Path, header: list[str]) -> None:
    """Raise unless a table begins with names of columns, each once."""
    if not header or "" in header or len(set(header)) < len(header):
        raise FileError(
            f"{path} must begin with the names of its columns, each once, got {show(header[:9])}."
        )


def as_numbers(texts: list[str]) -> list[Any]:
    """Return texts as numbers if every one of them is one; whole numbers must have no leading zeros.

    Examples
    --------
    >>> as_numbers(["1", "2"]), as_numbers(["1", "2.5"]), as_numbers(["1", "02"]), as_numbers(["1", "nan"])
    ([1, 2], [1.0, 2.5], ['1', '02'], ['1', 'nan'])
    """
    whole = [number_in(text) for text in texts]
    if all(str(number) == text for number, text in zip(whole, texts, strict=True)):
        return whole
    if any(number is not None and str(number) != text for number, text in zip(whole, texts, strict=True)):
        return texts  # a leading zero: ids
    try:
        found = [float(text) for text in texts]
    except ValueError:
        return texts
    return found if np.isfinite(found).all() and not any("_" in text for text in texts) else texts


def check_written(path: Path) -> None:
    """Raise for a file that columns are not written to."""
    if path.suffix not in WRITTEN:
        raise InputError(f"the rows are written as {', '.join(WRITTEN)}, got {str(path)!r}.")


def write_columns(columns: dict[str, Any], path: Path | None) -> None:
    """Write columns to a file, whole or not at all; None writes CSV to stdout."""
    if path is None:
        _write_csv(columns, sys.stdout)
        return
    with atomic_path(path) as temporary:
        if path.suffix == ".csv":
            with temporary.open("w", encoding="utf-8", newline="") as stream:
                _write_csv(columns, stream)
            return
        pyarrow = require_extra("pyarrow", "writing Parquet or Arrow", extra="io")
        from pyarrow import feather, parquet

        table = pyarrow.table({name: pyarrow.array(values) for name, values in columns.items()})
        if path.suffix == ".parquet":
            parquet.write_table(table, temporary)
        else:
            feather.write_feather(table, temporary)


def _write_csv(columns: dict[str, Any], stream: Any) -> None:
    """Write columns as CSV; a number that is not there is an empty field."""
    lines = csv.writer(stream, lineterminator="\n")
    lines.writerow(columns)
    lines.writerows(zip(*(_fields(values) for values in columns.values()), strict=True))


def _fields(values: Any) -> Iterable[Any]:
    """Return the values of a column as fields of text."""
    listed = values.tolist() if isinstance(values, np.ndarray) else list(values)
    return ("" if isinstance(value, float) and value != value else value for value in listed)
