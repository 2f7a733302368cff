"""Files of the corpus, or given ones, read once each as they are, in this very process."""

import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from egonet.errors import EgonetError
from fuzz.corpus import read_corpus
from fuzz.targets import BY_NAME, Target


def run(files: list[tuple[str, Path]], report: Callable[[str], None]) -> int:
    """Read files, each a door and a path, or the whole corpus; return how many are neither read nor refused."""
    cases = [(door, path.read_bytes()) for door, path in files] or list(read_corpus())
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for door, data in cases:
            counts[outcome(BY_NAME[door], data, Path(folder), report)] += 1
    report(
        f"{len(cases):,} files: " + ", ".join(f"{count:,} {kind}" for kind, count in sorted(counts.items()))
    )
    return counts["failed"]


def outcome(target: Target, data: bytes, folder: Path, report: Callable[[str], None]) -> str:
    """Return whether a file was read, refused or failed."""
    path = folder / target.file
    path.write_bytes(data)
    try:
        target.read(path)
    except EgonetError:
        return "refused"
    except Exception as error:  # noqa: BLE001 — whatever it is, it is what is looked for
        report(f"{target.name}: {type(error).__name__}: {error}")
        return "failed"
    return "read"
