"""`MoleculeEncoder`: molecules or SMILES in, a fingerprint of whole neighborhoods out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self, TypeAlias, get_args

import numpy as np
from scipy.sparse import csr_array, hstack, vstack
from sklearn.utils.validation import check_is_fitted

from egonet.checks import as_flag, as_whole, one_of
from egonet.encoding.matrix import Counts, weight
from egonet.encoding.unknown import HandleUnknown
from egonet.errors import InputError, did_you_mean, show_value
from egonet.graph.graph import Graph
from egonet.graph.index import is_missing
from egonet.graph.molecules import BOND_TYPE, AtomLabels, not_sanitized
from egonet.graph.smiles import Parser
from egonet.sklearn.base import GraphTransformer
from egonet.sklearn.graphs import GraphEncoder, is_molecule_type, list_graphs

#: What a column holds: how many atoms, log2(1 + number), or whether there is one.
Values: TypeAlias = Literal["count", "log", "binary"]
#: The largest radius: further than any path in a molecule.
MAX_RADIUS = 1_000
#: Parameters of the encoder of neighborhoods that may change after `fit`.
_NOT_LEARNED = ("parser", "handle_unknown", "sparse_output", "n_jobs")
#: Columns of Morgan counts.
_MORGAN_COLUMNS = 2048


@dataclass(frozen=True)
class Match:
    """An atom of a molecule that a column counts, with what the column sees around it.

    Attributes
    ----------
    molecule
        The position of the molecule in the list.
    atom
        The atom that is counted.
    radius
        The radius of its neighborhood, in bonds.
    atoms
        The atoms of the neighborhood, increasing.
    bonds
        The bonds that the column sees, as pairs of atoms. A bond between two atoms at the rim, as far from the atom as
        the radius, is seen only by neighborhoods without types of bonds (`bonds=False`).
    smiles
        These atoms and bonds as a SMILES fragment.
    """

    molecule: int
    atom: int
    radius: int
    atoms: tuple[int, ...]
    bonds: tuple[tuple[int, int], ...]
    smiles: str


class MoleculeEncoder(GraphTransformer):
    """Turn molecules into rows: how many atoms have each neighborhood of radius 0 to `radius`.

    A neighborhood is the row of `egonet.encode`: how many atoms of each label and degree, and how many bonds of each
    type, lie at each distance. X is a list, a series or a frame of one column, of SMILES or RDKit molecules. Molecules
    count as they are: with hydrogens as atoms or in Kekule's form they have other rows. Hashed columns need no data to
    learn from: `transform` works without `fit`, `fit` takes any molecules, and equal molecules have equal rows
    everywhere.

    Parameters
    ----------
    radius
        Neighborhoods up to this many bonds around every atom.
    atom_labels
        Which atoms are alike: "element", "atom" (element, hydrogens, charge) or "invariant" (the numbers that Morgan
        fingerprints start from: element, neighbors, hydrogens, charge, isotope, whether in a ring).
    bonds
        Whether single, double, triple and aromatic bonds differ.
    num_columns
        Neighborhoods are hashed to this many columns; None for a column per neighborhood seen in `fit`.
    min_count
        Without hashing: neighborhoods of fewer atoms in all fitted molecules get no column.
    values
        "count" (how many atoms), "log" (log2(1 + count)) or "binary" (0 or 1).
    morgan
        Adds 2,048 columns with RDKit's Morgan counts of this radius; None for none.
    wl
        Adds colors of this many rounds of the Weisfeiler-Leman test, as for `GraphEncoder`; None for none.
    parser
        What reads SMILES: "rdkit", or "fast", our own parser with equal rows, as for `GraphEncoder`. Morgan counts need
        "rdkit".
    handle_unknown
        "error" raises for a missing entry, empty text, or SMILES that cannot be read; "zero" and "warn" return a row of
        zeros for it, as for `GraphEncoder`.
    sparse_output
        Whether rows are sparse.
    n_jobs
        Threads of the kernel: None is one, -1 all cores.

    Attributes
    ----------
    encoder_ : GraphEncoder
        The encoder of the neighborhoods.

    Examples
    --------
    Ethanol has two kinds of carbon and one of oxygen. In named columns:

    >>> encoder = MoleculeEncoder(radius=0, atom_labels="atom", num_columns=None)
    >>> encoder.fit_transform(["CCO", "CC"])
    array([[1., 1., 1.],
           [2., 0., 0.]])
    >>> [match.smiles for match in encoder.explain("r0_class2", ["CCO"])]
    ['O']

    Hashed, for any model, without `fit`:

    >>> MoleculeEncoder().transform(["CCO", "CC"]).shape
    (2, 2048)
    """

    encoder_: GraphEncoder

    def __init__(
        self,
        radius: int = 3,
        *,
        atom_labels: AtomLabels = "element",
        bonds: bool = True,
        num_columns: int | None = 2048,
        min_count: int = 1,
        values: Values = "count",
        morgan: int | None = None,
        wl: int | None = None,
        parser: Parser = "rdkit",
        handle_unknown: HandleUnknown = "error",
        sparse_output: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self._keep(locals())

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: N803
        """Learn the columns of X unless they are hashed; `y` is ignored.

        Examples
        --------
        >>> encoder = MoleculeEncoder(radius=0, atom_labels="atom", num_columns=None).fit(["CCO"])
        >>> encoder.transform(["CCCO"])
        array([[1., 2., 1.]])
        """
        self.encoder_ = self._make_encoder().fit(self._entries(X), y)
        self._remember()
        return self

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Any:  # noqa: N803, ARG002
        """Learn the columns of X and return its rows.

        Examples
        --------
        Every atom is counted once.

        >>> MoleculeEncoder(radius=0, num_columns=None).fit_transform(["CCO", "CO"]).sum(axis=1).tolist()
        [3.0, 2.0]
        """
        encoder, entries = self._make_encoder(), self._entries(X)
        molecules = entries if self.morgan is None else _read(encoder, entries)
        if encoder._learns_nothing:
            rows = encoder.fit(molecules)._count_graphs(molecules)
        else:
            rows = encoder.counts(encoder._learn(molecules))
        self.encoder_ = encoder
        self._remember()
        return self._finish(rows, molecules)

    def transform(self, X: Any) -> Any:  # noqa: N803
        """Return a row per molecule; hashed columns need no `fit`.

        Examples
        --------
        Every atom is counted once at each of the radii 0 to 3.

        >>> MoleculeEncoder().transform(["CCO", "CO"]).sum(axis=1).tolist()
        [12.0, 8.0]
        """
        encoder, entries = self._fitted_encoder(), self._entries(X)
        molecules = entries if self.morgan is None else _read(encoder, entries)
        return self._finish(encoder._count_graphs(molecules), molecules)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray[Any, Any]:  # noqa: ARG002
        """Return the name of every column.

        These are "hashed0" or "r2_class0"; then "wl_hashed0" or "wl2_class0"; then "morgan0".

        Examples
        --------
        >>> MoleculeEncoder(radius=0, num_columns=None).fit(["CCO"]).get_feature_names_out().tolist()
        ['r0_class0', 'r0_class1', 'r0_class2']
        """
        encoder = self._fitted_encoder()
        morgan = [] if self.morgan is None else [f"morgan{number}" for number in range(_MORGAN_COLUMNS)]
        return np.array([*encoder.get_feature_names_out(), *morgan], dtype=object)

    def explain(self, column: int | str, X: Any, *, most: int = 100) -> list[Match]:  # noqa: N803
        """Return the atoms of some molecules that a column counts, with the atoms and bonds that it sees.

        Parameters
        ----------
        column
            The position of a column or its name.
        X
            Molecules or SMILES to look in.
        most
            Stop after this many atoms.

        Examples
        --------
        >>> encoder = MoleculeEncoder(radius=1, num_columns=None).fit(["CCO", "CC(=O)O"])
        >>> last = encoder.get_feature_names_out()[-1]
        >>> [(match.atom, match.smiles) for match in encoder.explain(last, ["CC(=O)O"])]
        [(2, 'C=O')]
        """
        most = as_whole("most", most)
        encoder = self._fitted_encoder()
        index = self._column_index(column)
        molecules = _read(encoder, self._entries(X))
        num_own = len(encoder.get_feature_names_out())
        places = (
            encoder.counted_nodes(molecules, index)
            if index < num_own
            else self._morgan_atoms(molecules, index - num_own)
        )
        sees_rim = not self.bonds and index < encoder._num_bag_columns
        return [
            _match(molecules[number], number, atom, radius, sees_rim=sees_rim)
            for number, atom, radius in places[:most]
        ]

    def draw(self, column: int | str, X: Any, *, most: int = 4) -> str:  # noqa: N803
        """Return a drawing (SVG) of the first molecules that have a column, each with the first match marked.

        Examples
        --------
        >>> encoder = MoleculeEncoder(radius=1, num_columns=None).fit(["CCO"])
        >>> encoder.draw("r1_class0", ["CCO"]).rstrip().endswith("</svg>")
        True
        """
        from rdkit.Chem.Draw.rdMolDraw2D import MolDraw2DSVG

        most = as_whole("most", most)
        molecules = _read(self._fitted_encoder(), self._entries(X))
        shown: dict[int, Match] = {}
        for match in self.explain(column, molecules, most=10**6):
            shown.setdefault(match.molecule, match)
        if not shown:
            raise InputError(
                f"no molecule has an atom in column {show_value(column)}. Give molecules that have one."
            )
        if not most:
            raise InputError("most must be at least 1 in a drawing, got 0.")
        matches = list(shown.values())[:most]
        chosen = [molecules[match.molecule] for match in matches]
        bonds = [
            [molecule.GetBondBetweenAtoms(*pair).GetIdx() for pair in match.bonds]
            for molecule, match in zip(chosen, matches, strict=True)
        ]
        drawing = MolDraw2DSVG(300 * len(chosen), 300, 300, 300)
        drawing.DrawMolecules(
            chosen,
            highlightAtoms=[list(match.atoms) for match in matches],
            highlightBonds=bonds,
            legends=[match.smiles for match in matches],
        )
        drawing.FinishDrawing()
        return str(drawing.GetDrawingText())

    def __sklearn_is_fitted__(self) -> bool:
        """Return whether columns are known: after `fit`, or if they are hashed."""
        return hasattr(self, "encoder_") or self.num_columns is not None

    def _fitted_encoder(self) -> GraphEncoder:
        """Return the encoder that `fit` made, or one for hashed columns, which learn nothing."""
        check_is_fitted(self)
        made = self._make_encoder()
        if not hasattr(self, "encoder_"):
            return made.fit(["C"])
        self._reject_changes()
        return self.encoder_._with({name: getattr(made, name) for name in _NOT_LEARNED})

    _fixed = ("radius", "atom_labels", "bonds", "num_columns", "min_count", "morgan", "wl")

    def _make_encoder(self) -> GraphEncoder:
        """Return an unfitted encoder of neighborhoods, after checks of all parameters."""
        most = as_whole("radius", self.radius, most=MAX_RADIUS)
        one_of("values", self.values, get_args(Values))
        one_of("handle_unknown", self.handle_unknown, get_args(HandleUnknown))
        if self.num_columns is not None:
            if not as_whole("num_columns", self.num_columns, most=np.iinfo(np.int32).max):
                raise InputError(
                    "num_columns must be at least 1, got 0. Use None for a column per neighborhood."
                )
            if as_whole("min_count", self.min_count) != 1:
                raise InputError(
                    f"min_count={self.min_count} needs columns that are learned, got num_columns={self.num_columns}. "
                    "Set num_columns=None."
                )
        if self.morgan is not None:
            as_whole("morgan", self.morgan, most=MAX_RADIUS)
            if self.parser != "rdkit":
                raise InputError(
                    'Morgan counts need the molecules of RDKit. Leave parser="fast" or morgan out.'
                )
        return GraphEncoder(
            tuple(range(most + 1)),
            aggregate="bag",
            labeled=True,
            atom_labels=self.atom_labels,
            edge_labels=BOND_TYPE if as_flag("bonds", self.bonds) else None,
            num_hashed=self.num_columns,
            min_count=self.min_count,
            wl=self.wl,
            parser=self.parser,
            handle_unknown=self.handle_unknown,
            sparse_output=as_flag("sparse_output", self.sparse_output),
            n_jobs=self.n_jobs,
        )

    def _finish(self, rows: Counts, molecules: list[Any]) -> Any:
        """Return rows with Morgan counts next to them, in the values asked for."""
        if self.morgan is not None:
            rows = hstack([rows, self._count_morgan(molecules)], format="csr")
        if self.values == "log":
            rows = weight(rows, "log")
        elif self.values == "binary":
            rows = csr_array((np.ones_like(rows.data), rows.indices, rows.indptr), shape=rows.shape)
        return self._fitted_encoder()._output(rows)

    def _morgan(self) -> Any:
        """Return RDKit's generator of Morgan counts."""
        from rdkit.Chem.rdFingerprintGenerator import GetMorganGenerator

        return GetMorganGenerator(radius=int(self.morgan or 0), fpSize=_MORGAN_COLUMNS)

    def _count_morgan(self, molecules: Sequence[Any]) -> Counts:
        """Return the Morgan counts of some molecules; dense arrays of a thousand at a time need little memory."""
        from rdkit.rdBase import BlockLogs

        generate = self._morgan().GetCountFingerprintAsNumPy
        rows = range(0, len(molecules), 1000)
        dense = (np.stack([generate(molecule) for molecule in molecules[row : row + 1000]]) for row in rows)
        try:
            with BlockLogs():
                return vstack([csr_array(block.astype(np.int64)) for block in dense], format="csr")
        except RuntimeError:
            raise not_sanitized("Morgan counts need", "leave morgan out") from None

    def _morgan_atoms(self, molecules: Sequence[Any], column: int) -> list[tuple[int, int, int]]:
        """Return molecule, atom and radius wherever a column of Morgan counts is counted."""
        from rdkit.Chem.rdFingerprintGenerator import AdditionalOutput

        generator, atoms = self._morgan(), []
        for number, molecule in enumerate(molecules):
            output = AdditionalOutput()
            output.AllocateBitInfoMap()
            generator.GetCountFingerprint(molecule, additionalOutput=output)
            places = output.GetBitInfoMap().get(column, ())
            atoms += [(number, atom, radius) for atom, radius in places]
        return atoms

    def _entries(self, molecules: Any) -> list[Any]:
        """Return a list or a column of SMILES and RDKit molecules as a list; raise for anything else."""
        try:
            entries = list_graphs(molecules)
        except InputError:
            single = show_value(molecules) if isinstance(molecules, str | bytes) else type(molecules).__name__
            raise InputError(
                "MoleculeEncoder takes a list, a series or a frame of one column, of SMILES or RDKit molecules, "
                f"got {single}. Write [molecule] for a single one."
            ) from None
        if not entries:
            raise InputError("MoleculeEncoder needs at least one molecule, got none.")
        molecule_types = {
            kind for kind in set(map(type, entries)) if issubclass(kind, str) or is_molecule_type(kind)
        }
        for position, entry in enumerate(entries):
            if type(entry) in molecule_types:
                continue
            if not is_missing(entry):
                way_out = "Use GraphEncoder for other graphs."
            elif self.handle_unknown == "error":
                way_out = 'Drop the entry, or set handle_unknown="zero" for a row of zeros.'
            else:
                continue
            raise InputError(
                f"molecule {position} (counted from 0) must be SMILES or an RDKit molecule, got {show_value(entry)}. "
                + way_out
            )
        return entries

    def _column_index(self, column: int | str) -> int:
        """Return the position of a column."""
        names = self.get_feature_names_out().tolist()
        if isinstance(column, str):
            if column not in names:
                raise InputError(f"there is no column {show_value(column)}.{did_you_mean(column, names)}")
            return int(names.index(column))
        if as_whole("column", column) >= len(names):
            raise InputError(f"column must be at most {len(names) - 1:,}, got {column:,}.")
        return int(column)


def _read(encoder: GraphEncoder, molecules: list[Any]) -> list[Any]:
    """Return molecules; what is missing is one without atoms, also if all are."""
    from rdkit.Chem import Mol

    read = encoder.read(molecules)
    return [Mol() if isinstance(item, Graph) and not len(item) else item for item in read]


def _match(molecule: Any, number: int, atom: int, radius: int, *, sees_rim: bool) -> Match:
    """Return what lies within some bonds of an atom; `sees_rim` adds bonds between the atoms farthest from it."""
    from rdkit.Chem import MolFragmentToSmiles

    inner: set[int] = set()
    seen = rim = {atom}
    for _ in range(radius):
        inner = seen
        rim = {near.GetIdx() for own in rim for near in molecule.GetAtomWithIdx(own).GetNeighbors()} - seen
        seen = seen | rim
    pairs: dict[tuple[int, int], int] = {}
    for index in range(molecule.GetNumBonds()):
        bond = molecule.GetBondWithIdx(index)
        pair = tuple(sorted((bond.GetBeginAtomIdx(), bond.GetEndAtomIdx())))
        if seen.issuperset(pair) and (sees_rim or not inner.isdisjoint(pair)):
            pairs[pair] = index
    atoms = tuple(sorted(seen))
    text = MolFragmentToSmiles(molecule, list(atoms), bondsToUse=list(pairs.values()))
    return Match(number, atom, radius, atoms, tuple(sorted(pairs)), str(text))
