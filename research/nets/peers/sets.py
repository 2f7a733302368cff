"""A prepared data set: graphs, columns, types of arcs, targets and splits in one file."""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from research.nets.peers.records import PeerGraphs

Array: TypeAlias = np.ndarray[Any, Any]


@dataclass(frozen=True, eq=False)
class PeerSet:
    """A data set as the peers read it.

    Attributes
    ----------
    name
        Of the set.
    graphs
        Sizes, arcs and inputs; the types are those of the data (bonds), if it has some.
    columns
        Name → (num_nodes, width): "ego", "rwse", "counts" and "walks".
    structure_types
        int64 (num_arcs,): types of arcs by their substructure counts and their own type.
    targets
        (num_targets, num_graphs); one line of class numbers for classification.
    parts
        int8 (folds, num_graphs): 0 training, 1 validation, 2 test, -1 unused.
    seconds
        What it took to make each column, on one thread.
    """

    name: str
    graphs: PeerGraphs
    columns: dict[str, Array]
    structure_types: Array
    targets: Array
    parts: Array
    seconds: dict[str, float] = field(default_factory=dict)

    def first(self, count: int) -> "PeerSet":
        """Return the set of `count` graphs spread over all of them, for quick runs."""
        total = len(self.graphs.sizes)
        chosen = np.unique(np.linspace(0, total - 1, min(count, total)).astype(np.int64))
        node_ptr = np.concatenate([[0], np.cumsum(self.graphs.sizes)])
        nodes = np.concatenate([np.arange(node_ptr[g], node_ptr[g + 1]) for g in chosen])
        ptr = self.graphs.arc_ptr
        arcs = np.concatenate([np.arange(ptr[g], ptr[g + 1]) for g in chosen])
        graphs = replace(
            self.graphs,
            sizes=self.graphs.sizes[chosen],
            arcs=self.graphs.arcs[arcs],
            arc_ptr=np.concatenate([[0], np.cumsum(np.diff(ptr)[chosen])]),
            inputs=self.graphs.inputs[nodes],
            types=self.graphs.types[arcs],
        )
        return PeerSet(
            self.name,
            graphs,
            {name: values[nodes] for name, values in self.columns.items()},
            self.structure_types[arcs],
            self.targets[:, chosen],
            self.parts[:, chosen],
            self.seconds,
        )


def write_set(found: PeerSet, path: Path) -> None:
    """Write a set as one compressed file."""
    graphs = found.graphs
    arrays: dict[str, Any] = {
        "sizes": graphs.sizes.astype(np.int32),
        "arcs": graphs.arcs.astype(np.int16),
        "arc_ptr": graphs.arc_ptr.astype(np.int64),
        "inputs": graphs.inputs.astype(np.float32),
        "types": graphs.types.astype(np.int16),
        "num_types": np.array(graphs.num_types),
        "structure_types": found.structure_types.astype(np.int16),
        "targets": found.targets,
        "parts": found.parts.astype(np.int8),
        "seconds": np.array([f"{name} {value}" for name, value in found.seconds.items()]),
    }
    arrays |= {f"column_{name}": values.astype(np.float32) for name, values in found.columns.items()}
    with path.open("wb") as stream:
        np.savez_compressed(stream, **arrays)


def read_set(path: Path) -> PeerSet:
    """Return a set that `write_set` wrote; its name is that of the file."""
    with np.load(path, allow_pickle=False) as stored:
        found = {name: stored[name] for name in stored.files}
    graphs = PeerGraphs(
        sizes=found["sizes"].astype(np.int64),
        arcs=found["arcs"].astype(np.int32),
        arc_ptr=found["arc_ptr"],
        inputs=found["inputs"],
        types=found["types"].astype(np.int64),
        num_types=int(found["num_types"]),
    )
    columns = {
        name.removeprefix("column_"): values for name, values in found.items() if name.startswith("column_")
    }
    seconds = {name: float(value) for name, value in (str(text).split() for text in found["seconds"])}
    return PeerSet(
        path.stem,
        graphs,
        columns,
        found["structure_types"].astype(np.int64),
        found["targets"],
        found["parts"],
        seconds,
    )
