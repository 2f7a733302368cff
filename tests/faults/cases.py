"""The commands that write files: their inputs, how outputs are compared, and which work is finished."""

import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

import egonet
from egonet.store.blocks import is_intact_block
from egonet.store.folder import is_intact

SOURCE = Path(egonet.__file__).parent.parent
TESTS = Path(__file__).parent.parent
RESULTS = TESTS.parent / "results"


def random_edges(path: Path, num_nodes: int = 4_000, num_edges: int = 20_000, seed: int = 0) -> None:
    """Write an edge list."""
    np.savetxt(path, np.random.default_rng(seed).integers(0, num_nodes, (num_edges, 2)), fmt="%d")


@dataclass(frozen=True)
class Case:
    """A command that writes.

    Attributes
    ----------
    name, arguments
        Its name, and the arguments after `egonet`; it runs in a new folder.
    prepare
        Writes the inputs to that folder.
    environment
        Variables that `child` reads.
    output
        The folder or file that it writes; a second process with the same output raises.
    """

    name: str
    arguments: tuple[str, ...]
    prepare: Callable[[Path], None]
    environment: dict[str, str] = field(default_factory=dict)
    output: str = "out"


def prepare_edges(folder: Path) -> None:
    random_edges(folder / "edges.txt")


def prepare_few_edges(folder: Path) -> None:
    """Write a small graph: a run on Spark takes its time to start, whatever the graph."""
    random_edges(folder / "edges.txt", 400, 1_600)


def prepare_store(folder: Path) -> None:
    prepare_edges(folder)
    (folder / "added.txt").write_text("".join(f"{7 * i} {11 * i + 1}\n" for i in range(1, 300)))
    run(ENCODE_FOLDER, folder).check_returncode()


def prepare_file(folder: Path) -> None:
    prepare_edges(folder)
    (folder / "added.txt").write_text("1 2\n3 4\n")
    encoding = egonet.encode(egonet.read_graph(folder / "edges.txt"), 2)
    encoding.save(folder / "before.npz")
    encoding.save(folder / "kept.npz", graph=True)


def prepare_results(folder: Path) -> None:
    shutil.copy(RESULTS / "expressivity.json", folder)


def prepare_events(folder: Path) -> None:
    ends = np.random.default_rng(0).integers(0, 200, (1_000, 2))
    lines = (f"{u} {v} {time}" for time, (u, v) in enumerate(ends.tolist()))
    (folder / "events.txt").write_text("\n".join(lines))


def prepare_months(folder: Path) -> None:
    """Write two months of events, and the state after the first."""
    ends = np.random.default_rng(0).integers(0, 200, (4_000, 2)).tolist()
    lines = [f"{u},{v},{time},{u % 7}.5" for time, (u, v) in enumerate(ends)]
    for name, part in (("january.csv", lines[:2_000]), ("february.csv", lines[2_000:])):
        (folder / name).write_text("\n".join(["source,target,time,amount", *part]))
    january = ("events", "january.csv", "--amount", "amount", "--windows", "500,all", "--save-state", "state")
    run(Case("events of a month", january, prepare_nothing), folder).check_returncode()


def prepare_nothing(folder: Path) -> None:
    """Leave the folder empty."""


ROWS = {"FAULTS_ROWS": "200"}
ENCODE_FOLDER = Case(
    "encode to a folder", ("encode", "edges.txt", "-r", "2", "-o", "out/"), prepare_edges, ROWS
)
ENCODE_FILES = {
    ending: Case(
        f"encode to {ending}",
        ("encode", "edges.txt", "-r", "2", "-o", f"out{ending}"),
        prepare_edges,
        {},
        f"out{ending}",
    )
    for ending in (".npz", ".csv", ".parquet", ".arrow", ".mtx")
}
UPDATE = Case("update a folder", ("update", "out", "--added", "added.txt"), prepare_store, ROWS)
UPDATE_FILE = Case(
    "update a file",
    ("update", "before.npz", "--added", "added.txt", "--graph", "edges.txt", "-o", "out.npz"),
    prepare_file,
    output="out.npz",
)
UPDATE_KEPT = Case(
    "update a file that keeps its graph",
    ("update", "kept.npz", "--added", "added.txt", "-o", "out.npz"),
    prepare_file,
    output="out.npz",
)
EMBED = Case(
    "embed",
    (
        "embed",
        "edges.txt",
        "-o",
        "out.csv",
        "--save",
        "model.npz",
        "--epochs",
        "1",
        "--dim",
        "8",
        "--walks",
        "1",
    ),
    prepare_edges,
    output="out.csv",
)
RUN = Case(
    "run",
    ("run", "table4", "--quick", "--data", "sr25", "--results", "."),
    prepare_nothing,
    output="table4.paper.jsonl",
)
SPARK = Case(
    "encode on Spark",
    (
        "encode",
        "edges.txt",
        "-r",
        "1",
        "-o",
        "out/",
        "--engine",
        "spark",
        "--master",
        "local[2,4]",
        "--partitions",
        "12",
    ),
    prepare_few_edges,
    # Java compiles less and collects garbage in one thread, which suits so short a run.
    {"JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"},
)
EVENTS = Case(
    "events of a second month",
    ("events", "february.csv", "--state", "state", "-o", "out.csv", "--save-state", "later"),
    prepare_months,
    output="out.csv",
)
COMPRESSED_ROWS = Case("write_csr", ("write_csr",), prepare_edges)
STREAM = Case("stream", ("stream",), prepare_events, output="out.npz")
EXPLORE = Case("explore", ("explore", "edges.txt", "-o", "out.html"), prepare_edges, output="out.html")
REPORT = Case("report", ("report", ".", "-o", "out.html"), prepare_results, output="out.html")
FETCH = Case(
    "datasets fetch", ("datasets", "fetch", "toy", "--folder", "out"), prepare_nothing, output="out/toy.files"
)


def environment(case: Case, **more: str) -> dict[str, str]:
    """Return the environment of a case's process."""
    path = os.pathsep.join([str(SOURCE), str(TESTS.parent), str(TESTS)])
    fixed = {
        "PYTHONPATH": path,
        "PYSPARK_PYTHON": sys.executable,
        "OMP_NUM_THREADS": "1",
        "PYTHONWARNINGS": "ignore",
        "EGONET_COMMIT": "0" * 40,  # lines of results name the commit, and a commit during a run is no fault
    }
    return os.environ | fixed | case.environment | more


def command(case: Case) -> list[str]:
    return [sys.executable, "-m", "faults.child", *case.arguments]


def run(case: Case, folder: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """Run a case undisturbed."""
    return subprocess.run(
        command(case), cwd=folder, env=environment(case, **more), capture_output=True, text=True, check=False
    )


def content(folder: Path) -> dict[str, str]:
    """Return the digest of every file below a folder by its name, without durations."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(_lasting(path)).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def _lasting(path: Path) -> bytes:
    """Return the content of a file without durations, and without the counters of a Spark run."""
    data = path.read_bytes()
    if path.suffix == ".jsonl":
        lines = [json.loads(line) for line in data.splitlines()]
        return json.dumps([line | {"seconds": 0} for line in lines], sort_keys=True).encode()
    if path.name == "model.npz":
        with np.load(io.BytesIO(data)) as arrays:
            header = json.loads(arrays["header"].tobytes())
            header["history"]["seconds"] = 0
            return json.dumps(header).encode() + arrays["table"].tobytes() + arrays["keys"].tobytes()
    if path.parent.name == ".run":
        return b""
    if path.name == "manifest.json":  # it contains the modification time of the input
        return json.dumps(json.loads(data) | {"source": None}, sort_keys=True).encode()
    return data


def finished(folder: Path) -> dict[str, object]:
    """Return the finished parts of a folder with a mark that changes if they are written again: time, or the line."""
    found: dict[str, object] = {}
    for path in folder.glob("out/graph-*"):
        if is_intact(path):
            found[path.name] = (path / "manifest.json").stat().st_mtime_ns
    for path in folder.glob("out/block-*"):
        if path.suffix != ".json" and is_intact_block(path):
            found[path.name] = (path / "manifest.json" if path.is_dir() else path).stat().st_mtime_ns
    for path in folder.glob("*.jsonl"):
        lines = path.read_bytes().split(b"\n")[:-1]
        found |= {f"line {number}": line for number, line in enumerate(lines)}
    for path in folder.glob("out/toy/*.txt"):
        found[path.name] = path.stat().st_mtime_ns
    return found
