"""`MoleculeEncoder`: fingerprints of whole neighborhoods, with Morgan counts and colors next to them."""

import pickle

import numpy as np
import pandas as pd
import pytest

import egonet
from contracts.parts import need
from egonet.errors import InputError, UnseenWarning

need("sklearn")
Chem = need("rdkit.Chem", "rdkit")
from rdkit.Chem.rdFingerprintGenerator import GetMorganGenerator  # noqa: E402
from sklearn.base import clone  # noqa: E402
from sklearn.exceptions import NotFittedError  # noqa: E402
from sklearn.linear_model import Ridge  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402

ASPIRIN, ETHANOL, BENZENE = "CC(=O)Oc1ccccc1C(=O)O", "CCO", "c1ccccc1"
TEXTS = [ASPIRIN, ETHANOL, BENZENE]
#: Columns of ethanol up to radius 1, stored: with invariants and colors, with elements, and with atoms.
ROW = [224, 324, 565, 723, 990, 1987, 2266, 2268, 2926, 3150, 3474, 3901]
ELEMENTS = [89, 476, 623, 1902, 1996, 2006]
ATOMS = [16, 236, 969, 1224, 1307, 1940]


def test_hashed_rows_are_those_of_the_graph_encoder():
    options = {"aggregate": "bag", "num_hashed": 2048, "labeled": True, "edge_labels": "bond_type"}
    graphs = egonet.GraphEncoder((0, 1, 2, 3), atom_labels="element", **options)
    encoder = egonet.MoleculeEncoder().fit([ETHANOL])

    assert encoder.transform(TEXTS).tolist() == graphs.fit_transform(TEXTS).tolist()
    assert encoder.fit_transform(TEXTS).tolist() == encoder.transform(map(Chem.MolFromSmiles, TEXTS)).tolist()
    # An atom counts once for each radius.
    assert encoder.transform(TEXTS).sum(axis=1).tolist() == [4 * 13, 4 * 3, 4 * 6]


def test_order_of_atoms_does_not_matter():
    encoder = egonet.MoleculeEncoder(wl=2, morgan=2)

    assert encoder.fit_transform(["CCO"]).tolist() == encoder.transform(["OCC"]).tolist()


def test_named_columns_are_learned():
    encoder = egonet.MoleculeEncoder(1, num_columns=None, atom_labels="element", bonds=False)

    rows = encoder.fit_transform(["CC", "CCO"])

    # Radius 0: C of degree 1 and 2, O of degree 1. Radius 1: a C next to C (the first of C-C-O too, whose other
    # bond is out of reach), the middle of C-C-O, and its last.
    assert encoder.get_feature_names_out().tolist() == [
        *("r0_class0", "r0_class1", "r0_class2"),
        *("r1_class0", "r1_class1", "r1_class2"),
    ]
    assert rows.tolist() == [[2, 0, 0, 2, 0, 0], [1, 1, 1, 1, 1, 1]]
    with pytest.warns(UnseenWarning, match=r"1 of 1 nodes .* GraphEncoder\(unseen=\"ignore\"\) does not"):
        assert encoder.transform(["N"]).sum() == 0
    assert encoder.explain("r0_class0", ["N"]) == []


def test_values_are_counts_logs_or_bits():
    counts, logs, bits = (
        egonet.MoleculeEncoder(1, values=values).fit_transform(TEXTS) for values in ("count", "log", "binary")
    )

    assert np.allclose(logs, np.log2(1 + counts))
    assert bits.tolist() == (counts > 0).tolist()


def test_morgan_counts_are_those_of_rdkit():
    encoder = egonet.MoleculeEncoder(1, morgan=2).fit(TEXTS)
    generator = GetMorganGenerator(radius=2, fpSize=2048)
    expected = [generator.GetCountFingerprintAsNumPy(Chem.MolFromSmiles(text)).tolist() for text in TEXTS]

    assert encoder.transform(TEXTS)[:, 2048:].tolist() == expected
    assert encoder.get_feature_names_out()[2048] == "morgan0"


def test_a_column_is_explained_by_atoms_and_bonds():
    encoder = egonet.MoleculeEncoder(1, num_columns=None, atom_labels="element").fit(TEXTS)
    rows = encoder.transform(TEXTS)
    for index, name in enumerate(encoder.get_feature_names_out()):
        matches = encoder.explain(name, TEXTS)

        counted = np.bincount([match.molecule for match in matches], minlength=3)
        assert counted.tolist() == rows[:, index].tolist()
    acetone = egonet.MoleculeEncoder(1, num_columns=None, atom_labels="element").fit(["CC(C)=O"])
    # Radius 0: CH3, C, O; radius 1: CH3, the middle, O.
    (middle,) = acetone.explain("r1_class1", ["CC(C)=O"])
    assert (middle.molecule, middle.atom, middle.radius, middle.atoms) == (0, 1, 1, (0, 1, 2, 3))
    assert middle.bonds == ((0, 1), (1, 2), (1, 3))
    assert middle.smiles == "CC(C)=O"


@pytest.mark.parametrize(
    ("options", "bonds", "smiles"),
    [
        ({}, ((0, 1), (0, 2)), "CCC"),
        ({"bonds": False}, ((0, 1), (0, 2), (1, 2)), "C1CC1"),
    ],
)
def test_a_bond_between_the_farthest_atoms_is_named_where_the_column_sees_it(options, bonds, smiles):
    encoder = egonet.MoleculeEncoder(1, num_columns=None, atom_labels="element", **options)
    rows = encoder.fit_transform(["C1CC1", "CCC"])

    match = encoder.explain("r1_class0", ["C1CC1"])[0]

    assert (match.bonds, match.smiles) == (bonds, smiles)
    # With types of bonds, the middle of propane has the row of an atom of cyclopropane: no row has their third bond.
    assert rows[:, encoder._column_index("r1_class0")].tolist() == ([3, 1] if len(bonds) == 2 else [3, 0])


def test_colors_and_morgan_counts_see_no_bond_between_the_farthest_atoms():
    for options in ({"wl": 1}, {"morgan": 1}):
        encoder = egonet.MoleculeEncoder(0, atom_labels="element", bonds=False, **options)
        columns = 2048 + np.flatnonzero(encoder.transform(["C1CC1"])[0, 2048:])
        matches = [match for column in columns for match in encoder.explain(int(column), ["C1CC1"])]

        assert {match.bonds for match in matches if match.radius == 1 and match.atom == 0} <= {
            ((0, 1), (0, 2))
        }
        assert any(match.radius == 1 for match in matches)


def test_hashed_columns_need_no_fit():
    encoder = egonet.MoleculeEncoder(1, morgan=1, wl=1)
    fitted = clone(encoder).fit([BENZENE])

    assert encoder.transform(TEXTS).tolist() == fitted.transform(TEXTS).tolist()
    assert encoder.get_feature_names_out().tolist() == fitted.get_feature_names_out().tolist()
    column = int(np.flatnonzero(encoder.transform([ETHANOL])[0])[0])
    assert encoder.explain(column, TEXTS) == fitted.explain(column, TEXTS)
    assert encoder.draw(column, TEXTS) == fitted.draw(column, TEXTS)
    with pytest.raises(NotFittedError, match="not fitted yet"):
        egonet.MoleculeEncoder(num_columns=None).transform(TEXTS)
    with pytest.raises(InputError, match="radius must be a whole number >= 0"):
        egonet.MoleculeEncoder(-1).transform(TEXTS)


def test_the_row_of_a_molecule_never_changes():
    row = egonet.MoleculeEncoder(1, atom_labels="invariant", wl=1).transform([ETHANOL])[0]
    elements = egonet.MoleculeEncoder(1, atom_labels="element").transform([ETHANOL])[0]
    atoms = egonet.MoleculeEncoder(1, atom_labels="atom").transform([ETHANOL])[0]

    assert np.flatnonzero(row).tolist() == ROW
    assert np.flatnonzero(elements).tolist() == ELEMENTS
    assert np.flatnonzero(atoms).tolist() == ATOMS
    assert sum(row) == 4 * 3


def test_many_molecules_have_the_morgan_counts_of_few():
    encoder = egonet.MoleculeEncoder(0, morgan=1, sparse_output=True)

    rows = encoder.transform(TEXTS * 700)

    assert (rows[:3] != encoder.transform(TEXTS)).nnz == 0
    assert (rows[1998:2001] != encoder.transform(TEXTS)).nnz == 0
    assert rows.shape == (2100, 4096)


@pytest.mark.parametrize("options", [{"wl": 2}, {"morgan": 2}])
def test_other_groups_are_explained_too(options):
    encoder = egonet.MoleculeEncoder(0, **options).fit(TEXTS)
    rows = encoder.transform(TEXTS)
    for index in 2048 + np.flatnonzero(rows[:, 2048:].any(axis=0)):
        counted = np.bincount([match.molecule for match in encoder.explain(int(index), TEXTS)], minlength=3)
        assert counted.tolist() == rows[:, index].tolist()


def test_a_column_is_drawn():
    encoder = egonet.MoleculeEncoder(1).fit(TEXTS)
    column = int(np.flatnonzero(encoder.transform([ETHANOL])[0])[0])

    assert "<svg" in encoder.draw(column, TEXTS)
    with pytest.raises(InputError, match="no molecule has an atom in column"):
        encoder.draw(column, [BENZENE])


def test_missing_molecules_are_errors_or_zeros():
    with pytest.raises(InputError, match=r"molecule 1 \(counted from 0\) must be SMILES that RDKit can read"):
        egonet.MoleculeEncoder().fit_transform([ETHANOL, "nonsense"])
    encoder = egonet.MoleculeEncoder(handle_unknown="zero", morgan=2, wl=1)

    assert encoder.fit_transform([ETHANOL, None, "nonsense", ETHANOL]).sum(axis=1).astype(bool).tolist() == [
        True,
        False,
        False,
        True,
    ]


def test_pipelines_clones_and_pickles_work():
    model = make_pipeline(egonet.MoleculeEncoder(2, morgan=2), Ridge())
    frame = pd.DataFrame({"smiles": TEXTS})

    model.fit(frame, [1.0, 2.0, 3.0])

    assert model.predict(frame).shape == (3,)
    again = pickle.loads(pickle.dumps(model))
    assert again.predict(frame).tolist() == model.predict(frame).tolist()
    assert clone(model[0]).get_params() == model[0].get_params()
    named = egonet.MoleculeEncoder(1, num_columns=4).set_output(transform="pandas")
    assert named.fit_transform(frame).columns.tolist() == [f"hashed{number}" for number in range(4)]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"radius": -1}, "radius must be a whole number >= 0, got -1"),
        ({"values": "tf"}, "values must be"),
        ({"atom_labels": "x"}, "atom_labels must be"),
        ({"morgan": 1.5}, "morgan must be a whole number"),
        ({"num_columns": 0}, "num_columns must be at least 1"),
        ({"handle_unknown": "clip"}, "handle_unknown must be"),
    ],
)
def test_wrong_options_raise(options, message):
    with pytest.raises(InputError, match=message):
        egonet.MoleculeEncoder(**options).fit(TEXTS)


def test_unknown_columns_raise():
    encoder = egonet.MoleculeEncoder().fit(TEXTS)

    with pytest.raises(InputError, match=r"there is no column 'hased1'\. Did you mean 'hashed1'"):
        encoder.explain("hased1", TEXTS)
    with pytest.raises(InputError, match="column must be at most 2,047, got 5,000"):
        encoder.explain(5000, TEXTS)


@pytest.mark.parametrize("options", [{}, {"atom_labels": "invariant", "wl": 2, "values": "log"}])
def test_smiles_divided_among_threads_have_the_same_rows(options, monkeypatch):
    monkeypatch.setattr("egonet.sklearn.graphs.LEAST_TEXTS", 2)
    texts = [*TEXTS, "[13CH4]", "C1=CC=CC=C1", "CC", "O=C=O"]  # two are left to RDKit
    one, four = (
        egonet.MoleculeEncoder(parser="fast", n_jobs=threads, sparse_output=True, **options)
        for threads in (1, 4)
    )

    assert (four.transform(texts) != one.transform(texts)).nnz == 0
    assert (four.fit_transform(texts) != one.fit_transform(texts)).nnz == 0


def test_errors_and_warnings_of_threads_are_those_of_the_whole_list(monkeypatch):
    monkeypatch.setattr("egonet.sklearn.graphs.LEAST_TEXTS", 2)
    texts = ["C", "C", "C", "C", "CC", "C1", "no"]
    zero, warn = (
        egonet.MoleculeEncoder(parser="fast", n_jobs=3, handle_unknown=rule) for rule in ("zero", "warn")
    )

    with pytest.raises(InputError, match=r"molecule 5 \(counted from 0\) must be SMILES .* got 'C1'"):
        egonet.MoleculeEncoder(parser="fast", n_jobs=3).transform(texts)
    assert zero.transform(texts).any(axis=1).tolist() == [True] * 5 + [False] * 2
    with pytest.warns(UserWarning, match="2 of 7 entries have no graph") as caught:
        warn.transform(texts)
    assert len(caught) == 1


@pytest.mark.parametrize("options", [{}, {"morgan": 2}, {"wl": 1, "atom_labels": "invariant"}])
@pytest.mark.parametrize("texts", [[None], [None, float("nan")], ["no molecule"], [None, ETHANOL]])
@pytest.mark.filterwarnings("ignore:.*have no graph:egonet.errors.UnseenWarning")
def test_the_row_of_a_missing_molecule_does_not_depend_on_the_others(texts, options):
    encoder = egonet.MoleculeEncoder(1, handle_unknown="zero", **options)

    rows = encoder.transform(texts)

    assert rows.any(axis=1).tolist() == [text == ETHANOL for text in texts]
    column = int(np.flatnonzero(encoder.transform([ETHANOL])[0])[-1])
    assert {match.molecule for match in encoder.explain(column, texts)} <= {1}


@pytest.mark.parametrize("most", [-1, 1.5, "3"])
def test_explain_and_draw_take_a_whole_number_of_matches(most):
    encoder = egonet.MoleculeEncoder(0, num_columns=None).fit(TEXTS)

    for ask in (encoder.explain, encoder.draw):
        with pytest.raises(InputError, match="most must be a whole number >= 0"):
            ask("r0_class0", TEXTS, most=most)
    with pytest.raises(InputError, match="most must be at least 1 in a drawing"):
        encoder.draw("r0_class0", TEXTS, most=0)
    assert encoder.explain("r0_class0", TEXTS, most=0) == []


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"num_columns": 0}, "num_columns must be at least 1, got 0"),
        ({"num_columns": -5}, "num_columns must be a whole number >= 0, got -5"),
        ({"num_columns": 2**33}, "num_columns must be at most 2,147,483,647"),
        ({"min_count": 5}, "min_count=5 needs columns that are learned, got num_columns=2048"),
    ],
)
def test_errors_name_the_options_of_the_encoder(options, problem):
    with pytest.raises(InputError, match=problem):
        egonet.MoleculeEncoder(1, **options).transform(["C"])


def test_molecules_come_from_tables_and_suppliers():
    pyarrow, polars = need("pyarrow"), need("polars")
    encoder = egonet.MoleculeEncoder(1)
    rows = encoder.transform(TEXTS).tolist()
    lines = "\n".join(f"{text} name" for text in TEXTS)

    for column in (
        pyarrow.table({"smiles": TEXTS}),
        pyarrow.array(TEXTS),
        polars.DataFrame({"smiles": TEXTS}),
    ):
        assert encoder.transform(column).tolist() == rows
    assert encoder.transform(Chem.SmilesMolSupplierFromText(lines, titleLine=False)).tolist() == rows


@pytest.mark.parametrize("parser", ["rdkit", "fast"])
@pytest.mark.parametrize("text", ["", "  "])
def test_empty_text_is_no_molecule(text, parser):
    with pytest.raises(InputError, match=r"molecule 1 \(counted from 0\) must be SMILES that RDKit can read"):
        egonet.MoleculeEncoder(parser=parser).transform([ETHANOL, text])
    zero = egonet.MoleculeEncoder(parser=parser, handle_unknown="zero")

    assert zero.transform([ETHANOL, text]).any(axis=1).tolist() == [True, False]
    assert not egonet.MoleculeEncoder().transform([Chem.Mol()]).any()


@pytest.mark.parametrize(
    ("molecules", "problem"),
    [
        (ETHANOL, r"MoleculeEncoder takes a list, .* got 'CCO'\. Write \[molecule\] for a single one"),
        (Chem.MolFromSmiles(ETHANOL), r"MoleculeEncoder takes a list, .* got Mol\."),
        (pd.DataFrame({"a": TEXTS, "b": TEXTS}), r"a frame of one column, .* got DataFrame\."),
        ([], "needs at least one molecule, got none"),
        ([ETHANOL, b"CCO"], r"molecule 1 \(counted from 0\) must be SMILES or an RDKit molecule, got b'CCO'"),
        ([(egonet.named.path("ab"), ["C", "O"])], r"Use GraphEncoder for other graphs\."),
        ([1], "must be SMILES or an RDKit molecule, got 1"),
        (
            [ETHANOL, None],
            r'molecule 1 .* or an RDKit molecule, got None\. Drop the entry, or set handle_unknown="zero"',
        ),
    ],
)
def test_what_is_no_list_of_molecules_is_named(molecules, problem):
    encoder = egonet.MoleculeEncoder(1)

    for ask in (encoder.fit, encoder.transform, encoder.fit_transform, lambda x: encoder.explain(0, x)):
        with pytest.raises(InputError, match=problem):
            ask(molecules)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"atom_labels": "invariant"}, 'atom_labels="invariant" needs hydrogens and rings'),
        ({"atom_labels": "atom"}, 'atom_labels="atom" needs hydrogens and rings'),
        ({"morgan": 1}, "Morgan counts need hydrogens and rings, .* Sanitize it, or leave morgan out"),
    ],
)
def test_molecules_that_are_not_sanitized_are_an_error_without_output_of_rdkit(options, problem, capfd):
    molecule = Chem.MolFromSmiles(ETHANOL, sanitize=False)

    with pytest.raises(InputError, match=problem):
        egonet.MoleculeEncoder(1, **options).transform([molecule])
    assert capfd.readouterr() == ("", "")
