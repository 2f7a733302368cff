"""The PyG transform of molecules: columns of atoms and bonds in one call, the same for every molecule."""

from os import PathLike
from typing import Any, Self

import numpy as np
from scipy.sparse import csr_array

from egonet.checks import as_threads, as_whole
from egonet.errors import InputError, MissingExtraError
from egonet.graph.arcs import as_edge_index, edge_index_of
from egonet.graph.graph import Graph
from egonet.kernel.native_pairs import end_distances
from egonet.pyg.saved import load_options, make_damage_error, save_options
from egonet.typing import Array, Float32s, Int64s

try:
    import torch
    from torch import Tensor
    from torch_geometric.data import Batch, Data, HeteroData
    from torch_geometric.data.datapipes import functional_transform
    from torch_geometric.transforms import BaseTransform

    from egonet.graph.pyg_data import append_columns, as_attr_name, copy_of, graph_of_arcs, node_count
except ImportError as error:
    raise MissingExtraError('the PyG transform needs an extra package: pip install "egonet[pyg]".') from error

#: Pairs of nodes that walks may connect. Molecules have tens of atoms; larger graphs would fill the memory.
MOST_PAIRS = 50_000_000
#: The most columns of walks, and of rings.
MAX_COLUMNS = 10_000
#: The options that are saved.
_SAVED = ("walk_length", "longest", "atom_attr", "bond_attr")


@functional_transform("add_molecule_encoding")
class AddMoleculeEncoding(BaseTransform):  # type: ignore[misc]
    """Add columns to atoms and bonds of a molecule (functional name: `add_molecule_encoding`).

    `data.atom_encoding` has for every atom the probability that a random walk is back after 1, 2, ... steps.
    `data.bond_encoding` says in which ring every bond is: the length of the shortest cycle through it, as one column
    per length. Nothing is learned, so all molecules have the same columns. Both directions of a bond have a row each;
    loops are in no ring. A `Batch` gets the rows of its molecules.

    These are the columns to start with on molecules. In a plain GINE on ZINC-12k nothing with ego-networks was better
    by more than seeds differ, and the same columns helped on ESOL and ogbg-molhiv.

    Parameters
    ----------
    walk_length
        The number of steps of the longest walk; 0 for no columns of atoms.
    longest
        The longest ring with a column of its own, at least 3; 0 for no columns of bonds. The columns are: in no ring,
        3, 4, ..., `longest`, in a longer ring.
    atom_attr, bond_attr
        Where the columns go; columns are appended to an "x" or "edge_attr" that the graph has.
    threads
        Threads of the search for rings. One if not given: PyG runs transforms in several processes already.

    Examples
    --------
    A triangle with a tail: a walk of two steps from the end of the tail is back with probability one third.

    >>> index = torch.tensor([[0, 1, 2, 2, 1, 2, 0, 3], [1, 2, 0, 3, 0, 1, 2, 2]])
    >>> molecule = AddMoleculeEncoding(walk_length=2, longest=4)(Data(edge_index=index, num_nodes=4))
    >>> molecule.atom_encoding[3]
    tensor([0.0000, 0.3333])
    >>> molecule.bond_encoding[[0, 3]]
    tensor([[0., 1., 0., 0.],
            [1., 0., 0., 0.]])
    """

    def __init__(
        self,
        walk_length: int = 20,
        longest: int = 8,
        *,
        atom_attr: str = "atom_encoding",
        bond_attr: str = "bond_encoding",
        threads: int | None = None,
    ) -> None:
        self.walk_length = as_whole("walk_length", walk_length, most=MAX_COLUMNS)
        self.longest = as_whole("longest", longest, most=MAX_COLUMNS)
        if self.longest in (1, 2):
            raise InputError(
                f"longest must be at least 3, the shortest ring, or 0 for no columns, got {longest}."
            )
        if not self.walk_length and not self.longest:
            raise InputError("walk_length and longest are both 0, so there are no columns. Set one of them.")
        self.atom_attr = as_attr_name(atom_attr, own="x")
        self.bond_attr = as_attr_name(bond_attr, own="edge_attr", edges=True)
        self.threads = 1 if threads is None else as_threads(threads)

    def __call__(self, data: Data | HeteroData) -> Any:
        """Return a copy of the molecule with its columns; what is not added is shared with the molecule given."""
        return self.forward(copy_of(data))

    def forward(self, data: Any) -> Any:
        """Add the columns to the molecule itself, and return it; calling the transform leaves it as it is.

        Examples
        --------
        >>> bond = Data(edge_index=torch.tensor([[0, 1], [1, 0]]), num_nodes=2)
        >>> AddMoleculeEncoding(walk_length=2).forward(bond) is bond
        True
        """
        if isinstance(data, HeteroData):
            raise InputError(
                "AddMoleculeEncoding takes graphs with one kind of nodes, got HeteroData. Use data.to_homogeneous()."
            )
        index, size = edge_index_of(data), node_count(data)
        source, target = as_edge_index(index, size)
        graph = graph_of_arcs(source, target, size, False)
        if self.walk_length:
            self._append(data, self.atom_attr, return_probabilities(graph, self.walk_length), "x")
            self._note_slices(data, self.atom_attr, "ptr")
        if self.longest:
            rings = ring_columns(graph, source, target, self.longest, self.threads)
            self._append(data, self.bond_attr, rings, "edge_attr")
            self._note_slices(data, self.bond_attr, "edge_index")
        return data

    @property
    def atom_columns(self) -> list[str]:
        """Return the names of the columns of atoms.

        >>> AddMoleculeEncoding(walk_length=2).atom_columns
        ['walk1', 'walk2']
        """
        return [f"walk{steps}" for steps in range(1, self.walk_length + 1)]

    @property
    def bond_columns(self) -> list[str]:
        """Return the names of the columns of bonds.

        >>> AddMoleculeEncoding(longest=4).bond_columns
        ['ring0', 'ring3', 'ring4', 'ring5plus']
        """
        if not self.longest:
            return []
        return [
            "ring0",
            *(f"ring{size}" for size in range(3, self.longest + 1)),
            f"ring{self.longest + 1}plus",
        ]

    def save(self, path: str | PathLike[str]) -> None:
        """Write the options to a JSON file, which `load` reads; `threads` is not part of it.

        Examples
        --------
        >>> import tempfile
        >>> file = tempfile.mkdtemp() + "/transform.json"
        >>> AddMoleculeEncoding(walk_length=12).save(file)
        >>> AddMoleculeEncoding.load(file).walk_length
        12
        """
        save_options(path, "AddMoleculeEncoding", {name: getattr(self, name) for name in _SAVED})

    @classmethod
    def load(cls, path: str | PathLike[str], *, threads: int | None = None) -> Self:
        """Return the transform that `save` wrote.

        Examples
        --------
        >>> import tempfile
        >>> file = tempfile.mkdtemp() + "/transform.json"
        >>> AddMoleculeEncoding(longest=6).save(file)
        >>> AddMoleculeEncoding.load(file).bond_columns[-1]
        'ring7plus'
        """
        options = load_options(path, "AddMoleculeEncoding")
        try:
            return cls(**options, threads=threads)
        except (InputError, TypeError) as error:
            raise make_damage_error(path, "AddMoleculeEncoding") from error

    def __repr__(self) -> str:
        """Return what changes the result: PyG compares it with that of a cache."""
        names = f"atom_attr={self.atom_attr!r}, bond_attr={self.bond_attr!r}"
        return f"{type(self).__name__}(walk_length={self.walk_length}, longest={self.longest}, {names})"

    def _append(self, data: Any, name: str, values: Float32s, shared: str) -> None:
        """Write columns to an attribute; those of "x" and "edge_attr" are kept in front of them."""
        columns: Tensor = torch.from_numpy(values).to(edge_index_of(data).device, torch.get_default_dtype())
        before = data[name] if name == shared and name in data else None
        data[name] = append_columns(before, columns, name)

    def _note_slices(self, data: Any, name: str, like: str) -> None:
        """Tell a `Batch` which rows belong to which molecule."""
        if isinstance(data, Batch) and hasattr(data, "_slice_dict"):
            slices = data.ptr.cpu() if like == "ptr" else data._slice_dict[like]
            data._slice_dict = data._slice_dict | {name: slices}
            data._inc_dict = data._inc_dict | {name: torch.zeros(data.num_graphs, dtype=torch.long)}


def return_probabilities(graph: Graph, steps: int) -> Float32s:
    """Return for every node the probability that a random walk is back after 1, ..., `steps` steps.

    A walk goes to any neighbor with the same probability. A node without neighbors has zeros.

    >>> return_probabilities(Graph.from_edges([(0, 1), (1, 2), (2, 0)]), 3).tolist()
    [[0.0, 0.5, 0.25], [0.0, 0.5, 0.25], [0.0, 0.5, 0.25]]
    """
    size = graph.num_nodes
    shares = np.repeat(1.0 / np.maximum(graph.degrees, 1), graph.degrees)
    walk = csr_array((shares, graph.indices, graph.indptr), shape=(size, size))
    reached, probabilities = walk, np.zeros((size, steps), dtype=np.float32)
    for step in range(steps):
        if step:
            reached = reached @ walk
        if reached.nnz > MOST_PAIRS:
            raise InputError(
                f"walks of {step + 1} steps connect {reached.nnz:,} pairs of nodes, more than the {MOST_PAIRS:,} that "
                "are allowed: the graph is no molecule. Set walk_length=0, or use AddEgoEncoding."
            )
        probabilities[:, step] = reached.diagonal()
    return probabilities


def ring_columns(graph: Graph, source: Array, target: Array, longest: int, threads: int) -> Float32s:
    """Return for every arc which ring it is in, a column per length as in `AddMoleculeEncoding`.

    >>> square = Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 0)])
    >>> ring_columns(square, np.array([0]), np.array([1]), 3, 1).tolist()
    [[0.0, 0.0, 1.0]]
    """
    proper = np.flatnonzero(source != target)
    pairs: Int64s = np.stack([source, target], axis=1)[proper].astype(np.int64)
    # Without a limit: a bond is in no ring if and only if its ends are not connected without it.
    distances = end_distances(graph.indptr, graph.indices, pairs, max(graph.num_nodes, 1), threads=threads)
    columns = np.zeros(len(source), dtype=np.int64)
    columns[proper] = np.where(distances < 0, 0, np.minimum(distances, longest) - 1)
    one_hot = np.zeros((len(source), longest), dtype=np.float32)
    one_hot[np.arange(len(source)), columns] = 1
    return one_hot
