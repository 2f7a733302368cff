"""Features inside DuckDB: table functions over a table of edges, and a table with a column per feature."""

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Unpack, get_args

import numpy as np

from egonet.checks import one_of
from egonet.encoding.encode import EncodeOptions, encode
from egonet.encoding.encoding import Encoding
from egonet.encoding.settings import Radius, Settings
from egonet.encoding.signature import list_options
from egonet.encoding.unknown import MOST_UNSEEN, HandleUnknown
from egonet.errors import InputError, UnknownNodeError, UnseenWarning, require_extra, show_value
from egonet.graph.columns import is_from
from egonet.graph.graph import Graph
from egonet.graph.input_options import warn
from egonet.pairs.encode import encode_pairs

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
_PAIR_OPTIONS = {
    name: ("BIGINT", "1") if name == "radius" else option for name, option in _OPTIONS.items()
} | {
    "without_edge": ("BOOLEAN", "true"),
    "ordered": ("BOOLEAN", "false"),
    "handle_unknown": ("VARCHAR", "'error'"),
}
_FUNCTION, _PAIR_FUNCTION = "egonet_rows", "egonet_pair_rows"
#: Edges with NULL for empty text. Ids become numbers in SQL, so that the features have ids of the type that the edges
#: have; the names of parts are none that a table of a user has.
_EDGES = """
    WITH egonet_pairs AS (
        SELECT {ENDS}
        FROM (
            SELECT struct_extract(egonet_edge, source) AS first, struct_extract(egonet_edge, target) AS second
            FROM query_table(edges) AS egonet_edge
        )
    )
"""
#: Arguments of the function of Python: the edges, how many have no end, and what their ids break.
_GRAPH = """
    list(first), list(second), count(*) FILTER (WHERE first IS NULL OR second IS NULL),
    (SELECT [any_value(typeof(first)), any_value(typeof(second)), any_value({WRONG}),
        max(CASE WHEN {LARGE} THEN greatest({WHOLE:first}, {WHOLE:second}) END)::VARCHAR,
        min(CASE WHEN {LARGE} THEN least({WHOLE:first}, {WHOLE:second}) END)::VARCHAR
    ] FROM egonet_pairs)
"""
_PAIRS = """
    {EDGES}, egonet_ids AS (
        SELECT node, row_number() OVER (ORDER BY node) - 1 AS number
        FROM (SELECT first AS node FROM egonet_pairs UNION SELECT second FROM egonet_pairs) WHERE node IS NOT NULL
    ), egonet_numbered AS (
        SELECT a.number AS first, b.number AS second
        FROM egonet_pairs LEFT JOIN egonet_ids AS a ON egonet_pairs.first = a.node
            LEFT JOIN egonet_ids AS b ON egonet_pairs.second = b.node
    ), egonet_encoded AS (
        SELECT unnest({FUNCTION}({GRAPH}, {OPTIONS})) AS entry FROM egonet_numbered
    )
    SELECT egonet_ids.node AS node, entry.features AS features
    FROM egonet_encoded JOIN egonet_ids ON egonet_ids.number = entry.number ORDER BY egonet_ids.number
"""
#: The same with a second table, whose rows are pairs. Ids are compared as text, since the tables may have other types.
_ASKED = """
    {EDGES}, egonet_ids AS (
        SELECT {KEY:node} AS key, row_number() OVER (ORDER BY node) - 1 AS number
        FROM (SELECT first AS node FROM egonet_pairs UNION SELECT second FROM egonet_pairs) WHERE node IS NOT NULL
    ), egonet_numbered AS (
        SELECT a.number AS first, b.number AS second
        FROM egonet_pairs LEFT JOIN egonet_ids AS a ON {KEY:egonet_pairs.first} = a.key
            LEFT JOIN egonet_ids AS b ON {KEY:egonet_pairs.second} = b.key
    ), egonet_given AS MATERIALIZED (
        SELECT row_number() OVER () - 1 AS place, {ENDS}
        FROM (
            SELECT struct_extract(egonet_pair, pair_source) AS first,
                struct_extract(egonet_pair, pair_target) AS second
            FROM query_table(asked) AS egonet_pair
        )
    ), egonet_found AS (
        SELECT egonet_given.*, a.number AS one, b.number AS two
        FROM egonet_given LEFT JOIN egonet_ids AS a ON {KEY:egonet_given.first} = a.key
            LEFT JOIN egonet_ids AS b ON {KEY:egonet_given.second} = b.key
    ), egonet_encoded AS (
        SELECT unnest({FUNCTION}({GRAPH},
            (SELECT list(one ORDER BY place) FROM egonet_found), (SELECT list(two ORDER BY place) FROM egonet_found),
            (SELECT count(*) FROM egonet_found WHERE first IS NULL OR second IS NULL),
            (SELECT [any_value(typeof(first)), any_value(typeof(second)), any_value({WRONG}),
                min(CASE WHEN one IS NULL THEN first::VARCHAR WHEN two IS NULL THEN second::VARCHAR END),
                min(CASE WHEN {KEY:first} = {KEY:second} THEN first::VARCHAR END)
            ] FROM egonet_found), {OPTIONS}
        )) AS entry
        FROM egonet_numbered
    )
    SELECT egonet_given.first AS source, egonet_given.second AS target, entry.features AS features
    FROM egonet_encoded JOIN egonet_given ON egonet_given.place = entry.number ORDER BY egonet_given.place
"""
_KEY = """if(typeof(ID) IN ('FLOAT', 'DOUBLE') OR typeof(ID) LIKE 'DECIMAL%',
    TRY_CAST(ID AS HUGEINT)::VARCHAR, ID::VARCHAR)"""
_TEXT = "(typeof(ID) IN ('VARCHAR', 'JSON') OR typeof(ID) LIKE 'ENUM%')"
#: Both ends of a row. Text next to numbers raises here, before DuckDB casts one to the other.
_ENDS = """
    CASE WHEN {TEXT:first} <> {TEXT:second} AND '"NULL"' NOT IN (typeof(first), typeof(second))
        THEN error(
            'both ends of an edge must be text or both numbers, got ' || typeof(first) || ' and ' || typeof(second)
            || ': 1 and ''1'' would be two nodes. Cast one of them.'
        )
        WHEN first::VARCHAR <> '' THEN first END AS first,
    CASE WHEN second::VARCHAR <> '' THEN second END AS second
"""
#: The part of a number before the point.
_WHOLE = "TRY_CAST(split_part(ID::VARCHAR, '.', 1) AS HUGEINT)"
#: Whether ids have a type that has numbers above 2**63 - 1.
_LARGE = """(typeof(first) IN ('UBIGINT', 'HUGEINT', 'UHUGEINT') OR typeof(first) LIKE 'DECIMAL%'
    OR typeof(second) IN ('UBIGINT', 'HUGEINT', 'UHUGEINT') OR typeof(second) LIKE 'DECIMAL%')"""
#: Whether DuckDB casts the ids of one end to floats, since the other end has them or only floats have both.
_IS_CAST = """(typeof(ID) NOT IN ('FLOAT', 'DOUBLE') AND typeof(first) <> typeof(second)
    AND list_has_any([typeof(first), typeof(second)], ['FLOAT', 'DOUBLE', 'UHUGEINT']))"""
#: Whether an id of one end is a number that is no id, by the rule of `egonet.graph.index`, or that a cast would round.
_IS_WRONG = """(
    typeof(ID) = 'BOOLEAN' OR
    (typeof(ID) IN ('FLOAT', 'DOUBLE') AND
        (isnan(TRY_CAST(ID AS DOUBLE)) OR TRY_CAST(ID AS DOUBLE) % 1 <> 0
            OR abs(TRY_CAST(ID AS DOUBLE)) >= if(typeof(ID) = 'FLOAT', 16777216, 9007199254740992))) OR
    ({IS_CAST:ID} AND
        abs({WHOLE:ID}) >= if('FLOAT' IN (typeof(first), typeof(second)), 16777216, 9007199254740992)) OR
    (typeof(ID) LIKE 'DECIMAL%' AND regexp_matches(ID::VARCHAR, '[.]0*[1-9]')) OR
    ((typeof(ID) LIKE 'DECIMAL%' OR typeof(ID) IN ('HUGEINT', 'UHUGEINT')) AND
        ({WHOLE:ID} IS NULL OR {WHOLE:ID} NOT BETWEEN -9223372036854775808 AND 18446744073709551615))
)"""
_WRONG = "CASE WHEN {IS_WRONG:first} THEN first::VARCHAR WHEN {IS_WRONG:second} THEN second::VARCHAR END"
#: Placeholders of the queries, each before those that it contains. {NAME:id} stands for the text with an id for ID.
_PARTS = {
    "EDGES": _EDGES,
    "GRAPH": _GRAPH,
    "ENDS": _ENDS,
    "WRONG": _WRONG,
    "IS_WRONG": _IS_WRONG,
    "IS_CAST": _IS_CAST,
    "LARGE": _LARGE,
    "KEY": _KEY,
    "TEXT": _TEXT,
    "WHOLE": _WHOLE,
}


def _fill_parts(query: str, function: str, options: str) -> str:
    """Return a query with the text of its placeholders.

    >>> _fill_parts("SELECT {FUNCTION}({WHOLE:node}, {OPTIONS})", "count", "'radius': 1")
    "SELECT count(TRY_CAST(split_part(node::VARCHAR, '.', 1) AS HUGEINT), {'radius': 1})"
    """
    for name, text in _PARTS.items():

        def fill(found: re.Match[str], text: str = text) -> str:
            return re.sub(r"\bID\b", found[1] or "ID", text)

        query = re.sub(rf"{{{name}(?::([\w.]+))?}}", fill, query)
    return query.replace("{FUNCTION}", function).replace("{OPTIONS}", f"{{{options}}}")


def register(connection: "duckdb.DuckDBPyConnection") -> None:
    """Add the table functions `ego_features`, `ego_counts`, `pair_features` and `pair_counts` to a DuckDB connection.

    `ego_features('edges', radius := 2)` has a row per node: "node", and "features", a map from the name of a column
    to its count. `ego_counts('edges', radius := 2)` has a row per entry: "node", "feature", "count". Both take the name
    of a table or view, and the options radius, degrees, max_degree, degree_bins, directed ('out' or 'in'), source and
    target (the names of the two columns).

    `pair_features('edges', 'pairs', radius := 1)` has a row per row of the second table, in its order: "source",
    "target", "features"; `pair_counts` a row per entry. They take the same options, those of `encode_pairs` that are
    called without_edge, ordered and handle_unknown ('error', 'zero' or 'warn'), and pair_source and pair_target, the
    names of the columns of the second table.

    Examples
    --------
    >>> import duckdb, egonet
    >>> con = duckdb.connect()
    >>> _ = con.execute("CREATE TABLE edges AS FROM (VALUES ('a', 'b'), ('b', 'c')) AS pairs(source, target)")
    >>> egonet.duckdb.register(con)
    >>> con.sql("SELECT node, features['r1_d1_deg1'] FROM ego_features('edges', radius := 1) ORDER BY node").fetchall()
    [('a', 1), ('b', 2), ('c', 1)]
    >>> _ = con.execute("CREATE TABLE pairs AS FROM (VALUES ('a', 'c')) AS pairs(source, target)")
    >>> con.sql("FROM pair_features('edges', 'pairs')").fetchall()
    [('a', 'c', {'r1_d0_d2_deg1': 2, 'r1_d1_d1_deg2': 1})]

    Notes
    -----
    A table function of DuckDB has fixed columns, so that the features are a map. For a column per feature use
    `features`, or PIVOT the result of `ego_counts` or `pair_counts`.
    """
    require_extra("duckdb", "egonet.duckdb", extra="duckdb")
    require_extra("pyarrow", "egonet.duckdb", extra="duckdb")
    _check_connection(connection)
    lists: list[Any] = ["BIGINT[]", "BIGINT[]", "BIGINT", "VARCHAR[]"]
    ends = "source := 'source', target := 'target'"
    nodes = _Functions("ego", _FUNCTION, _rows, lists, _OPTIONS, f"edges, {ends}", "egonet_made.node")
    others = f"edges, asked, {ends}, pair_source := 'source', pair_target := 'target'"
    pairs = _Functions(
        "pair",
        _PAIR_FUNCTION,
        _pair_rows,
        2 * lists,
        _PAIR_OPTIONS,
        others,
        "egonet_made.source, egonet_made.target",
    )
    nodes.register(connection, _PAIRS)
    pairs.register(connection, _ASKED)


@dataclass(frozen=True)
class _Functions:
    """Two table functions with a common prefix, and the function of Python that both call."""

    prefix: str
    name: str
    function: Callable[..., Any]
    types: list[Any]
    options: dict[str, tuple[str, str]]
    parameters: str
    index: str

    def register(self, connection: "duckdb.DuckDBPyConnection", body: str) -> None:
        """Replace the functions of a connection; `body` is the query, with placeholders."""
        import duckdb

        fields = ", ".join(f"{name} {kind}" for name, (kind, _) in self.options.items())
        returned = "STRUCT(number BIGINT, features MAP(VARCHAR, INTEGER))[]"
        with suppress(duckdb.InvalidInputException):  # raised if it was not registered before
            connection.remove_function(self.name)
        keywords: Any = {"type": "arrow", "null_handling": "special"}
        types = [*self.types, f"STRUCT({fields})"]
        connection.create_function(self.name, self.function, types, returned, **keywords)
        defaults = ", ".join(f"{name} := {default}" for name, (_, default) in self.options.items())
        head = f"({self.parameters}, {defaults}) AS TABLE"
        values = ", ".join(f"'{name}': {name}" for name in self.options)
        body = _fill_parts(body, self.name, values)
        entries = "unnest(map_keys(features)) AS feature, unnest(map_values(features)) AS count"
        connection.execute(f"CREATE OR REPLACE TEMP MACRO {self.prefix}_features{head} {body}")
        counts = f"FROM ({body}) AS egonet_made SELECT {self.index}, {entries}"  # a column may be named like an option
        connection.execute(f"CREATE OR REPLACE TEMP MACRO {self.prefix}_counts{head} {counts}")


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
    _check_connection(connection)
    if not isinstance(table, str):
        raise InputError(f"table must be the name of a table or view, got {show_value(table)}.")
    quoted = table.replace("'", "''")  # a name in a literal: no SQL inside it is ever run
    try:
        edges = connection.sql(f"FROM query_table('{quoted}')")
    except (
        duckdb.CatalogException,
        duckdb.BinderException,
        duckdb.ParserException,
        duckdb.InvalidInputException,  # text without UTF-8
    ) as error:
        reason = str(error).partition("\n")[0]
        raise InputError(
            f"table must be the name of a table or view, got {show_value(table)}: {reason} Quote a name as in '\"my "
            "table\"'."
        ) from error
    made = encode(edges.to_arrow_table(), settings, **options).to_arrow()
    return connection.from_arrow(made)


def _check_connection(connection: Any) -> None:
    if not is_from("_duckdb", connection) and not is_from("duckdb", connection):
        raise InputError(
            f"connection must be one of DuckDB, as duckdb.connect() makes, got {show_value(connection)}."
        )


def _is_text(kind: str) -> bool:
    """Return whether a type of DuckDB has text."""
    return kind in ("VARCHAR", "JSON") or kind.startswith("ENUM")


def _is_scalar(kind: str) -> bool:
    """Return whether a type of DuckDB whose name ends with a bracket has single values.

    >>> [_is_scalar(kind) for kind in ("DECIMAL(9,1)", "ENUM('a', 'b')", "INTEGER[]", "STRUCT(a INTEGER)")]
    [True, True, False, False]
    """
    return kind.startswith(("DECIMAL(", "ENUM(")) and kind.endswith(")")


def _check_ids(first: str | None, second: str | None, wrong: str | None) -> None:
    """Raise for ids that no other input may have: nested ones, and numbers that are not whole or that a cast rounds.

    The types of the two columns are given, and the first id that is no whole number.
    """
    nested = [kind for kind in (first, second) if kind and kind.endswith((")", "]")) and not _is_scalar(kind)]
    if nested:
        raise InputError(f"an id must be text or a whole number, got {nested[0]}. Cast it to VARCHAR.")
    if wrong is not None:
        raise InputError(
            f"an id that is a number must be whole and of 64 bits, got {wrong} in columns of {first} and {second}. "
            "Drop it, or cast both columns to BIGINT or VARCHAR."
        )


def _rows(first: Any, second: Any, missing: Any, ids: Any, options: Any) -> Any:
    """Return for every row of the arguments the features of a graph, as Arrow lists of structs."""
    return _as_lists(
        [
            _of_graph(row, lambda graph, options: encode(graph, **options))
            for row in zip(first, second, missing, ids, options, strict=True)
        ]
    )


def _pair_rows(
    first: Any, second: Any, missing: Any, ids: Any, one: Any, two: Any, gaps: Any, facts: Any, options: Any
) -> Any:
    """Return for every row of the arguments the features of pairs in a graph, as Arrow lists of structs."""
    columns = (first, second, missing, ids, one, two, gaps, facts, options)
    return _as_lists([_of_pairs(row) for row in zip(*columns, strict=True)])


def _of_pairs(row: Any) -> Any:
    """Return the features of the pairs of one row of arguments."""
    first, second, missing, ids, one, two, num_gaps, facts, options = row
    _check_asked(num_gaps.as_py(), ids.as_py() or [None] * 5, facts.as_py() or [None] * 5, options.as_py())
    ends = [
        np.array([-1 if end is None else end for end in side.as_py() or []], dtype=np.int64)
        for side in (one, two)
    ]
    pairs = np.stack(ends, axis=1)
    options = options.as_py()
    _warn_unknown(pairs, facts.as_py(), options.pop("handle_unknown"))

    def count(graph: Graph, options: dict[str, Any]) -> Encoding:
        isolated = (
            graph.num_nodes - 2 + np.arange(2)
        )  # the last two; it does not matter which unknown node it is
        return encode_pairs(graph, np.where(pairs < 0, isolated, pairs), **options)

    return _of_graph((first, second, missing, ids, options), count, len(pairs))


def _warn_unknown(pairs: Any, facts: Any, policy: str) -> None:
    """Warn about pairs with a node that the graph does not have: always if asked, else if they are more than half."""
    num_unknown = int((pairs < 0).any(axis=1).sum())
    if num_unknown and (policy == "warn" or num_unknown > MOST_UNSEEN * len(pairs)):
        warn(
            f"{num_unknown:,} of {len(pairs):,} pairs have a node that the graph does not have, such as {facts[3]}. It "
            "counts as an isolated node. Is this the right graph?",
            UnseenWarning,
        )


def _check_asked(num_gaps: int, ids: list[Any], facts: list[Any], options: dict[str, Any]) -> None:
    """Raise for pairs with ids that no input may have, or that the graph does not have."""
    if num_gaps:
        raise InputError(
            f"an end of a pair must not be missing, got {num_gaps:,} pairs with NULL or an empty "
            "text. Drop them."
        )
    first, second, wrong, unknown, same = facts
    _check_ids(first, second, wrong)
    is_text = [_is_text(kind) for kind in (ids[0], first) if kind is not None]
    if len(set(is_text)) > 1:
        raise InputError(
            f"the ids of pairs must be of the kind of the edges, got {first} and {ids[0]}: 1 and '1' would be two "
            "nodes. Cast one of them."
        )
    one_of("handle_unknown", options["handle_unknown"], get_args(HandleUnknown))
    if unknown is not None and options["handle_unknown"] == "error":
        raise UnknownNodeError(
            f"the graph has no node {unknown}. Drop its pairs, or set handle_unknown := 'zero'."
        )
    if same is not None:
        raise InputError(f"a pair must have two different nodes, got {same} twice. Drop the pair.")


def _of_graph(row: Any, count: Callable[..., Encoding], num_pairs: int = 0) -> Any:
    """Return the features that `count` gives for the graph of one row of arguments, as an Arrow array of structs.

    With pairs the graph has two more nodes, which are isolated.
    """
    first, second, missing, ids, options = row
    first_type, second_type, wrong, largest, smallest = ids.as_py() or [None] * 5
    _check_ids(first_type, second_type, wrong)
    if largest is not None and int(largest) >= 2**63 and int(smallest) < 0:
        raise InputError(
            f"whole numbers above 2**63 are ids only among numbers >= 0, got {largest} with {smallest}. Cast both "
            "columns to VARCHAR."
        )
    if missing.as_py():
        raise InputError(
            f"an end of an edge must not be missing, got {missing.as_py():,} edges with NULL or an empty "
            "text. Drop them."
        )
    options = options if isinstance(options, dict) else options.as_py()
    has_edges = first.as_py() is not None
    if not has_edges and not num_pairs:
        return _as_structs(np.zeros(1, dtype=np.int32), np.empty(0, np.int32), np.empty(0, np.int32), [])
    none = np.empty(0, dtype=np.int64)
    source, target = (
        side.values.to_numpy(zero_copy_only=False) if has_edges else none for side in (first, second)
    )
    num_nodes = int(max(source.max(initial=-1), target.max(initial=-1))) + 1 + 2 * (num_pairs > 0)
    directed: Any = options.pop("directed") or ("out" if options["degrees"] == "in_out" else None)
    encoding = count(Graph.from_indices(source, target, num_nodes, directed=directed), options)
    matrix = encoding.matrix
    return _as_structs(matrix.indptr, matrix.indices, matrix.data, encoding.feature_names)


def _as_structs(indptr: Any, columns: Any, counts: Any, names: Sequence[str]) -> Any:
    """Return rows as an Arrow array of their numbers and maps of features."""
    import pyarrow

    maps = pyarrow.MapArray.from_arrays(
        pyarrow.array(indptr.astype(np.int32)),
        pyarrow.array(names, type=pyarrow.string()).take(pyarrow.array(columns)),
        pyarrow.array(counts.astype(np.int32)),
    )
    return pyarrow.StructArray.from_arrays(
        [pyarrow.array(np.arange(len(maps))), maps], ["number", "features"]
    )


def _as_lists(parts: list[Any]) -> Any:
    """Return arrays of structs as one Arrow array of lists."""
    import pyarrow

    kind = pyarrow.struct(
        [("number", pyarrow.int64()), ("features", pyarrow.map_(pyarrow.string(), pyarrow.int32()))]
    )
    values = pyarrow.concat_arrays([pyarrow.array([], type=kind), *parts])
    offsets = np.concatenate([[0], np.cumsum([len(part) for part in parts])]).astype(np.int32)
    return pyarrow.ListArray.from_arrays(pyarrow.array(offsets), values)
