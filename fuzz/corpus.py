"""The saved corpus: JSON lines, each a small file for one target in base 64; and its replay."""

import base64
import json
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from egonet.errors import EgonetError, IgnoredInputWarning
from fuzz import saved_seeds
from fuzz import seeds as make
from fuzz.targets import BY_NAME, Target

CORPUS = Path(__file__).parent / "corpus.jsonl"
MOST_BYTES = 20_000
MOST_KEPT = 12


def read_corpus() -> Iterator[tuple[str, bytes]]:
    """Yield the target and the bytes of every file."""
    for line in CORPUS.read_text("ascii").splitlines():
        entry = json.loads(line)
        yield entry["target"], base64.b64decode(entry["data"])


def write_corpus(files: Iterable[tuple[str, bytes]]) -> int:
    """Write files, each once, sorted; return their number."""
    kept = sorted({(target, data) for target, data in files if len(data) <= MOST_BYTES})
    lines = [json.dumps({"target": target, "data": base64.b64encode(data).decode()}) for target, data in kept]
    CORPUS.write_text("\n".join(lines) + "\n", "ascii")
    return len(kept)


def kept(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the smallest files that a run kept for every target, because each had a new outcome."""
    for target in sorted((folder / "pool").iterdir()):
        files = sorted(target.iterdir(), key=lambda path: (path.stat().st_size, path.name))
        yield from ((target.name, path.read_bytes()) for path in files[:MOST_KEPT])


def seeds() -> Iterator[tuple[str, bytes]]:
    """Yield valid files for every target."""
    files_of = {
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
        "stream file": saved_seeds.stream_seeds(),
        "vocabulary": saved_seeds.vocabulary_seeds(),
        "pair columns": saved_seeds.pair_seeds(),
        "pair list": make.text_seeds(","),
        "event table": saved_seeds.event_seeds(),
    }
    for target, files in files_of.items():
        yield from ((target, data) for data in files)


def replay(files: list[tuple[str, Path]], report: Callable[[str], None]) -> int:
    """Read files, each a target and a path, or the whole corpus; return how many end in an unexpected error."""
    cases = [(name, path.read_bytes()) for name, path in files] or list(read_corpus())
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", IgnoredInputWarning)
        for name, data in cases:
            counts[outcome(BY_NAME[name], data, Path(folder), report)] += 1
    report(
        f"{len(cases):,} files: " + ", ".join(f"{count:,} {kind}" for kind, count in sorted(counts.items()))
    )
    return counts["failed"]


def outcome(target: Target, data: bytes, folder: Path, report: Callable[[str], None]) -> str:
    """Return "accepted", "rejected" or "failed"."""
    path = folder / target.file
    path.write_bytes(data)
    try:
        target.read(path)
    except EgonetError:
        return "rejected"
    except Exception as error:  # noqa: BLE001 — any other exception is a finding
        report(f"{target.name}: {type(error).__name__}: {error}")
        return "failed"
    return "accepted"
