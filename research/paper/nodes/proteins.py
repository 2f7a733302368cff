"""PPI: a network on features and encoding vectors that learn along, for many labels per node."""

import copy
from itertools import pairwise
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 - its usual name
from torch import Tensor, nn

from egonet import Vocabulary, encode
from egonet.embeddings import first_table
from research.datasets.protein_files import ProteinPart, read_proteins
from research.paper.nodes.choice import NodeChoice, node_spec
from research.paper.nodes.weighted_sums import WeightedSums

_QUICK_EPOCHS = 3
_ACTIVATIONS: dict[str, type[nn.Module]] = {"elu": nn.ELU, "tanh": nn.Tanh}


def run_proteins(run: str, seed: int, choice: NodeChoice, details: dict[str, Any]) -> float:
    """Return the micro-F1 on the test graphs of one run of the spec, at its best epoch on the validation graphs."""
    spec = node_spec("nodeclassification")["ppi"]
    plan = {key: spec[key] for key in ("rate", "batch_size", "epochs", "patience")} | spec["runs"][run]
    if choice.quick:
        plan["epochs"] = _QUICK_EPOCHS
    return train_proteins(read_proteins(), plan, seed, choice.device, details)


def train_proteins(
    parts: dict[str, ProteinPart],
    plan: dict[str, Any],
    seed: int,
    device: str = "cpu",
    details: dict[str, Any] | None = None,
) -> float:
    """Return the test micro-F1 of a network that stopped on validation micro-F1.

    Parameters
    ----------
    parts
        "train", "valid" and "test".
    plan
        radius (0: no encoding), dim, layers, hidden, activation, features, rate, batch_size, epochs, patience.
    seed, device, details
        Randomness, where to learn, and where to leave what else is known.
    """
    torch.manual_seed(seed)
    random = torch.Generator().manual_seed(seed)
    model = ProteinNet(parts, plan, np.random.default_rng(seed)).to(device)
    inputs = {name: model.inputs(part, device) for name, part in parts.items()}
    labels = {name: torch.from_numpy(part.labels).to(device) for name, part in parts.items()}
    adam = torch.optim.Adam(model.parameters(), lr=plan["rate"])
    best, best_epoch, kept = -1.0, 0, copy.deepcopy(model.state_dict())
    for epoch in range(plan["epochs"]):
        order = torch.randperm(len(labels["train"]), generator=random).to(device)
        for rows in torch.split(order, plan["batch_size"]):
            loss = F.multilabel_soft_margin_loss(model(*inputs["train"], rows), labels["train"][rows])
            adam.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            adam.step()
        score = _measure(model, inputs["valid"], labels["valid"])
        if score > best:
            best, best_epoch, kept = score, epoch, copy.deepcopy(model.state_dict())
        elif epoch - best_epoch >= plan["patience"]:
            break
    model.load_state_dict(kept)
    if details is not None:
        details.update(best_epoch=best_epoch + 1, validation=round(best, 5))
    return _measure(model, inputs["test"], labels["test"])


class ProteinNet(nn.Module):
    """Linear layers on features, encoding vectors or both; columns are those of the training graphs."""

    def __init__(self, parts: dict[str, ProteinPart], plan: dict[str, Any], rng: np.random.Generator) -> None:
        super().__init__()
        train = parts["train"]
        self.uses_features: bool = plan["features"]
        self.vocabulary: Vocabulary | None = None
        width = train.features.shape[1] if self.uses_features else 0
        if plan["radius"]:
            # A loop is not an edge of the graph; its node carries it as a label instead.
            self.vocabulary = encode(train.graph, plan["radius"], labels=train.loops.astype(int)).vocabulary
            start = first_table(self.vocabulary, plan["dim"], rng).astype(np.float32)
            self.table = nn.Parameter(torch.from_numpy(start))
            width += plan["dim"]
        widths = [width, *[plan["hidden"]] * (plan["layers"] - 1)]
        activation = _ACTIVATIONS[plan["activation"]]
        layers: list[nn.Module] = []
        for before, after in pairwise(widths):
            layers += [nn.Linear(before, after), activation()]
        self.layers = nn.Sequential(*layers, nn.Linear(widths[-1], train.labels.shape[1]))

    def inputs(self, part: ProteinPart, device: str) -> tuple[Tensor, WeightedSums | None]:
        """Return what the network reads of some graphs: features, and weights of the encoding's columns."""
        features = torch.from_numpy(part.features).to(device)
        if self.vocabulary is None:
            return features, None
        encoding = encode(part.graph, vocabulary=self.vocabulary, labels=part.loops.astype(int))
        return features, WeightedSums(encoding.weighted("paper"), encoding.classes, device)

    def forward(self, features: Tensor, sums: WeightedSums | None, rows: Tensor) -> Tensor:
        """Return a logit per label for some nodes."""
        columns = [features[rows]] if self.uses_features else []
        if sums is not None:
            columns.append(F.embedding(sums.row_of[rows], sums(self.table)))
        logits: Tensor = self.layers(torch.cat(columns, dim=1))
        return logits


def _measure(model: ProteinNet, inputs: tuple[Tensor, WeightedSums | None], labels: Tensor) -> float:
    """Return the micro-F1 of a network on some graphs."""
    with torch.no_grad():
        logits = model(*inputs, torch.arange(len(labels), device=labels.device))
    return micro_f1(logits > 0, labels > 0)


def micro_f1(said: Tensor, true: Tensor) -> float:
    """Return 2 * hits / (said + true) over all labels of all nodes.

    Examples
    --------
    >>> micro_f1(torch.tensor([[True, True], [False, False]]), torch.tensor([[True, False], [False, True]]))
    0.5
    """
    hits = float((said & true).sum())
    total = float(said.sum() + true.sum())
    return 2.0 * hits / total if total else 0.0
