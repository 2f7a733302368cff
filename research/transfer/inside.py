"""Five-fold cross-validation inside each graph: what it promises for columns, next to what happens on another graph.

`python -m research.transfer.inside airports` writes `results/transfer/inside.jsonl`, a line per graph,
columns and model. A line that is there is not run again.
"""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold

import egonet
from research.paper.results import current_commit
from research.transfer.families import FAMILIES
from research.transfer.run import COLUMNS, MODELS, TRAINED, chosen_nodes, score

RESULTS = Path("results/transfer/inside.jsonl")
INSIDE = ("degree rank", "ego 1, counts", "ego 1+2, counts")


def main(names: list[str]) -> None:
    """Run what is missing of some families."""
    lines = [json.loads(text) for text in RESULTS.read_text().splitlines()] if RESULTS.exists() else []
    finished = {tuple(line[field] for field in ("family", "graph", "columns", "model")) for line in lines}
    for family in names:
        for title, make in FAMILIES[family].members.items():
            member: Any = None
            for name in INSIDE:
                for model in MODELS:
                    if (family, title, name, model) in finished:
                        continue
                    member = make() if member is None else member
                    nodes = chosen_nodes(member, TRAINED, 0)
                    rows, target = COLUMNS[name](member.graph)[0][nodes], member.target[nodes]
                    folds = StratifiedKFold(5, shuffle=True, random_state=0).split(rows, target)
                    scores = [
                        score(MODELS[model](0).fit(rows[train], target[train]), rows[test], target[test])
                        for train, test in folds
                    ]
                    line: dict[str, Any] = {"family": family, "graph": title, "columns": name, "model": model}
                    line |= {"score": round(float(np.mean(scores)), 3), "folds": 5}
                    line |= {"egonet": egonet.__version__, "commit": current_commit()}
                    with RESULTS.open("a") as stream:
                        stream.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
