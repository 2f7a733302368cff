"""Seconds of everything around the kernel by number of threads: python -m benchmarks.pipeline [--quick] --output DIR.

Writes pipeline.json and pipeline.md: files that are read (with the peak memory of the process), conversions, the phases
of `egonet encode big.csv -o out.parquet`, many small graphs, and 1-WL. Each figure is the median of several processes,
in which EGONET_THREADS and OMP_NUM_THREADS (for pyarrow) limit the number of threads; thread counts take turns.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import egonet
from benchmarks.graphs import about, rmat, small_graphs
from egonet.kernel import native

THREADS = (1, 2, 4, 8, 16)
#: The variables that limit the threads of egonet, pyarrow and polars.
LIMITS = ("EGONET_THREADS", "OMP_NUM_THREADS", "POLARS_MAX_THREADS")
#: Edges of the files: about 1 GB of CSV, and what the command encodes.
LARGE, USUAL = 72_000_000, 5_000_000


def write_files(folder: Path, edges: dict[str, int]) -> None:
    """Write edge lists of numbers as CSV and Parquet, those called "usual" also with names."""
    import pyarrow as pa
    from pyarrow import csv, parquet

    for name, count in edges.items():
        ends = np.random.default_rng(0).integers(0, count // 5, (2, count))
        table = pa.table({"source": ends[0], "target": ends[1]})
        csv.write_csv(table, folder / f"{name}.csv")
        parquet.write_table(table, folder / f"{name}.parquet")
        if name == "usual":
            text = [pa.array([f"user{end}" for end in side]) for side in ends.tolist()]
            table = pa.table({"source": text[0], "target": text[1]})
            csv.write_csv(table, folder / "names.csv")
            parquet.write_table(table, folder / "names.parquet")


def timed(call: Callable[[], Any]) -> dict[str, float]:
    """Return the wall seconds of a call, and the processor seconds of all its threads."""
    began, used = time.perf_counter(), time.process_time()
    call()
    return {"seconds": time.perf_counter() - began, "processor seconds": time.process_time() - used}


def peak_gigabytes() -> float:
    """Return the largest memory of this process so far."""
    return int(Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0]) / 2**20


def read(folder: Path, name: str) -> dict[str, float]:
    """Return the seconds of reading a file, and the peak memory of the process."""
    return {**timed(lambda: egonet.read_graph(folder / name)), "peak GB": peak_gigabytes()}


def phases(folder: Path, _name: str) -> dict[str, float]:
    """Return the seconds of each phase of `egonet encode big.csv -o out.parquet`, and the peak memory."""
    found: dict[str, float] = {}

    def phase(name: str, call: Callable[[], Any]) -> Any:
        began = time.perf_counter()
        result = call()
        found[name] = time.perf_counter() - began
        return result

    graph = phase("read_graph", lambda: egonet.read_graph(folder / "usual.csv"))
    encoding = phase("encode", lambda: egonet.encode(graph, radius=1))
    path = folder / f"out{os.getpid()}.parquet"
    phase("write Parquet", lambda: encoding.write(path))
    path.unlink()
    return {"seconds": sum(found.values()), **found, "peak GB": peak_gigabytes()}


def convert(folder: Path, name: str) -> dict[str, float]:
    """Return the seconds of `as_graph` on an edge_index or a data frame."""
    import pyarrow.parquet as parquet

    table = parquet.read_table(folder / ("names.parquet" if "names" in name else "usual.parquet"))
    data: Any = table
    if name == "edge_index":
        data = np.stack([column.to_numpy() for column in table])
    elif name.startswith("pandas"):
        data = table.to_pandas().astype(object) if "objects" in name else table.to_pandas()
    elif name.startswith("polars"):
        import polars as pl

        data = pl.from_arrow(table)
    return timed(lambda: egonet.as_graph(data))


def molecules(_folder: Path, name: str) -> dict[str, float]:
    """Return the seconds of many small graphs in one call, each graph with its arrays."""
    count = int(name.split()[-1].replace(",", ""))
    union = small_graphs(count)
    size = union.num_nodes // count
    starts = union.indptr[::size].tolist()
    graphs = [
        egonet.Graph.from_checked(
            union.indptr[i * size : (i + 1) * size + 1] - starts[i],
            union.indices[starts[i] : starts[i + 1]] - np.int32(i * size),
        )
        for i in range(count)
    ]
    if name.startswith("GraphEncoder"):
        threads = native.available_cores()  # n_jobs=-1 would be all cores, whatever EGONET_THREADS says
        return timed(lambda: egonet.GraphEncoder(radius=2, n_jobs=threads).fit_transform(graphs))
    return timed(lambda: egonet.encode(graphs, radius=(1, 2, 3), degrees="full"))


def refine(_folder: Path, _name: str) -> dict[str, float]:
    """Return the seconds of 1-WL on an R-MAT graph."""
    made = rmat(17)
    graph = egonet.Graph(made.indptr, made.indices)
    return timed(lambda: egonet.wl_colors(graph))


PARTS: dict[str, tuple[Callable[[Path, str], dict[str, float]], str]] = {
    "read_graph, 1 GB CSV, 72 million edges": (read, "large.csv"),
    "read_graph, Parquet, 72 million edges": (read, "large.parquet"),
    "read_graph, CSV of names": (read, "names.csv"),
    "read_graph, Parquet of names": (read, "names.parquet"),
    "egonet encode usual.csv -o out.parquet": (phases, ""),
    "as_graph, edge_index": (convert, "edge_index"),
    "as_graph, pandas": (convert, "pandas"),
    "as_graph, pandas with names": (convert, "pandas names"),
    "as_graph, pandas with names as objects": (convert, "pandas names objects"),
    "as_graph, polars with names": (convert, "polars names"),
    "encode, radius (1, 2, 3), full, 250,000 molecules": (molecules, "molecules 250,000"),
    "GraphEncoder, radius 2, 100,000 molecules": (molecules, "GraphEncoder 100,000"),
    "wl_colors, R-MAT 17": (refine, ""),
}


def warm_up(part: str) -> None:
    """Import what a part would import while it is timed."""
    if "molecules" in part:
        egonet.GraphEncoder().fit_transform([egonet.named.path("abc")])
    elif "Parquet" in part or "as_graph" in part or "parquet" in part:
        import pandas as pd
        from pyarrow import parquet as parquet

        for kind in ("str", "object"):
            egonet.as_graph(pd.DataFrame({"source": ["a"], "target": ["b"]}, dtype=kind))


def in_process(folder: Path, part: str, threads: int, *, quick: bool) -> dict[str, float] | None:
    """Return what a part measures in a new process; None if it fails."""
    call = [sys.executable, "-m", "benchmarks.pipeline", "--part", part, "--folder", str(folder)]
    if quick:
        call.append("--quick")
    environment = os.environ | dict.fromkeys(LIMITS, str(threads))
    done = subprocess.run(call, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"{part}: {done.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
        return None
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def medians(
    folder: Path, part: str, threads: list[int], options: argparse.Namespace
) -> dict[int, dict[str, float]]:
    """Return the median of every figure of a part by number of threads; thread counts take turns."""
    runs: dict[int, list[dict[str, float]]] = {count: [] for count in threads}
    for _ in range(options.rounds):
        for count in threads:
            found = in_process(folder, part, count, quick=options.quick)
            if found is not None:
                runs[count].append(found)
    return {
        count: {figure: float(np.median([run[figure] for run in found])) for figure in found[0]}
        for count, found in runs.items()
        if found
    }


def lines_of(rows: dict[str, dict[int, dict[str, float]]], threads: list[int]) -> list[str]:
    """Return the table as lines of Markdown: a line per part and figure."""
    lines = [
        f"| what | {' | '.join(map(str, threads))} | {threads[0]} to {threads[-1]} |",
        "|---|" + "---:|" * (len(threads) + 1),
    ]
    for part, by_threads in rows.items():
        for figure in next(iter(by_threads.values()), {}):
            values = [by_threads.get(count, {}).get(figure) for count in threads]
            cells = ["" if value is None else f"{value:.3f}" for value in values]
            first, last = values[0], values[-1]
            ratio = (
                f"{first / last:.1f}x"
                if first and last and figure not in ("peak GB", "processor seconds")
                else ""
            )
            name = part if figure == "seconds" else f"{part}: {figure}"
            lines.append(f"| {name} | {' | '.join(cells)} | {ratio} |")
    return lines


def main() -> None:
    """Measure and write the table, or one part for the process that asks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=Path("results/speed"))
    parser.add_argument("--threads", type=int, nargs="*", default=list(THREADS))
    parser.add_argument("--edges", type=int, default=USUAL, help="of all files but the largest")
    parser.add_argument("--rounds", type=int, default=3, help="processes per figure; the median is written")
    parser.add_argument("--only", nargs="*", help="parts whose names contain one of these")
    parser.add_argument("--folder", type=Path, help="where the files are; they are written if missing")
    parser.add_argument("--part", help=argparse.SUPPRESS)
    parser.add_argument("--quick", action="store_true", help="small files, in seconds")
    options = parser.parse_args()
    if options.part:
        measure, name = PARTS[options.part]
        name = name.replace(",000", "") if options.quick else name
        warm_up(options.part)
        print(json.dumps(measure(options.folder, name)))
        return
    parts = [part for part in PARTS if not options.only or any(word in part for word in options.only)]
    folder = options.folder or Path(tempfile.mkdtemp())
    folder.mkdir(parents=True, exist_ok=True)
    if options.quick:
        options.edges, options.rounds, options.threads = USUAL // 100, 1, [1, 2]
    sizes = {"usual": options.edges}
    if any("large" in PARTS[part][1] for part in parts):
        sizes["large"] = LARGE // 100 if options.quick else LARGE
    write_files(folder, {name: sizes[name] for name in sizes if not (folder / f"{name}.parquet").exists()})
    threads = options.threads
    rows: dict[str, dict[int, dict[str, float]]] = {}
    for part in parts:
        rows[part] = medians(folder, part, threads, options)
        print("\n".join(lines_of({part: rows[part]}, threads)[2:]), flush=True)
    options.output.mkdir(parents=True, exist_ok=True)
    command = " ".join(["python -m benchmarks.pipeline", *sys.argv[1:]])
    machine = about()
    found = {"command": command, **machine, "edges": options.edges, "rounds": options.rounds, "rows": rows}
    (options.output / "pipeline.json").write_text(json.dumps(found, indent=1) + "\n")
    head = [
        "# Seconds around the kernel by number of threads",
        "",
        f"`{command}`: medians of {options.rounds} processes; {machine['processor']}, {machine['cores']} cores, "
        f"{machine['date']}, commit {machine['commit']}. {options.edges:,} edges unless a row says otherwise.",
        "",
    ]
    (options.output / "pipeline.md").write_text("\n".join([*head, *lines_of(rows, threads)]) + "\n")


if __name__ == "__main__":
    main()
