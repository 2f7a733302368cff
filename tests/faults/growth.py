"""The time of every reader on hostile files of 1, 2 and 4 MB: python -m faults.growth.

A file that doubles may take twice the time and a little more. What takes more than 2.7 times as long, or ten
seconds in all, is printed as a failure. `--only` selects files by a part of their name.
"""

import argparse
import contextlib
import io
import math
import sys
import tempfile
import time
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import ipc, parquet

import egonet

SIZES = (1 << 20, 1 << 21, 1 << 22)
MOST_RATIO, MOST_SECONDS, LEAST_SECONDS = 2.7, 10.0, 0.05
MATRIX = "%%MatrixMarket matrix coordinate real general\n"
COLLIDING = 2**61 - 1
Content = Callable[[int], str | bytes]
NAMED = {"source": "source", "target": "target"}


def repeated(unit: str, *, before: str = "", after: str = "") -> Content:
    """Return a function that makes a text of some size: one text again and again."""
    return lambda size: before + unit * (size // len(unit)) + after


def counted(unit: str, *, before: str = "", after: str = "", join: str = "") -> Content:
    """Return a function that makes a text of some size: one text with different numbers in place of {}."""
    return lambda size: before + join.join(unit.format(i) for i in range(size // (len(unit) + 5))) + after


def nested(first: str, last: str, *, before: str = "", after: str = "") -> Content:
    """Return a function that makes a text of some size: one text inside the other."""
    return lambda size: (
        before + first * (size // len(first + last)) + last * (size // len(first + last)) + after
    )


def archive(size: int) -> bytes:
    """Return an npz file of many empty arrays."""
    header = (
        b"\x93NUMPY\x01\x00v\x00{'descr': '<i8', 'fortran_order': False, 'shape': (0,), }" + b" " * 60 + b"\n"
    )
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as packed:
        for number in range(size // 250):
            packed.writestr(f"a{number}.npy", header)
    return file.getvalue()


def wide_parquet(size: int) -> bytes:
    """Return a Parquet file of many columns."""
    file = io.BytesIO()
    parquet.write_table(pa.table({f"c{number}": [1] for number in range(size // 400)}), file)
    return file.getvalue()


def long_parquet(size: int) -> bytes:
    """Return a Parquet file of many row groups of one row."""
    file, rows = io.BytesIO(), list(range(size // 200))
    parquet.write_table(pa.table({"source": rows, "target": rows}), file, row_group_size=1)
    return file.getvalue()


def batches(size: int) -> bytes:
    """Return an Arrow stream of many batches of one row."""
    file, schema = io.BytesIO(), pa.schema([("source", pa.string()), ("target", pa.string())])
    with ipc.new_stream(file, schema) as writer:
        for number in range(size // 400):
            writer.write_batch(pa.record_batch({"source": [f"a{number}"], "target": ["b"]}))
    return file.getvalue()


def one_graph6(size: int) -> bytes:
    """Return one graph of many nodes and no edges."""
    nodes = int(math.sqrt(12 * size))
    digits = bytes(63 + (nodes >> shift & 63) for shift in (12, 6, 0))
    return b"~" + digits + b"?" * ((nodes * (nodes - 1) // 2 + 5) // 6) + b"\n"


def strings(size: int) -> bytes:
    """Return an npz file with an array of long strings."""
    file = io.BytesIO()
    np.savez(file, edges=np.array([["x" * 100, "y"]] * (size // 800)))
    return file.getvalue()


#: Name → ending, content, options.
FILES: dict[str, tuple[str, Content, dict[str, Any]]] = {
    "text: one line": (".csv", repeated("a"), {}),
    "text: delimiters": (".csv", repeated(","), {}),
    "text: a header of equal names": (".csv", repeated(",x", before="source,target", after="\n"), {}),
    "text: a wide header": (".csv", counted("c{}", before="source,target,", after="\n", join=","), {}),
    "text: an unknown column": (
        ".csv",
        counted("c{}", before="a,b,", after="\n", join=","),
        {"source": "zz", "target": "b"},
    ),
    "text: an open quote": (".csv", repeated("a\n", before='"'), {}),
    "text: quotes": (".csv", repeated('"'), {}),
    "text: quotes in quotes": (".csv", repeated('a,""""""\n'), {}),
    "text: a quoted break": (".csv", repeated("\n", before='"a', after='",b\n'), {}),
    "text: comments": (".txt", repeated("#\n"), {}),
    "text: blank lines": (".txt", repeated("\n"), {}),
    "text: blanks": (".txt", repeated(" "), {}),
    "text: a long number": (".csv", repeated("9", after=",1\n"), {}),
    "text: long numbers": (".csv", repeated("9" * 4000 + ",1\n"), {}),
    "text: numbers that collide": (
        ".csv",
        lambda size: "".join(f"{(k + 5) * COLLIDING},{(k + 6) * COLLIDING}\n" for k in range(size // 42)),
        {},
    ),
    "text: long names": (".csv", counted("x" * 10_000 + "{},y\n"), {}),
    "text: names with one start": (".csv", counted("p" * 200 + "{},y\n"), {}),
    "text: one long name": (".csv", counted("a{},b\n", before="x" * 500_000 + ",y\n"), {}),
    "text: a name after numbers": (".csv", repeated("1,2\n", after="x,y\n"), {}),
    "text: no UTF-8": (".csv", lambda size: b"a,b\n" * (size // 4) + b"\xff,b\n", {}),
    "text: kept, no UTF-8": (
        ".csv",
        lambda size: b"source,target,k\n" + b"a,b,\xff\n" * (size // 6),
        NAMED | {"keep": "k"},
    ),
    "text: a star": (".txt", counted("0 {}\n"), {}),
    "text: braces": (".txt", repeated("{", before="1 2 ", after="\n"), {}),
    "GraphML: nested": (".graphml", nested("<a>", "</a>", before="<graphml>", after="</graphml>"), {}),
    "GraphML: never closed": (".graphml", repeated("<a>", before="<graphml>"), {}),
    "GraphML: attributes": (".graphml", counted(' a{}="x"', before="<graphml ", after="/>"), {}),
    "GraphML: namespaces": (".graphml", counted(' xmlns:a{0}="u{0}"', before="<graphml ", after="/>"), {}),
    "GraphML: nested namespaces": (".graphml", counted('<graphml xmlns:a{}="u">'), {}),
    "GraphML: a long namespace": (
        ".graphml",
        lambda size: f'<graphml xmlns="{"u" * (size // 2)}">' + "<a/>" * (size // 8) + "</graphml>",
        {},
    ),
    "GraphML: a namespace of 999": (
        ".graphml",
        counted("<a{}/>", before=f'<graphml xmlns="{"u" * 999}">', after="</graphml>"),
        {},
    ),
    "GraphML: open namespaces": (".graphml", repeated("xmlns='", before="<graphml>", after="</graphml>"), {}),
    "GraphML: entities": (".graphml", repeated("&amp;", before="<graphml>", after="</graphml>"), {}),
    "GraphML: one id": (
        ".graphml",
        repeated('<node id="n"/>', before="<graphml><graph>", after="</graph></graphml>"),
        {},
    ),
    "GraphML: graphs": (".graphml", repeated("<graph/>", before="<graphml>", after="</graphml>"), {}),
    "GraphML: nested graphs": (
        ".graphml",
        nested("<graph>", "</graph>", before="<graphml>", after="</graphml>"),
        {},
    ),
    "GML: nested": (".gml", repeated(" a [", before="graph ["), {}),
    "GML: nodes": (".gml", counted(" node [ id {} ]\n", before="graph [", after="]"), {}),
    "GML: nodes in one line": (".gml", counted(" node [ id {} ]", before="graph [", after="]"), {}),
    "GML: one node": (".gml", repeated(" node [ id 1 ]\n", before="graph [", after="]"), {}),
    "GML: one key": (".gml", repeated(" k 1\n", before="graph [", after="]"), {}),
    "GML: a string": (".gml", repeated("&", before='graph [ a "', after='" ]'), {}),
    "GML: an open string": (".gml", repeated("x\n", before='graph [ a "'), {}),
    "GML: digits": (".gml", repeated("9", before="graph [ a ", after="x ]"), {}),
    "GML: quotes": (".gml", repeated('"', before="graph [ a ", after=" ]"), {}),
    "GML: blanks": (".gml", repeated(" ", before="graph [", after="]"), {}),
    "Matrix Market: comments": (".mtx", repeated("%\n", before=MATRIX, after="2 2 0\n"), {}),
    "Matrix Market: a long number": (".mtx", repeated("9", before=MATRIX + "9 9 1\n1 2 ", after="x\n"), {}),
    "Matrix Market: points": (".mtx", repeated("1.1", before=MATRIX + "9 9 1\n1 2 ", after="\n"), {}),
    "Matrix Market: blanks": (".mtx", repeated(" ", before=MATRIX + "9 9 1\n1 2", after="\n"), {}),
    "graph6: two graphs": (".g6", repeated("A_\nBw\n"), {}),
    "graph6: sizes": (".g6", repeated("~"), {}),
    "graph6: headers": (".g6", repeated(">>graph6<<"), {}),
    "graph6: one graph": (".g6", one_graph6, {}),
    "npz: arrays": (".npz", archive, {}),
    "npz: strings": (".npz", strings, {}),
    "Parquet: columns": (".parquet", wide_parquet, {"source": "c0", "target": "c1"}),
    "Parquet: row groups": (".parquet", long_parquet, {}),
    "Arrow: batches": (".arrow", batches, {}),
}


def seconds(path: Path, options: dict[str, Any]) -> float:
    """Return the processor time of reading a file, accepted or not."""
    began = time.process_time()
    with warnings.catch_warnings(), contextlib.suppress(egonet.EgonetError):
        warnings.simplefilter("ignore")
        egonet.read_graphs(path, **options)
    return time.process_time() - began


def grows_too_fast(times: list[float]) -> bool:
    """Return whether the last file took too long, or too long for its size.

    >>> grows_too_fast([0.1, 0.2, 0.4]), grows_too_fast([0.1, 0.4, 1.6])
    (False, True)
    """
    ratio = times[-1] / max(times[-2], LEAST_SECONDS / 2) if len(times) > 1 else 0
    return times[-1] > MOST_SECONDS or (times[-1] > LEAST_SECONDS and ratio > MOST_RATIO)


def main() -> None:
    """Read every file in three sizes, print the times, exit 1 if one grows too fast."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", action="append", help="a part of a file's name; may be repeated")
    given = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        for what, (ending, content, options) in FILES.items():
            if given.only and not any(part in what for part in given.only):
                continue
            times: list[float] = []
            for size in SIZES:
                made = content(size)
                path = Path(name, f"hostile{ending}")
                path.write_bytes(made.encode() if isinstance(made, str) else made)
                times.append(seconds(path, options))
                if times[-1] > MOST_SECONDS:
                    break
            fails = grows_too_fast(times)
            failed += fails
            shown = ", ".join(f"{time:.2f}" for time in times)
            print(f"{what}: {shown} s{' FAILS' if fails else ''}", flush=True)
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
