"""BREC's own check of reliability, on copies that BREC distributes.

`python -m research.expressivity.brec_copies FILE` takes `GSN/datasets/BREC/brec_v3_s4/brec_v3_s4.g6` of the
repository GraphPKU/BREC: the first 260 pairs (Basic, simple and strongly regular, Extension), 32 copies of both graphs
of each in turn, and then 64 copies of one graph of each. A test is reliable if it distinguishes no two copies of one
graph; it distinguishes a pair if it is reliable on it and the copies of both graphs differ.
"""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from time import process_time
from typing import Any

from egonet import Graph, disjoint_union, read_graphs
from egonet.errors import InputError
from egonet.wl import Criterion, graph_classes
from research.expressivity.invariance import checked_tests

#: Graphs per pair, and again per pair in the second half of the file.
COPIES = 64
TESTS = (
    *("1-WL", "2-FWL", "total r=1,2", "full r=2", "R1", "R2", "R3", "R4(1, marks=2)", "R4(2, marks=1)"),
    *("R4(2, marks=2)", "R5(1)", "R5(2)", "R5(3)", "ball r=1", "ball r=2"),
)


def check(criterion: Criterion, graphs: Sequence[Graph]) -> dict[str, Any]:
    """Return how many pairs a test distinguishes, and on how many it is not reliable.

    Raises
    ------
    InputError
        If the file does not have 128 graphs per pair.

    Examples
    --------
    One pair, a path and a triangle, 32 copies of each and 64 of the path.

    >>> from egonet.wl import weisfeiler_leman
    >>> path, triangle = Graph.from_edges([(0, 1), (1, 2)]), Graph.from_edges([(0, 1), (1, 2), (2, 0)])
    >>> found = check(weisfeiler_leman(), [path, triangle] * 32 + [path] * 64)
    >>> found["distinguished"], found["unreliable"]
    (1, 0)
    """
    num_pairs, rest = divmod(len(graphs), 2 * COPIES)
    if rest:
        raise InputError(f"the file must have {2 * COPIES} graphs per pair, got {len(graphs):,} graphs.")
    began, apart, unreliable = process_time(), 0, []
    for pair in range(num_pairs):
        both = graphs[pair * COPIES : (pair + 1) * COPIES]
        one = graphs[(num_pairs + pair) * COPIES : (num_pairs + pair + 1) * COPIES]
        union, ptr = disjoint_union([*both, *one])
        found = graph_classes(criterion.classes(union, ptr), ptr)
        copies = [
            set(found[0:COPIES:2].tolist()),
            set(found[1:COPIES:2].tolist()),
            set(found[COPIES:].tolist()),
        ]
        if any(len(classes) > 1 for classes in copies):
            unreliable.append(pair)
        elif copies[0] != copies[1]:
            apart += 1
    row = {"test": criterion.name, "pairs": num_pairs, "distinguished": apart, "unreliable": len(unreliable)}
    return row | {"seconds": round(process_time() - began, 1)}


def main(file: str, target: str = "results/invariance/brec_copies.json") -> None:
    """Check every test, and write the file after each; tests that the file has are kept."""
    path, graphs = Path(target), read_graphs(file)
    rows = json.loads(path.read_text())["rows"] if path.is_file() else []
    known = checked_tests()
    for name in TESTS:
        if name in {row["test"] for row in rows}:
            continue
        rows.append(check(known[name], graphs))
        sys.stderr.write(f"{rows[-1]}\n")
        command = "python -m research.expressivity.brec_copies FILE"
        path.write_text(json.dumps({"command": command, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
