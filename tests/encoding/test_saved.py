"""Saved encodings: every setting comes back, every flipped byte is noticed, and updates start from the right graph."""

import io
import random
import struct
import zipfile
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import egonet
from egonet import Graph, encode, named
from egonet.embeddings.embedding import Embedding
from egonet.encoding.header import to_json, valid_rows
from egonet.encoding.saved import _unpack_unseen
from egonet.errors import FileError, InputError, OutputError
from egonet.io.files import reserved
from egonet.kernel.reference import pack_rows

IDS = st.one_of(
    st.integers(0, 5), st.sampled_from(["a", "b", "é\n"]), st.just((1.5, ("x", 2))), st.just(-(2**63))
)
LABELS = st.sampled_from([-1, 0, 1, 2**70, "", "x", "é\n"])
SETTINGS = st.one_of(
    st.fixed_dictionaries(
        {"radius": st.sampled_from([0, 2, (2, 1)])},
        optional={
            "degrees": st.sampled_from(["layered", "full"]),
            "max_degree": st.integers(0, 3),
            "degree_bins": st.just("log"),
            "frontier_edges": st.just(False),
            "cap": st.just(2),
        },
    ),
    st.fixed_dictionaries({"radius": st.just(1), "layout": st.just("paper")}),
    st.fixed_dictionaries({"radius": st.just(1), "common": st.just(True)}),
    st.fixed_dictionaries({"radius": st.just(1), "rooted": st.sampled_from(["edge", "pair"])}),
)


def assert_same(one, other):
    for name in ("indptr", "indices", "data"):
        assert getattr(one.matrix, name).tobytes() == getattr(other.matrix, name).tobytes()
    assert one.nodes.tolist() == other.nodes.tolist()
    assert one.columns == other.columns
    assert one.feature_names == other.feature_names
    assert one.vocabulary.settings == other.vocabulary.settings
    assert list(map(type, one.vocabulary.labels or ())) == list(map(type, other.vocabulary.labels or ()))
    assert (one.learned, replace(one.unseen, rows=None)) == (other.learned, replace(other.unseen, rows=None))


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.tuples(IDS, IDS), min_size=1, max_size=8),
    SETTINGS,
    st.one_of(st.none(), st.lists(LABELS, min_size=20, max_size=20)),
    st.sampled_from([None, "out", "in"]),
    st.tuples(st.booleans(), st.booleans(), st.booleans()),
)
def test_every_encoding_is_saved_and_loaded(tmp_path_factory, edges, options, labels, directed, choices):
    only_one, given_columns, keep = choices
    if {"cap", "common", "rooted"} & set(options):
        directed = None
    graph = Graph.from_edges(edges, directed=directed)
    if labels is not None and "layout" not in options:
        options = options | {"labels": labels[: graph.num_nodes]}
    if only_one:
        options = options | {"roots": [edges[0][1]]}
    encoding = encode(graph, **options)
    if given_columns:
        chosen = {name: options[name] for name in ("labels", "roots") if name in options}
        encoding = encode(graph, vocabulary=encoding.vocabulary, **chosen)
    path = tmp_path_factory.mktemp("saved") / "e.npz"

    encoding.save(path, graph=keep)
    loaded = egonet.load(path)

    assert_same(loaded, encoding)
    assert loaded.origin.directed == directed
    assert (loaded.graph is not None) == keep
    if keep:
        assert loaded.graph.indices.tobytes() == encoding.graph.indices.tobytes()
        assert loaded.graph.info == encoding.graph.info
        assert (loaded.labels is None) == (encoding.labels is None)


@pytest.mark.parametrize("labels", [[-1, 0, 1], ["", "x", ""], ["0", 0, "0"]])
def test_unusual_labels_come_back(tmp_path, labels):
    encoding = encode(named.path("abc"), 1, labels=labels)
    encoding.save(tmp_path / "e.npz")

    assert_same(egonet.load(tmp_path / "e.npz"), encoding)


def outcome(path, load):
    try:
        return load(path)
    except FileError:
        return None


def encoding_bytes(encoding):
    matrix, graph = encoding.matrix, encoding.graph
    arrays = [matrix.indptr, matrix.indices, matrix.data, encoding.vocabulary.keys, encoding.graph_ptr]
    arrays += [] if graph is None else [graph.indptr, graph.indices]
    text = (
        encoding.nodes.tolist(),
        encoding.vocabulary.settings,
        encoding.learned,
        encoding.origin,
        encoding.unseen,
    )
    return repr(text), [array.tobytes() for array in arrays]


def embedding_bytes(embedding):
    text = (embedding.vocabulary.settings, embedding.weighting, embedding.history)
    return repr(text), embedding.table.tobytes(), embedding.vocabulary.keys.tobytes()


def flips_that_change_something(path, positions, load, content):
    """Return the positions where a flipped byte gives another content than that of the whole file."""
    whole = path.read_bytes()
    expected = content(load(path))
    wrong = []
    for place, bit in positions:
        damaged = bytearray(whole)
        damaged[place] ^= bit
        path.write_bytes(damaged)
        found = outcome(path, load)
        if found is not None and content(found) != expected:
            wrong.append(place)
    return wrong


def between_members(path):
    """Return the positions of an archive that are outside of its members, whose checksums notice every change."""
    with zipfile.ZipFile(path) as archive:
        members = archive.infolist()
    whole = path.read_bytes()
    inside = set()
    for member in members:
        sizes = struct.unpack("<HH", whole[member.header_offset + 26 : member.header_offset + 30])
        start = member.header_offset + 30 + sum(sizes)
        inside |= set(range(start, start + member.compress_size))
    return sorted(set(range(len(whole))) - inside)


def flipped_places(path, bits):
    """Return every place of a file with one bit, and those outside of its members with each of some bits."""
    places = [(place, 1 << place % 8) for place in range(path.stat().st_size)]
    return places + [(place, bit) for place in between_members(path) for bit in bits]


@pytest.mark.long
def test_no_flipped_byte_of_a_saved_encoding_gives_a_wrong_answer(tmp_path):
    encode([("a", "b"), ("b", 7)], 1, labels={"a": "x", "b": -1, 7: "x"}).save(tmp_path / "e.npz", graph=True)
    places = flipped_places(tmp_path / "e.npz", [1, 0x10, 0x80, 0xFF])

    assert flips_that_change_something(tmp_path / "e.npz", places, egonet.load, encoding_bytes) == []


def test_no_flipped_byte_of_a_saved_embedding_gives_a_wrong_answer(tmp_path):
    vocabulary = encode(named.path("abc"), 1).vocabulary
    Embedding(vocabulary, np.eye(3, dtype=np.float32)).save(tmp_path / "e.npz")
    places = flipped_places(tmp_path / "e.npz", [1, 0x80])

    assert flips_that_change_something(tmp_path / "e.npz", places, Embedding.load, embedding_bytes) == []


def headers_of(path):
    """Return the positions of a file that are within 200 bytes after a member begins, or in its directory."""
    whole = path.read_bytes()
    positions, start = set(), whole.find(b"PK\x03\x04")
    while start >= 0:
        positions |= set(range(start, start + 200))
        start = whole.find(b"PK\x03\x04", start + 1)
    return sorted(
        place for place in positions | set(range(whole.find(b"PK\x01\x02"), len(whole))) if place < len(whole)
    )


def test_no_flipped_byte_of_files_of_megabytes_gives_a_wrong_answer(tmp_path):
    edges = np.random.default_rng(0).integers(0, 20_000, (150_000, 2))
    graph = Graph.from_edges(edges, 20_000)
    encode(graph, 2, degrees="layered").save(tmp_path / "e.npz")
    np.savez(tmp_path / "g.npz", edges=edges, num_nodes=20_000)
    rng = random.Random(0)
    assert (tmp_path / "e.npz").stat().st_size > 2 << 20
    for name, load, content in (
        ("e.npz", egonet.load, encoding_bytes),
        (
            "g.npz",
            egonet.read_graph,
            lambda graph: (graph.indptr.tobytes(), graph.indices.tobytes(), graph.nodes),
        ),
    ):
        path = tmp_path / name
        positions = rng.sample(headers_of(path), 60) + [rng.randrange(path.stat().st_size) for _ in range(20)]

        wrong = flips_that_change_something(
            path, [(p, 1 << rng.randrange(8)) for p in positions], load, content
        )

        assert wrong == [], name


def test_bytes_after_an_array_raise(tmp_path):

    sink = io.BytesIO()
    np.lib.format.write_array(sink, np.array([[0, 1]]))
    with zipfile.ZipFile(tmp_path / "g.npz", "w") as packed:
        packed.writestr("edges.npy", sink.getvalue() + b"x")

    with pytest.raises(FileError, match=r"edges\.npy has bytes after its array"):
        egonet.read_graph(tmp_path / "g.npz")


@settings(max_examples=60, deadline=None)
@given(st.data(), st.sampled_from([None, "out", "in"]), st.booleans(), st.sampled_from([1, 2, (2, 1)]))
def test_chains_of_saved_updates_equal_encoding_from_scratch(tmp_path_factory, data, directed, keep, radius):
    path = tmp_path_factory.mktemp("chain") / "e.npz"
    pairs = st.tuples(st.integers(0, 8), st.integers(0, 8)).filter(lambda pair: pair[0] < pair[1])
    now = data.draw(st.lists(pairs, min_size=1, max_size=12, unique=True))
    ids = list(dict.fromkeys(node for edge in now for node in edge))
    encode(Graph.from_edges(now, nodes=ids, directed=directed), radius).save(path, graph=keep)
    for _ in range(3):
        removed = [edge for edge in now if data.draw(st.booleans())]
        added = [edge for edge in data.draw(st.lists(pairs, max_size=4, unique=True)) if edge not in now]
        before = egonet.load(path)
        if not keep:
            shuffled = data.draw(st.permutations(now))
            graph = Graph.from_edges(shuffled, nodes=data.draw(st.permutations(ids)), directed=directed)
            before = before.with_graph(graph)
        after = before.update(added, removed)
        after.save(path, graph=keep)
        now = [edge for edge in now if edge not in removed] + added
        ids = list(dict.fromkeys([*ids, *(node for edge in added for node in edge)]))
        assert_same(egonet.load(path), encode(Graph.from_edges(now, nodes=ids, directed=directed), radius))


def test_an_update_with_another_graph_raises(tmp_path):
    graph = Graph.from_edges([("a", "b"), ("b", "c")])
    encode(graph, 1).save(tmp_path / "e.npz")
    others = [
        Graph.from_edges([("a", "b"), ("a", "c")]),
        Graph.from_edges([("a", "b"), ("b", "c")], nodes=["d"]),
        Graph.from_edges([("a", "b"), ("b", "c")], directed="out"),
    ]

    for other in others:
        with pytest.raises(InputError, match="the graph given is not the one that was encoded"):
            egonet.load(tmp_path / "e.npz").with_graph(other)
    updated = egonet.load(tmp_path / "e.npz").with_graph(graph).update([("a", "c")])
    updated.save(tmp_path / "e.npz")
    with pytest.raises(InputError, match=r"keep it in the file: save\(graph=True\)"):
        egonet.load(tmp_path / "e.npz").with_graph(graph)


def test_random_wrong_graphs_all_raise(tmp_path):
    rng = np.random.default_rng(1)
    graphs = [Graph.from_edges(rng.integers(0, 12, (20, 2)), 12) for _ in range(200)]
    encode(graphs[0], 2).save(tmp_path / "e.npz")
    loaded = egonet.load(tmp_path / "e.npz")

    for graph in graphs[1:]:
        with pytest.raises(InputError, match="the graph given is not the one that was encoded"):
            loaded.with_graph(graph)


def test_columns_given_by_a_vocabulary_do_not_grow_after_loading(tmp_path):
    vocabulary = encode(named.path("ab"), 1).vocabulary
    encode(named.path("abc"), vocabulary=vocabulary).save(tmp_path / "e.npz", graph=True)

    loaded = egonet.load(tmp_path / "e.npz")

    assert not loaded.learned
    with pytest.raises(InputError, match="these were given by a vocabulary"):
        loaded.update([("a", "c")])
    with pytest.raises(InputError, match="these were given by a vocabulary"):
        loaded.with_graph(named.path("abc"))


def test_labels_are_kept_with_the_graph(tmp_path):
    encode(named.path("abc"), 1, labels=["x", "y", "x"]).save(tmp_path / "e.npz", graph=True)

    updated = egonet.load(tmp_path / "e.npz").update([("c", "d")], labels={"d": "y"})

    assert_same(updated, encode(named.path("abcd"), 1, labels=["x", "y", "x", "y"]))


def test_an_added_id_of_the_other_type_is_an_error():
    with pytest.raises(
        InputError, match=r"the graph has no node '1', but it has 1\. Give ids the type that they have"
    ):
        encode(named.path(3), 1).update([("1", "new")])


def test_a_graph_of_several_cannot_be_kept(tmp_path):
    with pytest.raises(InputError, match="the graph can be saved only with the rows of nodes of one graph"):
        encode([named.path(2), named.path(3)], 1).save(tmp_path / "e.npz", graph=True)


@pytest.mark.parametrize("link", ["same", "symbolic", "hard", "folder"])
def test_an_output_that_is_an_input_raises(tmp_path, link):
    source, output = tmp_path / "edges.csv", tmp_path / "out.csv"
    source.write_text("a,b\n")
    if link == "same":
        output = tmp_path / "." / "edges.csv"
    elif link == "symbolic":
        output.symlink_to(source)
    elif link == "hard":
        output.hardlink_to(source)
    else:
        (tmp_path / "folder").symlink_to(tmp_path)
        output = tmp_path / "folder" / "edges.csv"

    with (
        pytest.raises(
            OutputError, match=r"would be overwritten: it is the same file as .*edges\.csv\. Choose"
        ),
        reserved(output, inputs=[source]),
    ):
        pass
    assert source.read_text() == "a,b\n"


@pytest.mark.parametrize("example", [("a", (1,), "c"), "ab"])
def test_an_example_of_what_was_unseen_is_a_pair(example):
    options = {"clipped": 1, "dropped": 0, "num_rows": 1, "example": to_json(example)}

    with pytest.raises(ValueError, match="the example of an unseen key is not a pair"):
        _unpack_unseen(options)


def test_keys_of_saved_rows_are_whole_numbers():
    rows = pack_rows([{(1, 0): 2}], width=2)

    assert valid_rows(rows) is rows
    with pytest.raises(ValueError, match="int64"):
        valid_rows(replace(rows, keys=rows.keys.astype(np.float64)))


def test_a_file_of_another_kind_says_what_reads_it(tmp_path, need):
    need("sklearn")
    encoding, stream, events = (tmp_path / f"{name}.npz" for name in ("encoding", "stream", "events"))
    egonet.encode([("a", "b")], radius=1).save(encoding)
    recent = egonet.Stream(1)
    recent.add([("a", "b", 1)])
    recent.save(stream)
    egonet.EventEncoder(windows=(None,)).fit([("a", "b", 1)]).save(events)

    with pytest.raises(FileError, match=r"stream\.npz is a stream\. Read it with egonet\.Stream\.open\."):
        egonet.load(stream)
    with pytest.raises(FileError, match=r"Read it with egonet\.EventEncoder\.open\."):
        egonet.Stream.open(events)
    with pytest.raises(FileError, match=r"is an encoding\. Read it with egonet\.load\."):
        egonet.EventEncoder.open(encoding)
    with pytest.raises(FileError, match="whose columns are of events"):
        egonet.encode([("a", "b")], vocabulary=events)
