"""Small GCN and GraphSAGE trained on one graph and tested on the others of its family.

`python -m research.transfer.networks [FAMILY ...] [--seeds 3]` writes `results/transfer/networks.jsonl`, on a GPU if
there is one. A line that is there is not run again.
"""

import argparse
import json
import sys
import time
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sklearn.metrics import roc_auc_score
from torch import Tensor, nn
from torch_geometric.nn import GCNConv, SAGEConv

import egonet
from egonet import Graph
from research.paper.results import current_commit
from research.transfer.families import FAMILIES, Member
from research.transfer.run import COLUMNS
from research.transfer.tables import NETWORK_INPUTS

RESULTS = Path("results/transfer/networks.jsonl")
WIDTH, EPOCHS, RATE = 32, 100, 0.01
#: Small graphs first.
ORDER = ("airports", "blocks", "interactions", "roles", "citations", "proteins", "Twitch", "social")
LAYERS = {"GCN": GCNConv, "GraphSAGE": SAGEConv}
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


class Network(nn.Module):
    """Two layers that pass messages, and a linear one."""

    def __init__(self, layer: Any, width_in: int, num_classes: int) -> None:
        super().__init__()
        self.first, self.second = layer(width_in, WIDTH), layer(WIDTH, WIDTH)
        self.last = nn.Linear(WIDTH, num_classes)

    def forward(self, x: Tensor, arcs: Tensor) -> Tensor:
        """Return a value per node and class."""
        x = self.first(x, arcs).relu()
        x = nn.functional.dropout(x, 0.2, self.training)
        found: Tensor = self.last(self.second(x, arcs).relu())
        return found


def arcs_of(graph: Graph) -> Tensor:
    """Return the arcs of a graph as a sparse matrix: on a CPU a third of the time of edge_index."""
    starts, ends = (torch.from_numpy(part.astype(np.int64)) for part in (graph.indptr, graph.indices))
    size = (len(graph), len(graph))
    return torch.sparse_csr_tensor(starts, ends, torch.ones(len(ends)), size).to(DEVICE)


def scaled(name: str, source: str, members: dict[str, Member]) -> dict[str, Tensor]:
    """Return columns learned on one graph, for every graph, scaled as there; counts and degrees as logarithms."""
    rows, vocabulary = COLUMNS[name](members[source].graph)
    scale = np.log1p if name in ("degree", "ego 1, counts") else np.asarray
    mean, spread = scale(rows).mean(axis=0), scale(rows).std(axis=0) + 1e-6
    inputs = {}
    for title, member in members.items():
        rows = (scale(COLUMNS[name](member.graph, vocabulary)[0]) - mean) / spread
        inputs[title] = torch.from_numpy(rows.astype(np.float32)).to(DEVICE)
    return inputs


def train(layer: Any, member: Member, x: Tensor, seed: int) -> Network:
    """Return a network trained on all nodes of a graph that have a target."""
    torch.manual_seed(seed)
    target = torch.from_numpy(member.target).to(DEVICE)
    chosen, arcs = target >= 0, arcs_of(member.graph)
    network = Network(layer, x.shape[1], int(target.max()) + 1).to(DEVICE)
    optimizer = torch.optim.Adam(network.parameters(), RATE, weight_decay=5e-4)
    for _ in range(EPOCHS):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(network(x, arcs)[chosen], target[chosen])
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
    return network.eval()


def score(network: Network, member: Member, x: Tensor) -> float:
    """Return the accuracy, or the area under the ROC curve for two classes, in hundredths."""
    chosen = member.target >= 0
    with torch.no_grad():
        values = network(x, arcs_of(member.graph)).cpu().numpy()[chosen]
    target = member.target[chosen]
    if values.shape[1] == 2:
        return 100 * float(roc_auc_score(target, values[:, 1] - values[:, 0]))
    return 100 * float((values.argmax(axis=1) == target).mean())


def main() -> None:
    """Run what is missing of some families."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("families", nargs="*", default=ORDER)
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args()
    lines = [json.loads(text) for text in RESULTS.read_text().splitlines()] if RESULTS.exists() else []
    fields = ("family", "train", "columns", "model", "seed")
    finished = {tuple(line[field] for field in fields) for line in lines}
    for family in options.families:
        members = {title: make() for title, make in FAMILIES[family].members.items()}
        inputs = {
            (name, source): scaled(name, source, members) for name in NETWORK_INPUTS for source in members
        }
        for seed, (name, source), model in product(range(options.seeds), inputs, LAYERS):
            if (family, source, name, model, seed) in finished:
                continue
            began, x = time.process_time(), inputs[name, source]
            network = train(LAYERS[model], members[source], x[source], seed)
            for other in members:
                if other == source:
                    continue
                line: dict[str, Any] = {"family": family, "half": FAMILIES[family].half}
                line |= {"train": source, "test": other, "columns": name, "model": model, "seed": seed}
                line["score"] = round(score(network, members[other], x[other]), 3)
                line["seconds"], line["device"] = round(time.process_time() - began, 2), DEVICE
                line |= {"egonet": egonet.__version__, "commit": current_commit()}
                with RESULTS.open("a") as stream:
                    stream.write(json.dumps(line) + "\n")
        sys.stderr.write(f"{family} is done\n")


if __name__ == "__main__":
    main()
