"""The saved corpus: lines of JSON, each a small file for one door, its bytes in base 64."""

import base64
import json
from collections.abc import Iterable, Iterator
from pathlib import Path

CORPUS = Path(__file__).parent / "corpus.jsonl"
MOST_BYTES = 20_000
MOST_KEPT = 12


def read_corpus() -> Iterator[tuple[str, bytes]]:
    """Yield the door and the bytes of every file."""
    for line in CORPUS.read_text("ascii").splitlines():
        entry = json.loads(line)
        yield entry["door"], base64.b64decode(entry["data"])


def write_corpus(files: Iterable[tuple[str, bytes]]) -> int:
    """Write files, each once, sorted; return how many."""
    kept = sorted({(door, data) for door, data in files if len(data) <= MOST_BYTES})
    lines = [json.dumps({"door": door, "data": base64.b64encode(data).decode()}) for door, data in kept]
    CORPUS.write_text("\n".join(lines) + "\n", "ascii")
    return len(kept)


def kept(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the smallest files that a run kept because each went a new way, so many for every door."""
    for door in sorted((folder / "pool").iterdir()):
        files = sorted(door.iterdir(), key=lambda path: (path.stat().st_size, path.name))
        yield from ((door.name, path.read_bytes()) for path in files[:MOST_KEPT])


def seeds() -> Iterator[tuple[str, bytes]]:
    """Yield sound files for every door."""
    from fuzz import seeds as make

    doors = {
        "csv": make.text_seeds(","),
        "tsv": make.text_seeds("\t"),
        "text": make.text_seeds(" "),
        "csv.gz": make.zipped(make.text_seeds(",")),
        "parquet": make.parquet_seeds(),
        "arrow": make.arrow_seeds(),
        "mtx": make.mtx_seeds(),
        "graphml": make.xml_seeds(),
        "gml": make.gml_seeds(),
        "graph6": make.graph6_seeds(),
        "npz": make.npz_seeds(),
        "encoding": make.encoding_seeds(),
        "embedding": make.embedding_seeds(),
        "store": make.store_seeds(),
        "archive": make.zip_seeds(),
        "pickle": make.pickle_seeds(),
        "node-link": make.node_link_seeds(),
        "results": make.result_seeds(),
        "npy": make.npy_seeds(),
    }
    for door, files in doors.items():
        yield from ((door, data) for data in files)
