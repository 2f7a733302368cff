"""Whether `memory_limit` holds: predicted and measured peak memory of `encode` on the benchmark graphs.

python -m benchmarks.memory [--threads 2]. Every line is a process of its own; measured is the growth of the resident
set during the call, its high-water mark, so neither imports nor the graph are in it. A limit equal to the prediction
is the smallest that is not refused: it holds if measured is at most 1.1 times predicted.
"""

import argparse
import ctypes
import json
import subprocess
import sys
from typing import Any

from benchmarks.graphs import GRAPHS

CASES: list[tuple[str, dict[str, Any]]] = [
    *((name, {"radius": 1}) for name in GRAPHS),
    *((name, {"radius": 2}) for name in GRAPHS),
    ("facebook", {"radius": 3}),
    ("astroph", {"radius": [1, 2]}),
    ("astroph", {"radius": 2, "degree_bins": "log"}),
    ("facebook", {"radius": 2, "degrees": "layered"}),
    ("astroph", {"radius": 2, "degrees": "full"}),
    ("rmat14", {"radius": 2, "degrees": "full"}),
    ("rmat14", {"radius": 2, "layout": "paper"}),
]
_KILOBYTE = 1024


def status(word: str) -> int:
    """Return a line of /proc/self/status in bytes."""
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) * _KILOBYTE for line in lines if line.startswith(word))


def measure(name: str, words: dict[str, Any], threads: int) -> dict[str, Any] | None:
    """Return predicted and measured bytes of one call in this process, or None without the graph's data."""
    import egonet
    from egonet.errors import MemoryLimitError
    from egonet.kernel.cost import predict_peak

    found = GRAPHS[name]()
    if found is None:
        return None
    graph = egonet.Graph(found.indptr, found.indices)
    radii = words["radius"] if isinstance(words["radius"], list) else [words["radius"]]
    options: Any = {
        "degrees": words.get("degrees", "total"),
        "moved": "degree_bins" in words or "layout" in words,
    }
    predicted = predict_peak(graph.indptr, graph.indices, None, radii, threads=threads, **options)
    try:
        egonet.encode(graph, threads=threads, memory_limit=predicted - 1, **words)
        raise SystemExit(f"{name} {words}: a limit below the prediction was accepted")
    except MemoryLimitError:
        pass
    ctypes.CDLL("libc.so.6").malloc_trim(0)  # what is free already must not serve the call unseen
    with open("/proc/self/clear_refs", "w") as reset:  # forgets the high-water mark
        reset.write("5")
    before = status("VmRSS")
    encoding = egonet.encode(graph, threads=threads, memory_limit=predicted, **words)
    measured, matrix = status("VmHWM") - before, encoding.matrix
    result = matrix.data.nbytes + matrix.indices.nbytes + matrix.indptr.nbytes
    return {"graph": found.name, "result": result, "predicted": predicted, "measured": measured}


def main() -> None:
    """Print a table; exit 1 if a limit was exceeded by more than a tenth."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--only", default="", help="a part of a graph and its words, as in 'rmat17 radius=2'")
    parser.add_argument("--one", help="for the processes of this program: one case as JSON")
    given = parser.parse_args()
    if given.one:
        print(json.dumps(measure(*json.loads(given.one), given.threads)))
        return
    print("| graph | words | result MB | predicted peak MB | measured peak MB | measured / predicted |")
    print("|---|---|--:|--:|--:|--:|")
    worst = 0.0
    for case in CASES:
        if given.only not in " ".join([case[0], *(f"{word}={value!r}" for word, value in case[1].items())]):
            continue
        command = [
            sys.executable,
            "-m",
            "benchmarks.memory",
            "--threads",
            str(given.threads),
            "--one",
            json.dumps(case),
        ]
        row = json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout)
        if row is None:
            continue
        ratio = row["measured"] / row["predicted"]
        worst = max(worst, ratio)
        words = ", ".join(f"{word}={value!r}" for word, value in case[1].items())
        sizes = " | ".join(f"{row[name] / 1e6:,.1f}" for name in ("result", "predicted", "measured"))
        print(f"| {row['graph']} | `{words}` | {sizes} | {ratio:.2f} |", flush=True)
    print(f"\nThe worst: {worst:.2f}.")
    sys.exit(worst > 1.1)


if __name__ == "__main__":
    main()
