"""The specs: one TOML file per table, with its settings, its networks and the published numbers, as records."""

import tomllib
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from typing import Any

from egonet.errors import InputError
from research.nets.shape import Network, Spectral

TABLES = ("table1", "table2", "table4", "table5")
#: Encodings the paper did not try: full degrees, the same with links among common neighbors, labels in the keys, and
#: the paper's encoding where GNNML3 looks up the ends of edges in their own graph (see the notes of Table 1).
BEYOND = ("full", "full-common", "labeled", "own-ends")


@dataclass(frozen=True)
class DataSpec:
    """How the networks are trained on one data set.

    Attributes
    ----------
    networks
        Model → shape.
    task
        "folds" (test folds, every epoch measured), "early" (validation set, early stopping) or "isomorphism".
    loss, outputs, epochs, batch_size, patience
        As in `research.nets.trainer`.
    repeats
        "isomorphism": the number of random networks that are tried.
    start
        First weights and batches under the paper's protocol: "own" (our draws) or "published" (the draws of
        the published code, where they are known).
    spectral
        How supports and Chebyshev scaling are made.
    """

    networks: dict[str, Network]
    task: str
    loss: str = "binary"
    outputs: int = 1
    epochs: int = 0
    batch_size: int = 1
    patience: int = 0
    repeats: int = 0
    start: str = "own"
    spectral: Spectral = field(default_factory=Spectral)

    def starts_as_published(self, network: Network) -> bool:
        """Return whether first weights and batches are the published ones; with dropout they are not known."""
        return self.start == "published" and not network.dropout

    def is_exact(self, network: Network) -> bool:
        """Return whether matrices are multiplied in full float32, because small differences of outputs count."""
        if self.task == "folds":
            return self.starts_as_published(network)
        return self.task == "isomorphism" or self.loss == "squared"


@dataclass(frozen=True)
class Cell:
    """One published comparison: a model on a data set, with the encoding and without.

    Attributes
    ----------
    data, model, target
        What was measured; `target` is empty unless the data set has several.
    radius, form
        The encoding the paper chose for this cell: "encoding", or "embedding-5" and "embedding-10" for a
        frozen table of that many columns.
    value, spread, control, control_spread
        Published mean and standard deviation over seeds, with the encoding and without.
    significance, direction
        The marker printed in the paper, and what it says of the difference.
    """

    data: str
    model: str
    radius: int
    form: str
    value: float
    spread: float
    control: float
    control_spread: float
    target: str = ""
    significance: str = ""
    direction: str = ""

    @property
    def name(self) -> str:
        """Return the name of the cell, e.g. "mutag/gin" or "randomgraph/gin/star"."""
        return "/".join(name for name in (self.data, self.model, self.target) if name)


@dataclass(frozen=True)
class Quoted:
    """A number another paper reports of itself."""

    method: str
    data: str
    value: float
    spread: float


@dataclass(frozen=True)
class TableSpec:
    """One table: where it is from, what it measures, its data sets and cells.

    Attributes
    ----------
    name, title, source, metric, seeds
        The table's name here, its subject, its place in the paper, what is measured, and over which seeds.
    silent
        What the paper leaves open, and what is done here.
    data, cells, quoted
        Settings per data set; published cells; numbers quoted from others.
    """

    name: str
    title: str
    source: str
    metric: str
    seeds: tuple[int, ...]
    silent: dict[str, str]
    data: dict[str, DataSpec]
    cells: tuple[Cell, ...]
    quoted: tuple[Quoted, ...] = ()


@cache
def table_spec(name: str) -> TableSpec:
    """Return one table's spec, or say which there are.

    Examples
    --------
    >>> table_spec("table1").cells[0].name
    'enzymes/mlp'
    >>> table_spec("tabel1")
    Traceback (most recent call last):
        ...
    egonet.errors.InputError: there is no 'tabel1' to run. Did you mean 'table1'?
    """
    if name not in TABLES:
        near = get_close_matches(name, TABLES, n=1)
        hint = f"Did you mean {near[0]!r}?" if near else f"There are: {', '.join(TABLES)}."
        raise InputError(f"there is no {name!r} to run. {hint}")
    text = files("research.paper").joinpath("specs", f"{name}.toml").read_text("utf-8")
    return _table(name, tomllib.loads(text))


def _table(name: str, content: dict[str, Any]) -> TableSpec:
    """Return a table's file as a record."""
    data = {key: _data(entry, content["task"]) for key, entry in content.get("data", {}).items()}
    return TableSpec(
        name=name,
        title=content["title"],
        source=content["source"],
        metric=content["metric"],
        seeds=tuple(content["seeds"]),
        silent=content["silent"],
        data=data,
        cells=tuple(Cell(**cell) for cell in content.get("cells", ())),
        quoted=tuple(Quoted(**entry) for entry in content.get("quoted", ())),
    )


def _data(entry: dict[str, Any], task: str) -> DataSpec:
    """Return one data set's settings; the default is the table's task."""
    names = {field.name for field in fields(Spectral)}
    spectral = Spectral(**{key: entry[key] for key in names & entry.keys()})
    rest = {key: value for key, value in entry.items() if key not in names | {"networks"}}
    outputs = int(entry.get("outputs", 1))
    networks = {model: _network(shape, outputs) for model, shape in entry["networks"].items()}
    return DataSpec(networks=networks, spectral=spectral, **({"task": task} | rest))


def _network(shape: dict[str, Any], outputs: int) -> Network:
    """Return a network's shape; lists become tuples."""
    plain: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in shape.items()
    }
    return Network(**plain, outputs=outputs)
