"""Times of fingerprints of molecules next to RDKit's Morgan counts, and what our own parser of SMILES reads.

`EGONET_DATA=... python -m benchmarks.molecules` writes `results/speed/molecules.json`, after every set. Times are
processor seconds of one thread, medians of runs that take turns; ratios are medians of the ratios of one turn. Parsers
are compared on all molecules that RDKit reads, with the default labels and types of bonds; ZINC-12k has no SMILES, so
that RDKit writes them. `--page` writes the tables of `docs/research/performance.md` from the file.
"""

import json
import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from rdkit import Chem, rdBase
from rdkit import __version__ as rdkit_version
from rdkit.Chem.rdFingerprintGenerator import GetMorganGenerator

import egonet
from benchmarks.graphs import about
from egonet.graph.smiles import read_smiles
from research.expressivity.class_bags import rebuilt
from research.expressivity.refined_features import zinc

TARGET = Path("results/speed/molecules.json")
PAGE = Path("docs/research/performance.md")
#: The tables of the page stand between these lines.
MARKS = ("<!-- molecules: python -m benchmarks.molecules --page -->", "<!-- end of molecules -->")
SETS = {
    **{name: f"moleculenet/{name}" for name in ("freesolv", "esol", "bace", "bbbp", "lipo", "tox21")},
    "peptides": "peptides/peptides_func",
    "molhiv": "molhiv/HIV",
}
#: The sets that are timed, and how many of their molecules.
TIMED = {"peptides": 1000, "lipo": 4000, "molhiv": 4000}
ROUNDS = 7


def read_texts(folder: Path, name: str) -> list[str]:
    """Return the SMILES of a set."""
    if name == "zinc":
        return [Chem.MolToSmiles(molecule) for molecule in rebuilt(zinc(folder))]
    table = pd.read_csv(folder / f"{SETS[name]}.csv.gz").rename(columns={"mol": "smiles"})
    texts: list[str] = table["smiles"].tolist()
    return texts


def compare_parsers(name: str, texts: list[str]) -> dict[str, Any]:
    """Return how many texts our own parser reads by itself, and whether all rows equal those of RDKit."""
    molecules = [Chem.MolFromSmiles(text) for text in texts]
    read = [text for text, molecule in zip(texts, molecules, strict=True) if molecule is not None]
    left: list[int] = []

    def parse(position: int) -> Any:
        left.append(position)
        return Chem.MolFromSmiles(read[position])

    read_smiles(read, "invariant", parse)
    slow, fast = (
        egonet.MoleculeEncoder(parser=parser, sparse_output=True).transform(read)  # type: ignore[arg-type]
        for parser in ("rdkit", "fast")
    )
    return {
        "set": name,
        "molecules": len(texts),
        "refused_by_rdkit": len(texts) - len(read),
        "read_without_rdkit": len(read) - len(left),
        "rows_differ": int(np.unique((slow != fast).nonzero()[0]).size),
    }


#: Our way → RDKit's way to the same kind of fingerprint.
RIVALS = {
    "molecules, ours 2": "molecules, Morgan 2",
    "molecules, ours 3": "molecules, Morgan 3",
    "SMILES, ours 3": "SMILES, Morgan 3",
    "SMILES, ours 3, fast": "SMILES, Morgan 3",
}


def time_jobs(texts: list[str]) -> dict[str, Any]:
    """Return the median seconds of every way from molecules or SMILES to rows, and the ratios to RDKit's Morgan."""
    molecules = [Chem.MolFromSmiles(text) for text in texts]
    texts = [text for text, molecule in zip(texts, molecules, strict=True) if molecule is not None]
    molecules = [molecule for molecule in molecules if molecule is not None]
    ours = {radius: egonet.MoleculeEncoder(radius, n_jobs=1) for radius in (2, 3)}
    fast = egonet.MoleculeEncoder(3, parser="fast", n_jobs=1)

    def morgan(radius: int, given: list[Any]) -> Any:
        generate = GetMorganGenerator(radius=radius, fpSize=2048).GetCountFingerprintAsNumPy
        return np.stack([generate(molecule) for molecule in given])

    jobs: dict[str, Callable[[], Any]] = {
        "molecules, Morgan 2": lambda: morgan(2, molecules),
        "molecules, ours 2": lambda: ours[2].transform(molecules),
        "molecules, Morgan 3": lambda: morgan(3, molecules),
        "molecules, ours 3": lambda: ours[3].transform(molecules),
        "SMILES, Morgan 3": lambda: morgan(3, [Chem.MolFromSmiles(text) for text in texts]),
        "SMILES, ours 3": lambda: ours[3].transform(texts),
        "SMILES, ours 3, fast": lambda: fast.transform(texts),
    }
    seconds: dict[str, list[float]] = {name: [] for name in jobs}
    for _ in range(ROUNDS):
        for name, job in jobs.items():
            started = time.process_time()
            job()
            seconds[name].append(time.process_time() - started)
    ratios = {
        ours: round(statistics.median(a / b for a, b in zip(seconds[ours], seconds[other], strict=True)), 2)
        for ours, other in RIVALS.items()
    }
    medians = {name: round(statistics.median(values), 3) for name, values in seconds.items()}
    return medians | {"ratios": ratios}


def tables(content: dict[str, Any]) -> str:
    """Return the tables of the page: times as multiples of RDKit's Morgan counts, and what our own parser reads."""
    times = content["times"]
    heads = [f"{line['set']}, {line['molecules']:,} molecules" for line in times]
    rows = [f"| from, radius | {' | '.join(heads)} |", "|---" + "|--:" * len(heads) + "|"]
    for ours in RIVALS:
        cells = [f"{line['ratios'][ours]:.2f} ({line[ours]:.2f} s)" for line in times]
        rows.append(f"| {ours.replace(', ours', ',')} | {' | '.join(cells)} |")
    rows += [
        "",
        "| set | molecules that RDKit reads | read without RDKit | rows that differ |",
        "|---|--:|--:|--:|",
    ]
    for line in content["parsers"]:
        read = line["molecules"] - line["refused_by_rdkit"]
        rows.append(f"| {line['set']} | {read:,} | {line['read_without_rdkit']:,} | {line['rows_differ']} |")
    return "\n".join(rows)


def write_page(page: Path = PAGE) -> None:
    """Replace the tables of the page by those of the file."""
    text = page.read_text(encoding="utf-8")
    first, last = text.index(MARKS[0]) + len(MARKS[0]), text.index(MARKS[1])
    table = tables(json.loads(TARGET.read_text(encoding="utf-8")))
    page.write_text(f"{text[:first]}\n\n{table}\n\n{text[last:]}", encoding="utf-8")


def main() -> None:
    """Time and compare all sets, and write the file."""
    if "--page" in sys.argv:
        write_page()
        return
    folder = Path(os.environ["EGONET_DATA"])
    rdBase.DisableLog("rdApp.*")
    times: list[dict[str, Any]] = []
    parsers: list[dict[str, Any]] = []
    content = {"clock": "processor seconds, one thread, medians", "times": times, "parsers": parsers}
    content |= {"rdkit": rdkit_version} | about()
    for name, count in TIMED.items():
        times.append({"set": name, "molecules": count, **time_jobs(read_texts(folder, name)[:count])})
        write(content, times[-1])
    for name in ("zinc", *SETS):
        parsers.append(compare_parsers(name, read_texts(folder, name)))
        write(content, parsers[-1])


def write(content: dict[str, Any], news: Any) -> None:
    """Write what was measured so far, and print what is new."""
    sys.stderr.write(f"{news}\n")
    TARGET.write_text(json.dumps(content, indent=1) + "\n")


if __name__ == "__main__":
    main()
