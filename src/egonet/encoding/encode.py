"""`encode`: reads one graph or several, checks all options, counts, and returns an `Encoding`."""

from collections.abc import Hashable, Iterable
from dataclasses import replace
from os import PathLike
from typing import Any, Unpack, get_args

from egonet.checks import as_threads, one_of
from egonet.encoding.count import CountTask, Device, MemoryRows, count
from egonet.encoding.encoding import Encoding
from egonet.encoding.ranks import DegreeProfile
from egonet.encoding.request import Request, add_data, find_roots, make_request
from egonet.encoding.settings import Radius, Settings, SettingsOptions, take_options
from egonet.encoding.signature import list_options
from egonet.encoding.support import EngineName
from egonet.encoding.vocabulary import UnseenPolicy, Vocabulary
from egonet.errors import OptionError
from egonet.graph.collect import DataOptions
from egonet.graph.columns import EdgeOptions, Labels
from egonet.graph.input_options import ReadOptions
from egonet.kernel.cost import prepared_bytes
from egonet.progress import as_progress, choose_progress
from egonet.typing import Progress

#: Options of `egonet.store.encode` and `egonet.store.spark`.
_MOVED = {"engine", "store", "master"}


class EncodeOptions(SettingsOptions, ReadOptions, EdgeOptions):
    """The keywords of `encode` that say what is counted, how the graph is read, and what its edges carry."""


@list_options
def encode(
    graph: Any,
    settings: Settings | Radius | None = None,
    *,
    labels: Labels | None = None,
    roots: Iterable[Hashable] | None = None,
    vocabulary: Vocabulary | Encoding | str | PathLike[str] | None = None,
    unseen: UnseenPolicy = "clip",
    threads: int | None = None,
    device: Device = "cpu",
    memory_limit: int | str | None = None,
    progress: Progress | bool | None = None,
    **options: Unpack[EncodeOptions],
) -> Encoding:
    """Return how many nodes sit at each (distance, degree) around every root.

    The degree of a node is counted only inside the root's ego-network: the subgraph of all nodes within
    `radius` hops of the root. Equal graphs and settings give equal bytes, with any number of threads and on any
    device.

    Parameters
    ----------
    graph
        Anything `as_graph` accepts, or a list (or generator) of such graphs, encoded in one call with common columns.
        The graphs of a PyG `Batch` are several graphs, whose nodes are numbered through.
    settings
        What is counted: a radius, or a `Settings` record with all of the settings below.
    radius
        Hops around each root; several, such as (1, 2), give columns for each. 0 counts the root alone, with its
        degree in the whole graph.
    degrees
        What a key says about a node besides its distance: its "total" degree inside the ego-network; "layered": its
        neighbors at the same distance and one hop farther; "full": closer, same, farther; "in_out": in-degree and
        out-degree.
    frontier_edges
        False leaves out edges between two nodes on the last ring.
    max_degree
        Higher degrees are counted as this one.
    degree_bins
        "log" merges degrees into 0, 1, 2-3, 4-7, ..., which gives few columns on graphs with hubs. "quantile" counts
        quarters of the graph's own degrees, which mean the same in another graph.
    layout
        "observed" has a column per key that occurs, "paper" the columns of the paper.
    rooted, common, depth
        The nested encodings of graph theory, as in `Settings`: what is counted around every edge or pair of the root,
        or with marked nodes.
    cap
        Count in the graph with at most this many edges per node; another encoding, for graphs with large hubs.
    follow
        With degrees="in_out": follow arcs either way ("any"), "out" or "in".
    count
        "nodes" counts the nodes of the ego-network; "edges" counts its edges by the distances and degrees of both ends.
    weight_bins
        How `weights` become edge types: "log", a number of quantiles, or the limits between bins.
    directed
        "out" or "in" keeps arcs and follows them that way; None reads them as undirected edges and warns, False does
        not warn. With degrees="in_out" arcs are always kept.
    source, target
        The two columns of a table of edges, by name.
    num_nodes, nodes, missing, ids, simplify
        How the graph is read, as for `as_graph`.
    labels
        A label per node, a whole number or a string: keys then end with it, as (distance, degree, label).
        In row order (a list, array or tensor) or by id (a mapping, a pandas Series by its index, a table with a
        column "node" or "id"); for a list of graphs one of these per graph, or one flat sequence over all of them.
    edge_labels
        A type per edge, a whole number or a string: the name of a column or attribute, a sequence in the order of
        the edges as given (of `Graph.edges()` for a `Graph` without `keep=`), a mapping of pairs, or a list of these.
        A pandas Series is aligned with a pandas table of edges by the index.
        An edge of type t counts as a node labeled t between its ends: distances are half steps up to twice the
        radius, and columns are named "r2_d1_single_deg2".
    weights
        A number per edge, given like `edge_labels`; with `weight_bins` they become edge types.
    roots
        The nodes to encode, by id, in this order; every node if not given.
    vocabulary
        The columns of an earlier encoding, with its settings: that encoding, its vocabulary, or the path of a file
        that it was written to (.npz, .json, .parquet, .arrow). If the degrees of the two graphs are very different,
        there is a warning (except for degree_bins="quantile"). `Settings` and a radius given
        in addition must be equal to them; other keywords must be equal or have their default value, which is ignored.
    unseen
        What a vocabulary does with keys it has no column for: "clip" them to the nearest lower degree at the
        same distance, "ignore" them, or "error". The result is counted in `Encoding.unseen`.
    threads
        How many threads compute; one per core if not given.
    device
        "cuda" counts on a GPU, with the same result to the byte; it needs the extra `cuda`.
    memory_limit
        Raise before starting if the predicted memory, the graph excluded, is larger: bytes, or text such as "2GB".
    progress
        True shows a progress bar if the work takes longer than half a second, None after two seconds in a notebook
        or a terminal, False never (tqdm if installed, else one line). A function is called as progress(done, total)
        with numbers of roots, about ten times a second.

    Raises
    ------
    InputError
        If an argument breaks a rule; the message says which, and the way out.
    MemoryLimitError
        If the work is predicted to take more than `memory_limit`.

    Examples
    --------
    The end of a path of three sees one neighbor; the middle sees two.

    >>> import egonet
    >>> encoding = egonet.encode([("a", "b"), ("b", "c")], radius=1)
    >>> encoding["a"]
    {(0, 1): 1, (1, 1): 1}
    >>> encoding["b"]
    {(0, 2): 1, (1, 1): 2}
    >>> egonet.encode(encoding.graph, egonet.Settings(1, degrees="layered"))["b"]
    {(0, 0, 2): 1, (1, 0, 0): 2}

    Notes
    -----
    Cost: radius 1 finds each triangle once; radius r >= 2 scans the arcs of every ball. Larger than memory:
    `egonet.store.encode`. Reference: Alvarez-Gonzalez, Kaltenbrunner, Gómez, "Beyond 1-WL with Local Ego-Network
    Encodings", LoG 2022.
    """
    counting: dict[str, Any] = dict(options)
    if not _MOVED.isdisjoint(counting):
        raise OptionError(
            f"encode counts in memory and has no option {min(_MOVED & counting.keys())!r}. "
            "Use egonet.store.encode for a folder, or egonet.store.spark for a cluster."
        )
    data: Any = {"labels": labels} | take_options(counting, DataOptions)
    one_of("device", device, get_args(Device))
    engine: EngineName = "cuda" if device == "cuda" else "nodes"
    request = make_request(engine, settings, counting, vocabulary=vocabulary, unseen=unseen)
    request = add_data(request, graph, **data)
    counted, graph_ptr = request.graph, request.graph_ptr
    assert counted is not None
    assert graph_ptr is not None
    if roots is not None:
        request = replace(request, rows=find_roots(roots, counted, num_graphs=len(graph_ptr) - 1))
    assert request.uncapped is not None
    degrees = None
    if request.vocabulary is None:
        degrees = DegreeProfile.of(request.uncapped, graph_ptr)
    else:
        request.vocabulary.warn_shift(request.uncapped, graph_ptr)
    shown = choose_progress(progress, len(counted.indices))
    with as_progress(shown) as report:
        run: Any = {"device": device, "memory_limit": memory_limit, "progress": report, "degrees": degrees}
        rows = count_nodes(request, threads=as_threads(threads), **run)
    return Encoding(rows)


def count_nodes(request: Request, **run: Any) -> MemoryRows:
    """Return the rows of a request, counted in memory; `run` are the fields of `CountTask` that say how.

    >>> from egonet.encoding.request import add_graph
    >>> from egonet.graph.named import path
    >>> count_nodes(add_graph(make_request("nodes", 1), path("abc"))).row(1)
    {(0, 2): 1, (1, 1): 2}
    """
    uncapped, graph = request.uncapped, request.graph
    assert uncapped is not None
    assert graph is not None
    prepared = 0
    if run.get("memory_limit") is not None:
        num_types = 0 if request.types is None else len(request.types)
        preparation: Any = {"symmetric": uncapped.directed is None, "capped": graph is not uncapped}
        prepared = prepared_bytes(len(uncapped), len(uncapped.indices), num_types=num_types, **preparation)
    task = CountTask(
        graph,
        request.schema,
        request.graph_ptr,
        request.rows,
        request.labels,
        subdivision=request.subdivide(),
        prepared=prepared,
        **run,
    )
    return count(task, request.vocabulary, request.unseen)
