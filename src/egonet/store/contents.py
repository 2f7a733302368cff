"""The settings, labels and roots of a store."""

import json
from collections.abc import Hashable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from egonet.encoding.encode import root_rows
from egonet.encoding.labels import Labels, as_labels
from egonet.encoding.saved import from_json, to_json, valid_settings
from egonet.encoding.settings import Settings
from egonet.errors import FileError
from egonet.store.array_folder import open_array, write_folder
from egonet.store.stored_graph import GraphStore
from egonet.typing import Int32s, Int64s

FIRST_CHOICES = "choices-0000"
_NONE = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Choices:
    """Labels and roots of a store.

    Attributes
    ----------
    labels
        int32 (num_nodes,): the label number of every node, or None.
    roots
        int64 (num_rows,): the node of every row, or None if row v is node v.
    facts
        Their fields in the manifest.
    """

    labels: Int32s | None = None
    roots: Int64s | None = None
    facts: dict[str, Any] = field(default_factory=dict)


def store_choices(
    folder: Path,
    stored: GraphStore,
    manifest: dict[str, Any],
    labels: Labels | None,
    roots: Sequence[Hashable] | None,
) -> Choices:
    """Return labels and roots as numbers, written to the folder; raise if the folder has others."""
    ends = np.array([0, stored.num_nodes], dtype=np.int64)
    numbers, names = as_labels(labels, stored.graph.node_ids if labels is not None else _NONE, ends, None)
    rows = root_rows(roots, stored.graph, num_graphs=1) if roots is not None else None
    settings = manifest["settings"] | {"labels": None if names is None else [to_json(name) for name in names]}
    if manifest["graph"] is not None:
        before = open_choices(folder, manifest, stored.num_nodes)
        same = json.dumps(manifest["settings"]["labels"]) == json.dumps(
            settings["labels"]
        )  # as JSON, since True == 1
        if not same or not _equal(numbers, before.labels):
            raise FileError(f"{folder} has an encoding with other labels. Choose another folder.")
        if not _equal(rows, before.roots):
            raise FileError(f"{folder} has an encoding of other roots. Choose another folder.")
        return before
    arrays = {name: array for name, array in (("labels", numbers), ("roots", rows)) if array is not None}
    if arrays:
        write_folder(folder / FIRST_CHOICES, arrays, {})
    facts = {"settings": settings, "choices": FIRST_CHOICES if arrays else None, "chosen": sorted(arrays)}
    return Choices(numbers, rows, facts)


def open_choices(folder: Path, manifest: dict[str, Any], num_nodes: int, *, verify: bool = True) -> Choices:
    """Return the labels and roots of a store, validated against its graph."""
    path, chosen = folder / (manifest["choices"] or ""), manifest["chosen"]
    arrays: dict[str, Any] = {name: open_array(path, name, verify=verify) for name in chosen}
    num_labels = len(manifest["settings"]["labels"] or ())
    sizes = {
        "labels": (np.int32, num_nodes, num_labels),
        "roots": (np.int64, manifest["num_rows"], num_nodes),
    }
    for name, array in arrays.items():
        dtype, size, most = sizes[name]
        if (
            array.dtype != dtype
            or array.shape != (size,)
            or (size and not 0 <= array.min() <= array.max() < most)
        ):
            raise FileError(f"{path / name}.npy is damaged: it does not fit the graph. Encode again.")
    if "roots" not in arrays and manifest["num_rows"] != num_nodes:
        raise FileError(f"{folder} is damaged: it does not have one row per node. Encode again.")
    return Choices(**arrays)


def settings_to_json(settings: Settings) -> dict[str, Any]:
    """Return settings as JSON for a manifest; `store_choices` adds the names of labels."""
    return asdict(settings) | {"radius": list(settings.radius), "labels": None}


def settings_from_json(values: dict[str, Any]) -> Settings:
    """Return the settings of a manifest."""
    labels = values["labels"]
    names = None if labels is None else tuple(from_json(label) for label in labels)
    return valid_settings(values | {"labels": names})


def _equal(ours: Any, theirs: Any) -> bool:
    """Return whether two arrays are equal, or both are missing."""
    return (ours is None) == (theirs is None) and (ours is None or bool(np.array_equal(ours, theirs)))
