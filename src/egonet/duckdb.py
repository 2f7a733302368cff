"""Features inside DuckDB: a table function over a table of edges, and a table with a column per feature."""

from contextlib import suppress
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from egonet.encoding.encode import EncodeOptions, encode
from egonet.encoding.encoding import Encoding
from egonet.encoding.settings import Radius, Settings
from egonet.encoding.signature import list_options
from egonet.errors import InputError, require_extra
from egonet.graph.graph import Graph
from egonet.graph.index import show

if TYPE_CHECKING:
    import duckdb

#: Options of the table function after the name of the table, with their types and defaults in SQL.
_OPTIONS = {
    "radius": ("BIGINT", "2"),
    "degrees": ("VARCHAR", "'total'"),
    "max_degree": ("BIGINT", "NULL"),
    "degree_bins": ("VARCHAR", "NULL"),
    "directed": ("VARCHAR", "NULL"),
}
_FUNCTION = "egonet_rows"
#: Ids become numbers in SQL, so that the features have ids of the type that the edges have.
_PAIRS = """
    WITH pairs AS (
        SELECT struct_extract(edge, source) AS first, struct_extract(edge, target) AS second
        FROM query_table(edges) AS edge
    ), ids AS (
        SELECT node, row_number() OVER (ORDER BY node) - 1 AS number
        FROM (SELECT first AS node FROM pairs UNION SELECT second FROM pairs) WHERE node IS NOT NULL
    ), numbered AS (
        SELECT a.number AS first, b.number AS second
        FROM pairs LEFT JOIN ids AS a ON pairs.first = a.node LEFT JOIN ids AS b ON pairs.second = b.node
    ), encoded AS (
        SELECT unnest(FUNCTION(
            list(first), list(second), count(*) FILTER (WHERE first IS NULL OR second IS NULL),
            (SELECT [any_value(typeof(first)), any_value(typeof(second)), any_value(wrong::VARCHAR)] FROM (
                SELECT first, second, CASE WHEN {WRONG:first} THEN first::VARCHAR
                    WHEN {WRONG:second} THEN second::VARCHAR END AS wrong
                FROM pairs
            )), {OPTIONS}
        )) AS entry
        FROM numbered
    )
    SELECT ids.node AS node, entry.features AS features
    FROM encoded JOIN ids ON ids.number = entry.number ORDER BY ids.number
"""
#: Whether an id of one end is a number that is no id: by the rule of `egonet.graph.index`.
_WRONG = """(
    typeof(END) = 'BOOLEAN' OR
    (typeof(END) IN ('FLOAT', 'DOUBLE') AND
        (isnan(TRY_CAST(END AS DOUBLE)) OR TRY_CAST(END AS DOUBLE) % 1 <> 0
            OR abs(TRY_CAST(END AS DOUBLE)) > 9007199254740992)) OR
    (typeof(END) LIKE 'DECIMAL%' AND TRY_CAST(END::VARCHAR AS DOUBLE) % 1 <> 0) OR
    (typeof(END) IN ('HUGEINT', 'UHUGEINT') AND
        (TRY_CAST(END::VARCHAR AS HUGEINT) IS NULL
            OR TRY_CAST(END::VARCHAR AS HUGEINT) NOT BETWEEN -9223372036854775808 AND 18446744073709551615))
)"""


def register(connection: "duckdb.DuckDBPyConnection") -> None:
    """Add the table functions `ego_features` and `ego_counts` to a DuckDB connection.

    `ego_features('edges', radius := 2)` has a row per node: "node", and "features", a map from the name of a column
    to its count. `ego_counts('edges', radius := 2)` has a row per entry: "node", "feature", "count". Both take the name
    of a table or view, and the options radius, degrees, max_degree, degree_bins, directed ('out' or 'in'), source and
    target (the names of the two columns).

    Examples
    --------
    >>> import duckdb, egonet
    >>> con = duckdb.connect()
    >>> _ = con.execute("CREATE TABLE edges AS FROM (VALUES ('a', 'b'), ('b', 'c')) AS pairs(source, target)")
    >>> egonet.duckdb.register(con)
    >>> con.sql("SELECT node, features['r1_d1_deg1'] FROM ego_features('edges', radius := 1) ORDER BY node").fetchall()
    [('a', 1), ('b', 2), ('c', 1)]

    Notes
    -----
    A table function of DuckDB has fixed columns, so that the features are a map. For a column per feature use
    `features`, or PIVOT the result of `ego_counts`.
    """
    duckdb = require_extra("duckdb", "egonet.duckdb", extra="duckdb")
    require_extra("pyarrow", "egonet.duckdb", extra="duckdb")
    fields = ", ".join(f"{name} {kind}" for name, (kind, _) in _OPTIONS.items())
    types: list[Any] = ["BIGINT[]", "BIGINT[]", "BIGINT", "VARCHAR[]", f"STRUCT({fields})"]
    returned = "STRUCT(number BIGINT, features MAP(VARCHAR, INTEGER))[]"
    with suppress(duckdb.InvalidInputException):  # raised if it was not registered before
        connection.remove_function(_FUNCTION)
    keywords: Any = {"type": "arrow", "null_handling": "special"}
    connection.create_function(_FUNCTION, _rows, types, returned, **keywords)
    defaults = ", ".join(f"{name} := {default}" for name, (_, default) in _OPTIONS.items())
    head = f"(edges, {defaults}, source := 'source', target := 'target') AS TABLE"
    values = ", ".join(f"'{name}': {name}" for name in _OPTIONS)
    body = _PAIRS.replace("FUNCTION", _FUNCTION).replace("OPTIONS", values)
    for end in ("first", "second"):
        body = body.replace(f"{{WRONG:{end}}}", _WRONG.replace("END", end))
    entries = "unnest(map_keys(features)) AS feature, unnest(map_values(features)) AS count"
    connection.execute(f"CREATE OR REPLACE TEMP MACRO ego_features{head} {body}")
    connection.execute(f"CREATE OR REPLACE TEMP MACRO ego_counts{head} FROM ({body}) SELECT node, {entries}")


@list_options
def features(
    connection: "duckdb.DuckDBPyConnection",
    table: str,
    settings: Settings | Radius | None = None,
    **options: Unpack[EncodeOptions],
) -> "duckdb.DuckDBPyRelation":
    """Return a relation with the column "node" and one per feature, of the edges in a table or view.

    Parameters
    ----------
    connection, table
        Where the edges are: the name of a table or view, such as "edges", "main.edges" or '"my table"'. A query is no
        name: make a view of it.
    settings, radius, degrees, frontier_edges, max_degree, degree_bins, layout
        What is counted, as for `encode`.
    rooted, common, cap, depth, follow, weight_bins, count
        More of what is counted, as for `egonet.encode`.
    source, target
        The names of the two columns.
    edge_labels, weights
        The name of the column with the type, or with the number, of every edge.
    directed, num_nodes, nodes, missing, ids, simplify
        How the edges are read, as for `as_graph`.

    Examples
    --------
    >>> import duckdb, egonet
    >>> con = duckdb.connect()
    >>> _ = con.execute("CREATE TABLE edges AS FROM (VALUES (1, 2), (2, 3)) AS pairs(source, target)")
    >>> egonet.duckdb.features(con, "edges", radius=1).order("node").fetchall()
    [(1, 1, 0, 1), (2, 0, 1, 2), (3, 1, 0, 1)]
    """
    duckdb = require_extra("duckdb", "egonet.duckdb", extra="duckdb")
    require_extra("pyarrow", "egonet.duckdb", extra="duckdb")
    if not isinstance(table, str):
        raise InputError(f"table must be the name of a table or view, got {show(table)}.")
    quoted = table.replace("'", "''")  # a name in a literal: no SQL inside it is ever run
    try:
        edges = connection.sql(f"FROM query_table('{quoted}')")
    except (duckdb.CatalogException, duckdb.BinderException, duckdb.ParserException) as error:
        reason = str(error).partition("\n")[0]
        raise InputError(
            f"table must be the name of a table or view, got {show(table)}: {reason} Quote a name as in '\"my table\"'."
        ) from error
    made = encode(edges.to_arrow_table(), settings, **options).to_arrow()
    return connection.from_arrow(made)


def _check_ids(first: str | None, second: str | None, wrong: str | None) -> None:
    """Raise for ids that no other input may have: numbers next to text, and floats that are not whole.

    The types of the two columns are given, and the first id that is no whole number.
    """
    if first is not None and second is not None and (first == "VARCHAR") != (second == "VARCHAR"):
        raise InputError(
            f"both ends of an edge must be text or both numbers, got {first} and {second}: 1 and '1' would be two "
            "nodes. Cast one of them."
        )
    if wrong is not None:
        raise InputError(
            f"an id that is a number must be whole and of 64 bits, got {wrong}. Drop or cast it."
        )


def _rows(first: Any, second: Any, missing: Any, ids: Any, options: Any) -> Any:
    """Return for every row of the arguments the features of a graph, as Arrow lists of structs."""
    import pyarrow

    kind = pyarrow.struct(
        [("number", pyarrow.int64()), ("features", pyarrow.map_(pyarrow.string(), pyarrow.int32()))]
    )
    parts = []
    for index in range(len(first)):
        if missing[index].as_py():
            raise InputError(
                f"an end of an edge must not be missing, got {missing[index].as_py():,} edges with NULL. Drop them."
            )
        _check_ids(*(ids[index].as_py() or (None, None, None)))
        if first[index].as_py() is None:
            parts.append(pyarrow.array([], type=kind))
            continue
        parts.append(_features(first[index].values, second[index].values, options[index].as_py()))
    whole = pyarrow.concat_arrays(parts) if parts else pyarrow.array([], type=kind)
    offsets = np.concatenate([[0], np.cumsum([len(part) for part in parts])]).astype(np.int32)
    return pyarrow.ListArray.from_arrays(pyarrow.array(offsets), whole)


def _features(first: Any, second: Any, options: dict[str, Any]) -> Any:
    """Return the features of one graph as an Arrow array of structs, in the order of the nodes' numbers."""
    import pyarrow

    source, target = first.to_numpy(zero_copy_only=False), second.to_numpy(zero_copy_only=False)
    size = int(max(source.max(), target.max())) + 1
    directed: Any = options.pop("directed") or ("out" if options["degrees"] == "in_out" else None)
    graph = Graph.from_indices(source, target, size, directed=directed)
    encoding: Encoding = encode(graph, **options)
    matrix, names = encoding.matrix, pyarrow.array(encoding.feature_names, type=pyarrow.string())
    maps = pyarrow.MapArray.from_arrays(
        pyarrow.array(matrix.indptr.astype(np.int32)),
        names.take(pyarrow.array(matrix.indices)),
        pyarrow.array(matrix.data),
    )
    return pyarrow.StructArray.from_arrays([pyarrow.array(np.arange(size)), maps], ["number", "features"])
