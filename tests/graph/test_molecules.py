"""RDKit molecules as arrays: bonds from matrices or one by one, and the labels of atoms."""

import os
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import egonet
from contracts.parts import missing, need
from egonet.errors import InputError
from egonet.graph.molecules import _listed_bonds, read_molecules
from egonet.graph.smiles import read_smiles

Chem = need("rdkit.Chem", "rdkit")
from rdkit import rdBase  # noqa: E402
from rdkit.Chem import rdMolDescriptors  # noqa: E402


def bonds_of(molecule):
    """Return the bonds as RDKit lists them, one by one."""
    names = {}
    listed = _listed_bonds(molecule, names)
    texts = list(names)
    return sorted((min(a, b), max(a, b), texts[number]) for a, b, number in listed)


def read_bonds(read):
    ends = zip(read.source.tolist(), read.target.tolist(), read.bond_types.tolist(), strict=True)
    return sorted((min(a, b), max(a, b), kind) for a, b, kind in ends)


@pytest.mark.parametrize(
    ("smiles", "kinds"),
    [
        ("CCO", {"single"}),
        ("c1ccccc1C=C", {"aromatic", "single", "double"}),
        ("C#N", {"triple"}),
        ("[Na+].[Cl-]", set()),
        ("N->[Cu]", {"dative"}),
        ("[Cu]<-N", {"dative"}),
        ("[Re]$[Re]", {"quadruple"}),
        ("C" * 500, {"single"}),
    ],
)
def test_bonds_are_those_that_rdkit_lists(smiles, kinds):
    molecule = Chem.MolFromSmiles(smiles, sanitize=False)

    assert read_bonds(read_molecules([molecule])) == bonds_of(molecule)
    assert set(read_molecules([molecule]).bond_types.tolist()) == kinds


def test_bonds_of_order_zero_are_bonds():
    molecule = Chem.RWMol(Chem.MolFromSmiles("C.C"))
    molecule.AddBond(0, 1, Chem.BondType.ZERO)

    assert read_bonds(read_molecules([molecule])) == [(0, 1, "zero")]


def test_bonds_of_queries_have_no_type():
    assert read_bonds(read_molecules([Chem.MolFromSmarts("CC=O")])) == [(0, 1, "query"), (1, 2, "query")]


def test_molecules_follow_each_other():
    water, hydroxide, methanol = map(Chem.MolFromSmiles, ("O", "[OH-]", "CO"))

    read = read_molecules([water, hydroxide, methanol], "atom")

    assert read.ptr.tolist() == [0, 1, 2, 4]
    assert read_bonds(read) == [(2, 3, "single")]
    assert read.labels_by_molecule() == [["OH2"], ["OH-"], ["CH3", "OH"]]
    assert read_molecules([methanol, water], "element").labels_by_molecule() == [["C", "O"], ["O"]]


def test_invariants_are_those_of_morgan_fingerprints():
    molecule = Chem.MolFromSmiles("CC(=O)Oc1ccccc1C(=O)O")
    expected = list(rdMolDescriptors.GetConnectivityInvariants(molecule))

    assert read_molecules([molecule], "invariant").labels_by_molecule() == [expected]


def test_isotopes_differ_as_in_morgan_fingerprints():
    carbon = ["C", "[12CH4]", "[13CH4]", "[14CH4]"]
    codes = {
        labels: [read_molecules([Chem.MolFromSmiles(text)], labels).label_names for text in carbon]
        for labels in ("element", "atom", "invariant")
    }

    assert [len(set(found)) for found in codes.values()] == [1, 1, 2]
    assert codes["invariant"][2] == codes["invariant"][0] != codes["invariant"][3]


@pytest.mark.parametrize("atom_labels", ["atom", "invariant"])
def test_labels_that_need_a_sanitized_molecule_say_so(atom_labels):
    molecule = Chem.MolFromSmiles("CCO", sanitize=False)

    assert read_molecules([molecule], "element").labels_by_molecule() == [["C", "C", "O"]]
    with pytest.raises(InputError, match=f'atom_labels="{atom_labels}" needs hydrogens and rings'):
        read_molecules([molecule], atom_labels)


def test_reading_leaves_the_molecule_as_it_was():
    molecule = Chem.MolFromSmiles("CCO")
    before = list(molecule.GetPropNames(True, True))

    read_molecules([molecule])

    assert list(molecule.GetPropNames(True, True)) == before


def test_molecules_in_one_call_have_the_rows_of_single_graphs():
    texts = ["CC(=O)Oc1ccccc1C(=O)O", "C1CC1N", "[Na+].[Cl-]", "N->[Cu]"]
    molecules = [Chem.MolFromSmiles(text) for text in texts]
    graphs = [egonet.as_graph(molecule, keep="bond_type") for molecule in molecules]
    pairs = [
        (graph, [atom.GetSymbol() for atom in each.GetAtoms()])
        for graph, each in zip(graphs, molecules, strict=True)
    ]
    options = {"radius": (0, 1, 2), "edge_labels": "bond_type", "labeled": True, "sparse_output": False}
    for aggregate in ("sum", "mean", "max", "classes", "bag"):
        encoder, other = (egonet.GraphEncoder(aggregate=aggregate, **options) for _ in range(2))

        rows = encoder.fit_transform(molecules)

        assert rows.tolist() == other.fit_transform(pairs).tolist()
        assert encoder.get_feature_names_out().tolist() == other.get_feature_names_out().tolist()
        assert encoder.transform(texts[::-1]).tolist() == rows[::-1].tolist()
        assert encoder.transform(molecules[:2]).tolist() == other.transform(pairs[:2]).tolist()


def test_labels_unknown_to_fit_have_no_column():
    encoder = egonet.GraphEncoder(0, labeled=True).fit(["CO"])

    assert encoder.transform(["CN"]).tolist() == [[1, 0]]


def test_atom_labels_say_which_atoms_are_alike():
    texts = ["CC", "C[NH3+]"]
    counts = {
        labels: egonet.GraphEncoder(0, labeled=True, atom_labels=labels).fit_transform(texts).shape[1]
        for labels in ("element", "atom", "invariant")
    }

    # C and N; CH3 and NH3+; the same with invariants, since all have one neighbor.
    assert counts == {"element": 2, "atom": 2, "invariant": 2}
    assert egonet.GraphEncoder(0, labeled=True, atom_labels="atom").fit(
        ["CC=O", "C[NH3+]"]
    ).get_feature_names_out().tolist() == [
        "r0_d0_deg1_labelCH3",
        "r0_d0_deg1_labelNH3+",
        "r0_d0_deg1_labelO",
        "r0_d0_deg2_labelCH",
    ]


def test_missing_molecules_are_rows_of_zeros():
    encoder = egonet.GraphEncoder(1, labeled=True, handle_unknown="zero").fit(["CO", None])

    rows = encoder.transform([None, "CO", "no molecule", Chem.MolFromSmiles("CO"), np.nan, "CO"])

    assert [bool(row.any()) for row in rows] == [False, True, False, True, False, True]
    assert rows[1].tolist() == rows[3].tolist()


def test_hashed_columns_are_not_learned():
    options = {"radius": (0, 1), "aggregate": "bag", "num_hashed": 64, "labeled": True}

    fitted = egonet.GraphEncoder(**options).fit(["not read", "CO"])

    assert (
        fitted.transform(["CCO"]).tolist() == egonet.GraphEncoder(**options).fit_transform(["CCO"]).tolist()
    )


SMILES = [
    *(
        "CCO",
        "C[C@H](N)C(=O)O",
        "c1ccc2[nH]ccc2c1",
        "O=c1cc[nH]c(=O)[nH]1",
        "C[N+](C)(C)CC(=O)[O-]",
        "[Na+].[Cl-]",
    ),
    *(
        "c1ccc(-c2ccccc2)cc1",
        "c1ccccc1c1ccccc1",
        "CS(=O)(=O)N1CCOCC1",
        "F/C=C/Cl",
        "C1CC2CCC1C2",
        "C[n+]1ccccc1",
    ),
    *(
        "O=[N+]([O-])c1ccccc1Br",
        "C%10CCCC%10",
        "[nH]1cccc1",
        "CP(=O)(O)O",
        "B(O)O",
        "[NH4+]",
        "S",
        "N#Cc1ccsc1",
    ),
]
#: Read by RDKit: in Kekule's form, changed or refused by RDKit, or beyond what the parser knows.
OTHERS = [
    *(
        "C1=CC=CC=C1",
        "CN(=O)=O",
        "[13CH4]",
        "[H]O[H]",
        "N->[Cu]",
        "c1cccc1",
        "C(C)(C)(C)(C)C",
        "C1=CC(=O)C=CC1=O",
    ),
    *(
        "C1CC",
        "CC)",
        "C[Fe]",
        "",
        "*C",
        "C1C1",
        "c1ccccccc1",
        "C==C",
        "[CH5]",
        "cc",
        "C-",
        "c1cc2cccc-2ccc1",
        "[C",
    ),
    # No SMILES, though all but a character of each is.
    *(
        ".C",
        "C.",
        "C..C",
        "C()C",
        "C((C))C",
        "C(1CC1)C",
        "C(=1CC1)C",
        "C(%10CC%10)C",
        "[CH3:]C",
        "C[C@@@H](N)O",
        "[O---]",
        "C%01CCCC%01",
    ),
    # Charges that RDKit refuses, and more than fit into a label.
    "[P-9]",
    f"[O{'-' * 300}]",
    # A bridge over an aromatic ring: RDKit finds the rings on both sides of it instead, and no aromatic ring.
    "c1cc2ccc1C2",
    "c1cc2ccc1N2",
    "c1cc2ccc1-2",
    "C12c3cc1cc2c3",
]


@pytest.mark.parametrize("atom_labels", ["element", "atom", "invariant"])
def test_the_fast_parser_reads_what_rdkit_reads(atom_labels):
    def parse(position):
        raise AssertionError(SMILES[position])

    found = read_smiles(SMILES, atom_labels, parse)
    expected = read_molecules([Chem.MolFromSmiles(text) for text in SMILES], atom_labels)

    assert found.ptr.tolist() == expected.ptr.tolist()
    assert read_bonds(found) == read_bonds(expected)
    assert found.labels_by_molecule() == expected.labels_by_molecule()


@pytest.mark.parametrize("text", OTHERS)
def test_the_fast_parser_leaves_the_rest_to_rdkit(text):
    asked = []

    def parse(position):
        asked.append(position)
        return Chem.MolFromSmiles("C")

    assert read_smiles(["C", text], "element", parse).labels_by_molecule() == [["C"], ["C"]]
    assert asked == [1]


def change_text(text, rng):
    """Return SMILES with one to three characters or atoms added, replaced or dropped."""
    symbols = [*"CNOSFcnos123()=#-/@+.", "[nH]", "[N+]", "[O-]", "[C@H]", "[CH2]", "c1ccccc1"]
    for _ in range(rng.integers(1, 4)):
        place, dropped = rng.integers(len(text) + 1), rng.integers(2)
        added = symbols[rng.integers(len(symbols))] if rng.integers(4) else ""
        text = text[:place] + added + text[place + dropped :]
    return text


def test_the_fast_parser_reads_no_text_that_rdkit_reads_in_another_way():
    rng = np.random.default_rng(0)
    texts = {change_text(text, rng) for text in SMILES for _ in range(200)}
    parsed = set(texts)

    def parse(position):
        parsed.discard(listed[position])
        return Chem.MolFromSmiles("C")

    listed = sorted(texts)
    read_smiles(listed, "element", parse)
    with rdBase.BlockLogs():
        molecules = {text: Chem.MolFromSmiles(text) for text in sorted(parsed)}

    assert len(parsed) > 300
    assert [text for text, molecule in molecules.items() if molecule is None] == []
    for labels in ("atom", "invariant"):
        found = read_smiles(list(molecules), labels, None)
        expected = read_molecules(list(molecules.values()), labels)
        assert found.ptr.tolist() == expected.ptr.tolist()
        assert found.labels_by_molecule() == expected.labels_by_molecule()
        assert read_bonds(found) == read_bonds(expected)


def test_both_parsers_give_the_same_rows():
    texts = [*SMILES, "C1=CC=CC=C1", "[13CH4]"]
    for options in ({}, {"atom_labels": "element", "wl": 2}, {"num_columns": None}):
        slow, fast = (egonet.MoleculeEncoder(parser=parser, **options) for parser in ("rdkit", "fast"))

        assert fast.fit_transform(texts).tolist() == slow.fit_transform(texts).tolist()
        assert fast.transform(texts[:3]).tolist() == slow.transform(texts[:3]).tolist()
    with pytest.raises(
        InputError, match=r"molecule 1 \(counted from 0\) must be SMILES that RDKit can read, got 'C1'"
    ):
        egonet.MoleculeEncoder(parser="fast").fit_transform(["C", "C1"])
    zero = egonet.MoleculeEncoder(parser="fast", handle_unknown="zero")
    assert zero.fit_transform(["C1", "C"]).any(axis=1).tolist() == [False, True]
    with pytest.raises(InputError, match="Morgan counts need the molecules of RDKit"):
        egonet.MoleculeEncoder(parser="fast", morgan=2).fit(["C"])


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        *(f"moleculenet/{name}" for name in ("bace", "bbbp", "esol", "freesolv", "lipo", "tox21")),
        *("molhiv/HIV", "peptides/peptides_func"),
    ],
)
def test_both_parsers_agree_on_data_sets(name):
    folder = os.environ.get("EGONET_DATA") or missing("EGONET_DATA names no folder of data sets")
    table = pd.read_csv(Path(folder) / f"{name}.csv.gz").rename(columns={"mol": "smiles"})
    texts = [text for text in table["smiles"].tolist() if Chem.MolFromSmiles(text) is not None]
    slow, fast = (
        egonet.MoleculeEncoder(2, parser=parser, sparse_output=True) for parser in ("rdkit", "fast")
    )

    assert (fast.fit_transform(texts) != slow.fit_transform(texts)).nnz == 0


def test_an_atom_with_many_bonds_takes_time_that_grows_with_the_text():
    text = "C" + "(C)" * 300_000
    began = time.process_time()

    read = read_smiles([text], "element", lambda position: Chem.MolFromSmiles("N"))

    assert read.labels_by_molecule() == [["N"]]  # the text is left to RDKit
    assert time.process_time() - began < 2
