"""`read_graph` and `read_graphs`: choose the reader by the file's ending; errors name the file and the position."""

import inspect
from collections.abc import Callable, Hashable, Iterable
from dataclasses import replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

import numpy as np

from egonet.errors import FileError, InputError, in_python, show_value
from egonet.graph.align import attach_columns, names_to_keep, reject_unordered
from egonet.graph.columns import ROLES, EdgeValues, Keep, Labels, as_keep
from egonet.graph.graph import NOTHING_CHANGED, Graph, sum_infos
from egonet.graph.input_options import (
    Ids,
    InputOptions,
    Missing,
    as_direction,
    check_simplify,
    reject_unknown,
    reject_unused,
    warn_ignored,
)
from egonet.io.byte_streams import as_seekable, sniff
from egonet.io.graph6 import read_graph6
from egonet.io.limits import PLAUSIBLE_RATIO
from egonet.io.markup import read_gml, read_graphml, read_matrix_market
from egonet.io.npz import read_npz
from egonet.io.paths import DELIMITERS, PIPE_FOLDERS, format_of, open_file, require_file, require_unchanged
from egonet.tables.edges import read_table_graph
from egonet.tables.text import TextOptions, read_text
from egonet.typing import Directed

Reader: TypeAlias = Callable[[BinaryIO, str, InputOptions], Graph | list[Graph]]

#: The formats that Python or another package parses; text is parsed by `read_text`.
READERS: dict[str, Reader] = {
    "parquet": partial(read_table_graph, "parquet"),
    "arrow": partial(read_table_graph, "arrow"),
    "mtx": read_matrix_market,
    "graphml": read_graphml,
    "gml": read_gml,
    "graph6": read_graph6,
    "npz": read_npz,
}
#: Formats parsed in Python, at about a microsecond per byte: a packed file may unpack to less.
SLOW, SLOW_RATIO = ("graphml", "gml"), 15
TABLES = ("csv", "tsv", "text", "parquet", "arrow")


def read_graph(
    path: str | PathLike[str],
    *,
    source: str | int | None = None,
    target: str | int | None = None,
    delimiter: str | None = None,
    header: bool | None = None,
    comment: str | None = None,
    directed: Directed = None,
    nodes: Iterable[Hashable] | None = None,
    num_nodes: int | None = None,
    keep: Keep = None,
    labels: Labels | None = None,
    edge_labels: EdgeValues | None = None,
    weights: EdgeValues | None = None,
    missing: Missing = None,
    ids: Ids = None,
    simplify: bool | None = None,
    format: str | None = None,  # noqa: A002 — the name users know from other readers
) -> Graph:
    """Return the graph in a file: csv, tsv, text, Parquet, Arrow, Matrix Market, GraphML, GML, graph6 or npz.

    Parameters
    ----------
    path
        The ending gives the format: .csv .tsv .txt .edgelist .edges .mtx .graphml .gml .g6 (each also with .gz),
        .parquet .arrow .feather .npz. For "/dev/stdin" and other pipes the first line does, with a warning that says
        how it was read.
    source, target
        The two columns of a table, by name or by position counted from 0; by default, columns with well-known
        names (source/target, src/dst, from/to, u/v; in Parquet and Arrow and with header=True also id_1/id_2 and
        node_1/node_2), or the only two of text without a header. Other columns are ignored.
    delimiter
        What separates the fields of text: by default "," in csv, a tab in tsv, otherwise runs of blanks.
    header
        Whether text begins with a row of column names. By default it does if source and target are names, or if
        that row has well-known names; a row of other names is an error until this option is given.
    comment
        Lines of text that start with one of these characters are skipped; by default "#%" if blanks separate the
        fields. In csv and tsv, where ids may start with them, such a line is an error until this option is given.
    directed
        "out" or "in" follows arcs that way; None reads them as undirected edges and warns if the format has
        directions; False does so without a warning.
    nodes, num_nodes
        As in `Graph.from_edges`, for tables.
    keep
        Columns or edge attributes to keep for `encode(..., edge_labels=...)`, by name or by position. Columns of text
        stay text.
    labels
        A label per node, as in `as_graph`: a mapping, a pandas Series, a table with a column "node" or "id", or the
        name of a node attribute of GraphML or GML. Attributes of GraphML are whole numbers if the file declares "int"
        or "long", and text otherwise.
    edge_labels, weights
        A type and a number per edge: the name of a column or edge attribute, or values as in `as_graph`. Types in text
        stay text: 007 is not 7.
    missing, ids, simplify
        As in `as_graph`: leave out rows with a missing value, read all ids as text, no warning about what is not used.
    format
        Overrides the ending: csv, tsv, text, parquet, arrow, mtx, graphml, gml, graph6 or npz; or another ending.

    Raises
    ------
    FileError
        If the content of the file is invalid; the message names the position.
    MissingFileError
        If there is no such file.
    MissingExtraError
        If Parquet, Arrow or GML is read and the extra package is not installed.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "edges.csv"
    >>> _ = path.write_text("source,target,weight\\nann,bob,3\\nbob,cid,1\\n")
    >>> graph = read_graph(path, source="source", target="target")
    >>> graph.node_ids.tolist(), str(graph.info)
    (['ann', 'bob', 'cid'], 'edge weights ignored')
    >>> read_graph(path, weights="weight").edge_columns["weights"].tolist()
    [3.0, 1.0]

    Notes
    -----
    Ids of text are whole numbers if all of them are; otherwise all are strings, and "007" is not 7. Blanks around a
    field of text are removed, with a warning for names; quotes keep them. Other formats keep ids unchanged.
    """
    file = require_file(path)
    text = TextOptions(delimiter, header, comment)
    columns = {"labels": labels, "edge_labels": edge_labels, "weights": weights}
    names = names_to_keep(keep, columns)
    attribute = labels if isinstance(labels, str) else None
    options = InputOptions(
        source, target, num_nodes, nodes, as_direction(directed), names, missing, ids, attribute
    )
    graphs = read_every(file, format, options, text, is_silent=directed is False, simplify=simplify)
    if len(graphs) != 1:
        raise FileError(
            f"{file.name} has {len(graphs):,} graphs, not one. "
            f"{in_python('Use egonet.read_graphs.', 'Give a file of one graph; egonet compare takes two.')}"
        )
    graph = graphs[0]
    if attribute is not None:
        columns["labels"] = None  # the graph has them
    elif nodes is None:
        reject_unordered(labels, graph.node_ids)
    return attach_columns(graph, np.array([0, graph.num_nodes]), columns)


def read_graphs(path: str | PathLike[str], **options: Any) -> list[Graph]:
    """Return every graph of a file: many for graph6 and GraphML, one for other formats.

    The path and the options are those of `read_graph`, without labels, edge_labels and weights.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "small.g6"
    >>> _ = path.write_text("A_\\nBw\\n")
    >>> read_graphs(path)
    [Graph(num_nodes=2, num_edges=1), Graph(num_nodes=3, num_edges=3)]
    """
    allowed = [name for name in read_graph.__kwdefaults__ or () if name not in ROLES]
    reject_unknown("read_graphs", options, allowed)
    file = require_file(path)
    format, directed = options.pop("format", None), options.pop("directed", None)  # noqa: A001
    text = TextOptions(*(options.pop(name, None) for name in ("delimiter", "header", "comment")))
    keep, simplify = as_keep(options.pop("keep", None)), options.pop("simplify", None)
    input_options = InputOptions(**options, directed=as_direction(directed), keep=keep)
    return read_every(file, format, input_options, text, is_silent=directed is False, simplify=simplify)


def _list_options() -> None:
    """List the options of `read_graph` in the signature of `read_graphs`."""
    alone, many = inspect.signature(read_graph), inspect.signature(read_graphs)
    parameters = [each for name, each in alone.parameters.items() if name not in ROLES]
    read_graphs.__signature__ = many.replace(parameters=parameters)  # type: ignore[attr-defined]


_list_options()


def read_every(
    file: Path,
    format: str | None,  # noqa: A002
    options: InputOptions,
    text: TextOptions,
    *,
    is_silent: bool,
    simplify: bool | None = None,
) -> list[Graph]:
    """Return every graph of a file, and warn once about input that is not used."""
    check_simplify(simplify)
    is_pipe = file.parent in PIPE_FOLDERS or file.is_fifo()
    if format is None and is_pipe:
        with open_file(file) as stream:
            start, kind = sniff(stream, file.name)
            result = read_stream(start, file.name, kind, options, text)
    else:
        kind = format_of(file, format)
        with (
            require_unchanged(file),
            open_file(file, SLOW_RATIO if kind in SLOW else PLAUSIBLE_RATIO) as stream,
        ):
            seekable = as_seekable(stream, kind) if is_pipe else stream
            result = read_stream(seekable, file.name, kind, options, text)
    graphs = result if isinstance(result, list) else [result]
    if any(graph.info != NOTHING_CHANGED for graph in graphs):
        directed = False if is_silent else options.directed
        warn_ignored(
            sum_infos(graphs),
            directed=directed,
            source=options.source,
            simplify=simplify,
            is_table=kind in TABLES,
        )
    return graphs


def read_stream(
    stream: BinaryIO, name: str, kind: str, options: InputOptions, text: TextOptions
) -> Graph | list[Graph]:
    """Return the graph of a stream, or several; raise for options that its format does not use."""
    if kind not in TABLES:
        options.allow(kind)
    if options.node_attribute is not None and kind not in ("graphml", "gml"):
        raise InputError(
            f"labels names the node attribute {show_value(options.node_attribute)}, but {name} has none: only GraphML "
            'and GML do. Give a mapping from id to label, or a table with a column "node".'
        )
    if kind == "graph6":
        reject_unused(kind, {"keep": options.keep})
    if kind not in DELIMITERS:
        reject_unused(kind, vars(text))
        return READERS[kind](stream, name, options)
    if text.delimiter is None:
        text = replace(text, delimiter=DELIMITERS[kind])
    return read_text(stream, name, options, text)
