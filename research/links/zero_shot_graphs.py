"""The graphs that the zero-shot predictor is learned on: public, under permissive licences, none of SEAL's eight."""

import csv
import gzip
import json
import os
import subprocess
import zipfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import networkx as nx
import numpy as np

from egonet import Graph
from egonet.errors import MissingFileError
from egonet.typing import Int64s
from research.links.other_graphs import data_file


@dataclass(frozen=True)
class Source:
    """Where graphs are from: a repository at a commit, or a folder of the data, and its licence."""

    name: str
    licence: str
    commit: str = ""

    def read(self, path: str) -> bytes:
        """Return a file of the repository, from a clone below the folder in EGONET_CHECKOUTS."""
        folder = Path(os.environ.get("EGONET_CHECKOUTS", "checkouts")) / self.name.replace("/", "+")
        clone = next((each for each in (folder / "repo", folder / ".git", folder) if each.exists()), None)
        if clone is None:
            raise MissingFileError(
                f"{folder} must be a clone of github.com/{self.name}. Set EGONET_CHECKOUTS."
            )
        clone = clone / ".git" if (clone / ".git").exists() else clone
        command = ["git", f"--git-dir={clone}", "show", f"{self.commit}:{path}"]
        return subprocess.run(command, capture_output=True, check=True).stdout  # noqa: S603


@dataclass(frozen=True)
class TrainingGraph:
    """One graph: its name, its family (graphs of one family are left out together), its source and its edges."""

    name: str
    family: str
    source: Source
    load: Callable[[], Int64s | Iterable[tuple[object, object]]]

    def graph(self) -> Graph:
        """Return the graph, undirected, with whole numbers as ids."""
        return plain_graph(self.load())


def plain_graph(pairs: Int64s | Iterable[tuple[object, object]]) -> Graph:
    """Return the undirected graph of some pairs; loops are dropped and repeats merged.

    >>> plain_graph([("a", "b"), ("b", "a"), ("b", "b"), ("b", "c")])
    Graph(num_nodes=3, num_edges=2)
    """
    if isinstance(pairs, np.ndarray):
        ends: Int64s = pairs
    else:
        number: dict[object, int] = {}
        listed = [[number.setdefault(end, len(number)) for end in pair] for pair in pairs]
        ends = np.array(listed, dtype=np.int64)
    known, numbers = np.unique(ends[ends[:, 0] != ends[:, 1]], return_inverse=True)
    edges = np.unique(np.sort(numbers.reshape(-1, 2), axis=1), axis=0)
    return Graph.from_indices(edges[:, 0], edges[:, 1], len(known))


NETWORKX = Source("networkx (built in)", "BSD-3-Clause")
GENERATED = Source("generated here", "none needed")
SNAP = Source("JuliaGraphs/SNAPDatasets.jl", "MIT", "dadd14a69b908d3dfc824d7c9f8c04f6fda72e59")
COURSE = Source("chatox/networks-science-course", "CC BY 4.0", "f2959953a8961c0664bd0303db660d1b3ddbe6cd")
KIARA = Source(
    "DHARPA-Project/kiara_plugin.network_analysis", "MPL-2.0", "4e0d174aae0ed2550fee7697f8525858f95fefbf"
)
WATER = Source("USEPA/WNTR", "BSD-3-Clause", "388958845c3209ace9a5bd1b105097977eec2d67")
BRAINS = Source("graspologic-org/graspologic", "MIT", "0aab4e0dd9a3387b0d761b4a0bb7ffd2a1a5ea25")
GRAPHISTRY = Source("graphistry/pygraphistry", "BSD-3-Clause", "f6edc1483fc69cda3d0d70248ce3f299512c47b1")
STRUC2VEC = Source("leoribeiro/struc2vec (data: airports)", "MIT")
TWITCH = Source("CUAI/Non-Homophily-Large-Scale (data: twitch)", "MIT")
YANDEX = Source("yandex-research/heterophilous-graphs (data: heterophilous)", "MIT")
TU = Source("yeweiysh/IHGNN (data: tu_gin)", "MIT")
PROTEINS = Source("wokas36/GraphSNN (data: tu)", "MIT")
ZINC = Source("wengong-jin/icml18-jtnn (data: zinc12k)", "MIT")


def _networkx(make: Callable[[], nx.Graph]) -> Callable[[], list[tuple[object, object]]]:
    return lambda: list(make().edges())


def _gml(source: Source, path: str) -> Callable[[], list[tuple[object, object]]]:
    def load() -> list[tuple[object, object]]:
        """Read the ends of edges; the parser of networkx rejects repeated edges."""
        words = source.read(path).decode().split()
        ends = {
            key: [words[i + 1] for i, word in enumerate(words) if word == key] for key in ("source", "target")
        }
        return list(zip(ends["source"], ends["target"], strict=True))

    return load


def _table(
    source: Source,
    path: str,
    columns: tuple[int, int] = (0, 1),
    *,
    delimiter: str | None = ",",
    header: bool = True,
) -> Callable[[], list[tuple[object, object]]]:
    def load() -> list[tuple[object, object]]:
        content = source.read(path)
        text = (gzip.decompress(content) if path.endswith(".gz") else content).decode("utf-8-sig")
        lines = text.splitlines()[1 if header else 0 :]
        rows = (
            [line.split() for line in lines] if delimiter is None else csv.reader(lines, delimiter=delimiter)
        )
        return [(row[columns[0]], row[columns[1]]) for row in rows if len(row) > max(columns)]

    return load


def _graphml(source: Source, path: str) -> Callable[[], list[tuple[object, object]]]:
    def load() -> list[tuple[object, object]]:
        parts = source.read(path).decode().split("<edge ")[1:]
        return [(_quoted(part, "source"), _quoted(part, "target")) for part in parts]

    return load


def _quoted(text: str, key: str) -> str:
    """Return the value of an attribute of XML.

    >>> _quoted('id="7" source="n1">', "source")
    'n1'
    """
    return text.split(f'{key}="', 1)[1].split('"', 1)[0]


def _snap(path: str) -> Callable[[], Int64s]:
    def load() -> Int64s:
        lines = gzip.decompress(SNAP.read(f"data/{path}.jlg")).decode().split("\n")[1:]
        return np.array([line.split(",")[:2] for line in lines if line], dtype=np.int64)

    return load


def _water(name: str) -> Callable[[], list[tuple[object, object]]]:
    def load() -> list[tuple[object, object]]:
        """Read pipes, pumps and valves: id, first node, second node."""
        found: list[tuple[object, object]] = []
        section = ""
        for line in WATER.read(f"wntr/library/networks/{name}.inp").decode("latin-1").splitlines():
            if line.startswith("["):
                section = line.strip().upper()
            elif (
                section in ("[PIPES]", "[PUMPS]", "[VALVES]")
                and line.strip()
                and not line.strip().startswith(";")
            ):
                found.append((line.split()[1], line.split()[2]))
        return found

    return load


def _brain(side: str) -> Callable[[], Int64s]:
    def load() -> Int64s:
        text = BRAINS.read(f"graspologic/datasets/drosophila/{side}_adjacency.csv").decode()
        matrix = np.array([[float(cell) for cell in line.split()] for line in text.splitlines() if line])
        ends: Int64s = np.argwhere(matrix > 0)
        return ends

    return load


def _mouse(subject: str, share: float) -> Callable[[], Int64s]:
    def load() -> Int64s:
        """Keep the strongest tracts: all pairs of regions have some."""
        text = BRAINS.read(f"graspologic/datasets/mice/edgelists/sub-{subject}_ses-1_dti.edgelist").decode()
        rows = [line.split() for line in text.splitlines() if line]
        weights = np.array([float(row[2]) for row in rows])
        ends: Int64s = np.array([row[:2] for row in rows], dtype=np.int64)
        strongest: Int64s = ends[weights >= np.quantile(weights, 1 - share)]
        return strongest

    return load


def _starwars() -> list[tuple[object, object]]:
    return _graphml(COURSE, "practicum/data/starwars/starwars.graphml")()


def _edges(path: str, separator: str | None = None, *, header: bool = False) -> Callable[[], Int64s]:
    def load() -> Int64s:
        opener = gzip.open if path.endswith(".gz") else open
        with opener(data_file(path), "rt") as stream:
            lines = stream.read().splitlines()[1 if header else 0 :]
        return np.array([line.split(separator)[:2] for line in lines if line], dtype=np.int64)

    return load


def _npz(path: str) -> Callable[[], Int64s]:
    def load() -> Int64s:
        with np.load(data_file(path), allow_pickle=False) as arrays:
            edges: Int64s = arrays["edges"].astype(np.int64)
        return edges if edges.shape[1] == 2 else edges.T

    return load


def _tu_union(name: str, first: int, count: int, smallest: int = 0) -> Callable[[], Int64s]:
    def load() -> Int64s:
        """Return the union of some graphs of a set in the text format of GIN."""
        with zipfile.ZipFile(data_file(f"tu_gin/{name}.zip")) as archive:
            path = next(each for each in archive.namelist() if each.endswith(f"{name}.txt"))
            numbers = iter(archive.read(path).decode().split("\n"))
        found, begin, taken = [], 0, 0
        for position in range(int(next(numbers))):
            size = int(next(numbers).split()[0])
            rows = [[int(word) for word in next(numbers).split()] for _ in range(size)]
            if size < smallest or position < first or taken >= count:
                continue
            taken += 1
            found += [(begin + u, begin + v) for u, row in enumerate(rows) for v in row[2 : 2 + row[1]]]
            begin += size
        return np.array(found, dtype=np.int64)

    return load


def _proteins(first: int, last: int) -> Callable[[], Int64s]:
    def load() -> Int64s:
        text = data_file("tu/PROTEINS/PROTEINS_A.txt").read_text().replace(",", " ")
        ends = np.array(text.split(), dtype=np.int64).reshape(-1, 2)
        graph = np.array(
            data_file("tu/PROTEINS/PROTEINS_graph_indicator.txt").read_text().split(), dtype=np.int64
        )
        chosen = (graph[ends[:, 0] - 1] >= first) & (graph[ends[:, 0] - 1] < last)
        return ends[chosen]

    return load


def _molecules(count: int) -> Callable[[], Int64s]:
    def load() -> Int64s:
        path = next(data_file("zinc12k/SOURCE.txt").parent.glob("*.npz"))
        with np.load(path, allow_pickle=False) as arrays:
            ptr, edges, nodes = arrays["edge_ptr"], arrays["edge"].astype(np.int64), arrays["node_ptr"]
        edges = edges if edges.shape[1] == 2 else edges.T
        parts = [edges[ptr[i] : ptr[i + 1]] + nodes[i] for i in range(count)]
        return np.concatenate(parts)

    return load


def _geometric(size: int, radius: float, seed: int) -> Callable[[], list[tuple[object, object]]]:
    return _networkx(lambda: nx.random_geometric_graph(size, radius, seed=seed))


def _grid(rows: int, columns: int, share: float, seed: int) -> Callable[[], list[tuple[object, object]]]:
    def load() -> list[tuple[object, object]]:
        """Return a grid of streets without some of them."""
        edges = list(nx.grid_2d_graph(rows, columns).edges())
        rng = np.random.default_rng(seed)
        return [edge for edge in edges if rng.random() < share]

    return load


def _blocks(
    sizes: list[int], inside: float, outside: float, seed: int
) -> Callable[[], list[tuple[object, object]]]:
    matrix = np.full((len(sizes), len(sizes)), outside) + np.eye(len(sizes)) * (inside - outside)
    return _networkx(lambda: nx.stochastic_block_model(sizes, matrix.tolist(), seed=seed))


def _near_tree(size: int, extra: int, seed: int) -> Callable[[], list[tuple[object, object]]]:
    def load() -> list[tuple[object, object]]:
        """Return points in the plane: their minimum spanning tree, and the shortest of the other lines."""
        rng = np.random.default_rng(seed)
        graph = nx.random_geometric_graph(size, 2.2 / np.sqrt(size), seed=seed)
        place = nx.get_node_attributes(graph, "pos")
        for u, v in graph.edges():
            graph[u][v]["weight"] = float(np.hypot(place[u][0] - place[v][0], place[u][1] - place[v][1]))
        tree = list(nx.minimum_spanning_edges(graph, data=False))
        left = sorted(set(map(frozenset, graph.edges())) - set(map(frozenset, tree)), key=sorted)
        chosen = rng.choice(len(left), size=min(extra, len(left)), replace=False)
        return [*tree, *(tuple(left[i]) for i in chosen)]

    return load


GRAPHS = [
    TrainingGraph("karate club", "friends", NETWORKX, _networkx(nx.karate_club_graph)),
    TrainingGraph("southern women", "affiliation", NETWORKX, _networkx(nx.davis_southern_women_graph)),
    TrainingGraph("Les Misérables", "characters", NETWORKX, _networkx(nx.les_miserables_graph)),
    TrainingGraph("adjectives and nouns", "words", KIARA, _gml(KIARA, "examples/data/gml/adjnoun.gml")),
    TrainingGraph("dolphins", "animals", KIARA, _gml(KIARA, "examples/data/gml/dolphins.gml")),
    TrainingGraph("football", "games", KIARA, _gml(KIARA, "examples/data/gml/football.gml")),
    TrainingGraph("political books", "purchases", KIARA, _gml(KIARA, "examples/data/gml/polbooks.gml")),
    TrainingGraph(
        "email EU core",
        "email",
        COURSE,
        _table(COURSE, "practicum/data/email-eu-core.txt", delimiter=None, header=False),
    ),
    TrainingGraph("Florida bay", "food web", COURSE, _gml(COURSE, "practicum/data/Florida-bay-food-web.gml")),
    TrainingGraph("Star Wars", "characters", COURSE, _starwars),
    TrainingGraph(
        "SFHH conference", "contacts", COURSE, _table(COURSE, "practicum/data/sfhh-conference-2009.csv")
    ),
    TrainingGraph(
        "student cooperation",
        "cooperation",
        COURSE,
        _graphml(COURSE, "practicum/data/student-cooperation.graphml"),
    ),
    TrainingGraph(
        "tortoises",
        "animals",
        COURSE,
        _graphml(COURSE, "practicum/data/reptilia-tortoise/reptilia-tortoise.graphml"),
    ),
    TrainingGraph(
        "company ownership", "ownership", COURSE, _table(COURSE, "practicum/data/us_companies_ownership.csv")
    ),
    TrainingGraph("Brazilian airports", "airports", STRUC2VEC, _edges("airports/brazil-airports.edgelist")),
    TrainingGraph("European airports", "airports", STRUC2VEC, _edges("airports/europe-airports.edgelist")),
    *(
        TrainingGraph(
            f"Twitch {name}", "twitch", TWITCH, _edges(f"twitch/{name}/edges.csv.gz", ",", header=True)
        )
        for name in ("DE", "ENGB", "FR", "RU")
    ),
    TrainingGraph("actor", "co-occurrence", YANDEX, _npz("heterophilous/actor.npz")),
    TrainingGraph("squirrel", "wikipedia", YANDEX, _npz("heterophilous/squirrel_filtered.npz")),
    TrainingGraph("chameleon", "wikipedia", YANDEX, _npz("heterophilous/chameleon_filtered.npz")),
    TrainingGraph("tolokers", "workers", YANDEX, _npz("heterophilous/tolokers.npz")),
    TrainingGraph("minesweeper", "grid", YANDEX, _npz("heterophilous/minesweeper.npz")),
    TrainingGraph("condensed matter", "co-authors", SNAP, _snap("ca-condmat/ca-condmat-cc1")),
    TrainingGraph("Enron", "email", SNAP, _snap("email-enron/email-enron-cc1")),
    TrainingGraph("arXiv hep-th", "citations", SNAP, _snap("arxiv_cit/arxiv-cit-hep-th")),
    TrainingGraph("arXiv hep-ph", "citations", SNAP, _snap("arxiv_cit/arxiv-cit-hep-ph")),
    TrainingGraph("Slashdot", "friends online", SNAP, _snap("soc-slashdot0902/soc-slashdot0902-undirected")),
    TrainingGraph("COLLAB, 1 to 60", "co-authors", TU, _tu_union("COLLAB", 0, 60)),
    TrainingGraph("COLLAB, large ones", "co-authors", TU, _tu_union("COLLAB", 0, 4, 300)),
    TrainingGraph("IMDB, 1 to 100", "actors", TU, _tu_union("IMDBBINARY", 0, 100)),
    TrainingGraph("Reddit threads, 1 to 20", "threads", TU, _tu_union("REDDIT-BINARY", 0, 20)),
    TrainingGraph("NCI1, 1 to 100", "molecules", TU, _tu_union("NCI1", 0, 100)),
    TrainingGraph("ZINC, 1 to 150", "molecules", ZINC, _molecules(150)),
    TrainingGraph("proteins, 1 to 60", "proteins", PROTEINS, _proteins(1, 61)),
    TrainingGraph("proteins, 61 to 100", "proteins", PROTEINS, _proteins(61, 101)),
    *(
        TrainingGraph(f"water {name}", "water", WATER, _water(name))
        for name in ("Net3", "Net6", "ky4", "ky10")
    ),
    *(TrainingGraph(f"fly, {side}", "brains", BRAINS, _brain(side)) for side in ("left", "right")),
    TrainingGraph("mouse, strongest tenth", "brains", BRAINS, _mouse("54776", 0.1)),
    TrainingGraph("honeypot", "attacks", GRAPHISTRY, _table(GRAPHISTRY, "demos/data/honeypot.csv")),
    TrainingGraph(
        "small world", "generated", GENERATED, _networkx(lambda: nx.watts_strogatz_graph(800, 6, 0.1, seed=0))
    ),
    TrainingGraph(
        "preferential", "generated", GENERATED, _networkx(lambda: nx.barabasi_albert_graph(1000, 4, seed=0))
    ),
    TrainingGraph(
        "clustered",
        "generated",
        GENERATED,
        _networkx(lambda: nx.powerlaw_cluster_graph(1000, 5, 0.6, seed=0)),
    ),
    TrainingGraph("blocks", "generated", GENERATED, _blocks([60] * 8, 0.2, 0.005, 0)),
    TrainingGraph("plane", "generated", GENERATED, _geometric(900, 0.06, 0)),
    TrainingGraph("streets", "generated", GENERATED, _grid(40, 40, 0.8, 0)),
    TrainingGraph("lines", "generated", GENERATED, _near_tree(2000, 700, 0)),
]


def sources() -> dict[str, str]:
    """Return the licence of every source."""
    return {each.source.name: each.source.licence for each in GRAPHS}


def main() -> None:
    """Print every graph with its sizes."""
    for each in GRAPHS:
        graph = each.graph()
        shown = {"name": each.name, "family": each.family, "nodes": graph.num_nodes, "edges": graph.num_edges}
        print(json.dumps(shown, ensure_ascii=False), flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
