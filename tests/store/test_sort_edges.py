"""Edge lists sorted outside of memory: the graph that reading gives, and nothing left behind where a line is bad."""

import numpy as np
import pytest

from contracts.parts import need
from egonet import read_graph
from egonet.errors import FileError
from egonet.store.graph import build_graph, store_graph


def write_edges(path, pairs):
    if path.suffix == ".parquet":
        arrow = need("pyarrow")
        from pyarrow import parquet

        names = path.stem == "names"
        columns = [[f"v{end}" for end in ends] if names else ends for ends in pairs.T]
        parquet.write_table(arrow.table(columns, names=["src", "dst"]), path, row_group_size=100)
    elif path.suffix == ".csv":
        path.write_text("source,target\n" + "".join(f"v{a},v{b}\n" for a, b in pairs))
    else:
        path.write_text("# a comment\n" + "".join(f"{a}\t{b}\n" for a, b in pairs))


@pytest.mark.parametrize("name", ["edges.txt", "edges.csv", "edges.parquet", "names.parquet"])
@pytest.mark.parametrize("directed", [None, "out", "in"])
def test_a_streamed_edge_list_equals_the_graph_of_read_graph(tmp_path, name, directed):
    write_edges(tmp_path / name, np.random.default_rng(0).integers(0, 150, (2_000, 2)))

    graph = read_graph(tmp_path / name, directed=directed)
    # Memory for 200 arcs at a time: about twenty row ranges, sorted one by one.
    store = build_graph(tmp_path / name, tmp_path / "graph", memory=200 * 24, directed=directed)

    assert store.indptr.tobytes() == graph.indptr.tobytes()
    assert store.indices.tobytes() == graph.indices.tobytes()
    assert store.graph.node_ids.tolist() == graph.node_ids.tolist()
    assert store.graph.info == graph.info
    assert store.graph.directed == directed
    assert not list(tmp_path.glob(".*"))
    assert store.digest == store_graph(graph, tmp_path / "again").digest


@pytest.mark.parametrize("directed", [None, "out", "in"])
def test_a_sorted_edge_list_is_the_same_for_any_number_of_threads(tmp_path, directed):
    write_edges(tmp_path / "edges.parquet", np.random.default_rng(0).integers(0, 500, (100_000, 2)) ** 2)

    digests = {
        build_graph(
            tmp_path / "edges.parquet",
            tmp_path / str(threads),
            memory=memory,
            threads=threads,
            directed=directed,
        ).digest
        for threads in (1, 2, 7)
        for memory in (10**6, 10**8)
    }

    assert digests == {
        store_graph(read_graph(tmp_path / "edges.parquet", directed=directed), tmp_path / "g").digest
    }


def test_a_late_name_turns_all_ids_into_names(tmp_path):
    path = tmp_path / "edges.txt"
    np.savetxt(path, np.random.default_rng(0).integers(0, 50, (700_000, 2)), fmt="%d")
    with path.open("a") as file:
        file.write("x 7\n")

    store = build_graph(path, tmp_path / "graph", memory=10**8)

    assert store.graph.node_ids.tolist() == read_graph(path).node_ids.tolist()
    assert store.graph.neighbors("x") == ["7"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 2\n3\n", r"edges\.txt, line 2: expected at least 2 fields, got 1"),
        ("1 2\n3 nan\n", r"edges\.txt, line 2: an id must be"),
        ("1 99999999999999999999\n", r"edges\.txt: whole numbers beyond 2\*\*63 cannot be read"),
    ],
)
def test_a_bad_line_leaves_no_files(tmp_path, text, message):
    (tmp_path / "edges.txt").write_text(text)

    with pytest.raises(FileError, match=message):
        build_graph(tmp_path / "edges.txt", tmp_path / "graph", memory=10**6)
    assert [path.name for path in tmp_path.iterdir()] == ["edges.txt"]
