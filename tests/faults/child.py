"""A process that runs a command and announces every change in its folder through a pipe."""

import os
import sys
from pathlib import Path

CHANGES = {"os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.truncate"}
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT


def announce(pipe: int, folder: str) -> None:
    """Write a byte to the pipe before every change below the folder: files opened for writing, renamed, removed."""

    def hook(event, arguments):
        if event == "open":
            path, _, flags = arguments
            is_change = bool((flags or 0) & WRITES)
        else:
            path, is_change = arguments[0] if arguments else None, event in CHANGES
        if is_change and isinstance(path, str | os.PathLike) and os.path.abspath(path).startswith(folder):
            os.write(pipe, b".")

    sys.addaudithook(hook)


def small_blocks(rows: int) -> None:
    """Give a store blocks of a few rows, as for a graph larger than memory."""
    from importlib import import_module

    encode_store = import_module("egonet.store.encode")

    encode_store.LEAST_BLOCK = rows


def local_registry(base: str) -> None:
    """Serve the data set "toy" from this machine."""
    from faults.server import FILES, sha256
    from research.cli import datasets_command as datasets
    from research.datasets.registry import DataFile, DataSet

    files = tuple(DataFile(f"toy/{name}", sha256(name), len(text), name) for name, text in FILES.items())
    toy = DataSet("toy", "A toy", "none", 1, 3, 2, files, bases=(base,), archive="")
    datasets.data_set = lambda name: toy
    datasets.registry = lambda: {"toy": toy}


def stream() -> None:
    """Add events in batches and save after each; begin after the last batch that was saved, and note every saved one.

    A batch is acknowledged once it is in acknowledged.txt. A stream that has lost one ends this process with 3.
    """
    import egonet

    saved, noted, size = Path("out.npz"), Path("acknowledged.txt"), 50
    events = [tuple(map(int, line.split())) for line in Path("events.txt").read_text().splitlines()]
    stream = egonet.Stream.open(saved) if saved.exists() else egonet.Stream(1, window=400)
    if stream.num_added < size * (len(noted.read_bytes()) if noted.exists() else 0):
        sys.exit(3)
    for first in range(stream.num_added, len(events), size):
        stream.add(events[first : first + size])
        stream.save(saved)
        with noted.open("ab") as file:
            file.write(b".")
    Path("features.txt").write_text(repr([stream.features([node])[node] for node in range(200)]))
    noted.unlink(missing_ok=True)


def write_compressed_rows() -> None:
    """Write a graph for other tools."""
    import egonet

    egonet.store.write_csr(egonet.read_graph("edges.txt", directed=False, simplify=True), "out")


def main() -> None:
    """Run the command line, prepared as the environment says."""
    if rows := os.environ.get("FAULTS_ROWS"):
        small_blocks(int(rows))
    if base := os.environ.get("FAULTS_SERVER"):
        local_registry(base)
    if pipe := os.environ.get("FAULTS_PIPE"):
        announce(int(pipe), str(Path.cwd()))
    if sys.argv[1] == "stream":
        command = stream
    elif sys.argv[1] == "write_csr":
        command = write_compressed_rows
    elif sys.argv[1] in ("run", "report", "datasets"):
        from research.__main__ import main as command
    else:
        from egonet.cli.main import main as command

    command()


if __name__ == "__main__":
    main()
