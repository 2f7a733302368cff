"""NumPy archives, valid and damaged."""

import io
import re
import zipfile

import numpy as np
import pytest
from scipy.sparse import csc_array, csr_array, save_npz

import egonet
from egonet import read_graph
from egonet.errors import EgonetError, FileError, InputError
from egonet.graph.input_options import InputOptions
from egonet.io.npz import from_arrays, one_error


def assert_error(path, said, error=FileError, **options):
    with pytest.raises(error, match=f"^{re.escape(said)}$"):
        read_graph(path, **options)


def raises(path, said, error=FileError):
    with pytest.raises(error, match=f"^{re.escape(said)}") as caught:
        read_graph(path)
    assert str(caught.value).isprintable()
    assert str(caught.value).endswith((".", "?"))


def written(folder, name, content):
    (folder / name).write_bytes(content)
    return folder / name


def member(name, content):
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as packed:
        packed.writestr(name, content)
    return sink.getvalue()


def test_a_small_archive_claims_no_large_graph():
    arrays = {"edge_index": np.array([[0], [1]]), "num_nodes": np.array(10**9)}

    with pytest.raises(FileError, match=r"^a\.npz claims 1,000,000,000 nodes in 24 bytes"):
        from_arrays(arrays, "a.npz", InputOptions())


@pytest.mark.parametrize("part", [{"format": np.array("csr")}, {"shape": np.array([2, 2])}])
def test_half_of_a_sparse_matrix_is_not_a_graph(part):
    with pytest.raises(
        FileError, match=r"^a\.npz must hold a scipy sparse matrix, or an array edge_index or edges"
    ):
        from_arrays(part, "a.npz", InputOptions())


@pytest.mark.parametrize("form", [csr_array, csc_array])
def test_arcs_of_a_stored_matrix_keep_their_direction_in_either_form(tmp_path, form):
    save_npz(tmp_path / "a.npz", form(np.array([[0, 1, 1], [0, 0, 0], [0, 0, 0]])))

    graph = read_graph(tmp_path / "a.npz", directed="out")

    assert graph.neighbors(0) == [1, 2]
    assert graph.degrees.tolist() == [2, 0, 0]


def test_pickled_arrays_raise(tmp_path):
    np.savez(tmp_path / "a.npz", edges=np.array([["a", 1]], dtype=object))

    with pytest.raises(
        FileError, match=r"^a.npz is not an npz file that can be read: Object arrays cannot be loaded"
    ):
        read_graph(tmp_path / "a.npz")


@pytest.mark.parametrize(
    ("arrays", "said"),
    [
        (
            {"x": np.ones(3)},
            "a.npz must hold a scipy sparse matrix, or an array edge_index or edges, got ['x'].",
        ),
        (
            {"edge_index": np.ones((3, 2))},
            "a.npz: edge_index must be whole numbers of shape (2, num_edges), got (3, 2).",
        ),
        (
            {"edge_index": np.array([[0], [10**9]])},
            "a.npz claims 1,000,000,000 nodes in 16 bytes. The file is damaged.",
        ),
        (
            {"edges": np.array([[0.5, 1.5]])},
            "a.npz: an id must be hashable and not missing, a number whole and of 64 bits, got 0.5 in edge 0 "
            "(counted from 0); 2 of 2 ids break this rule. Drop or rename it.",
        ),
        (
            {"format": "dia", "shape": np.array([2, 2]), "data": np.ones((1, 2)), "offsets": np.zeros(1)},
            "a.npz holds a sparse matrix in the 'dia' format. Store it as csr, csc or coo.",
        ),
        (
            {
                "format": "csr",
                "shape": np.array([2, 2]),
                "data": np.ones(1),
                "indices": [7],
                "indptr": [0, 1, 1],
            },
            "a.npz: ",
        ),
        (
            {
                "format": "csr",
                "shape": np.array([2, 2]),
                "data": np.ones(1),
                "indices": [1],
                "indptr": [0, 9, 1],
            },
            "a.npz: ",
        ),
    ],
)
def test_arrays_that_are_not_graph_raise_one_sentence(tmp_path, arrays, said):
    np.savez(tmp_path / "a.npz", **arrays)

    with pytest.raises(FileError, match=f"^{re.escape(said)}"):
        read_graph(tmp_path / "a.npz")


def test_a_single_array_raises(tmp_path):
    with open(tmp_path / "a.npz", "wb") as file:
        np.save(file, np.ones(3))

    assert_error(tmp_path / "a.npz", "a.npz holds one array, not an npz archive. Use numpy.savez.")


def test_a_node_that_does_not_exist_is_reported_with_a_near_match(tmp_path):
    (tmp_path / "people.csv").write_text("ann,bob\nbob,cid\n")

    with pytest.raises(KeyError, match=r"^the graph has no node 'dob'. Did you mean 'bob'\?$"):
        read_graph(tmp_path / "people.csv").neighbors("dob")


@pytest.mark.parametrize(
    "content",
    [
        b"\x93NUMPY\x01\x00\x06\x00{'a': ",  # the tokenizer of the standard library stumbles over it
        b"\x93NUMPY\x01\x00\x30\x00{'descr': '<i8',\n'fortran_order': False,\n\0'shape': ",  # a NUL in line 3
        b"not an array",
        b"\x93NUMPY\x01\x00\x76\x00{'descr': '<i8', 'fortran_order': False, 'shape': (99999999999999999,), }",
        b"",
    ],
)
def test_arrays_that_numpy_cannot_read_raise(tmp_path, content):
    raises(
        written(tmp_path, "a.npz", member("edges.npy", content)),
        "a.npz is not an npz file that can be read: ",
    )
    with pytest.raises(FileError, match=r"a.npz is not an encoding that egonet saved, or is damaged\.$"):
        egonet.load(tmp_path / "a.npz")


@pytest.mark.parametrize("error", [SystemError("returned a result with an exception set"), EOFError("end")])
def test_errors_of_damaged_bytes_become_one(error):
    """Python 3.12 ends the header above with a SystemError if garbage is collected at that moment."""
    with pytest.raises(ValueError, match=str(error)), one_error():
        raise error


def test_two_arrays_of_one_name_raise(tmp_path):
    whole = io.BytesIO()
    np.save(whole, np.array([[0, 1]]))
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as packed:
        packed.writestr("edges.npy", whole.getvalue())
        packed.writestr("edges", whole.getvalue())
    raises(tmp_path / "a.npz", "a.npz is not an npz file that can be read: two arrays have one name.")


def test_characters_that_do_not_exist_raise(tmp_path):
    letters = np.array([[2**31, 5]], dtype=np.uint32).view("U1")
    np.savez(tmp_path / "a.npz", edges=letters)
    raises(
        tmp_path / "a.npz", "a.npz is not an npz file that can be read: an array of strings holds characters"
    )


@pytest.mark.parametrize("form", ["csr", "coo"])
def test_indices_of_a_matrix_that_are_fractions_raise(tmp_path, form):
    indices = np.array([0.0, 1.7])
    arrays = {"indices": indices, "indptr": np.array([0, 1, 2]), "row": indices, "col": np.array([0, 1])}
    np.savez(tmp_path / "a.npz", format=form, shape=np.array([2, 2]), data=np.ones(2), **arrays)
    raises(tmp_path / "a.npz", "a.npz: the indices of a sparse matrix must be whole numbers, got float64.")


def test_a_matrix_whose_pointers_fall_raises_though_it_counts_no_entries(tmp_path):
    # scipy's own check looks no further where the last pointer is 0, and crashes later.
    file = tmp_path / "fall.npz"
    np.savez(
        file,
        format=np.array(b"csc"),
        shape=np.array([7, 7]),
        data=np.ones(8),
        indices=np.array([1, 2, 0, 1, 2, 3, 5, 6]),
        indptr=np.array([0, 0, 0, 0, 2, 0, 0, 0]),
    )

    with pytest.raises(
        EgonetError, match=r"are inconsistent: indptr falls after position 4\. Build it again"
    ):
        read_graph(file)


@pytest.mark.parametrize("rows", [1, 3])
def test_an_edge_index_has_two_rows(tmp_path, rows):
    np.savez(tmp_path / "a.npz", edge_index=np.zeros((rows, 4), dtype=np.int64))

    with pytest.raises(InputError, match=rf"edge_index must be whole numbers of shape .*, got \({rows}, 4\)"):
        read_graph(tmp_path / "a.npz")
