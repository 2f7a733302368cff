"""Features inside DuckDB equal those of `encode`, for ids of any type."""

import re

import pytest

from contracts.parts import need

duckdb = need("duckdb")
need("pyarrow")

import numpy as np  # noqa: E402

import egonet  # noqa: E402
from egonet import named  # noqa: E402
from egonet.errors import EgonetError, InputError  # noqa: E402


@pytest.fixture
def con():
    connection = duckdb.connect()
    egonet.duckdb.register(connection)
    return connection


def fill(con, name, pairs, kind, columns="source, target"):
    first, second = columns.split(", ")
    con.execute(f"CREATE OR REPLACE TABLE {name} ({first} {kind}, {second} {kind})")
    if pairs:
        con.executemany(f"INSERT INTO {name} VALUES (?, ?)", pairs)


def expected(pairs, *args, **options):
    encoding = egonet.encode(egonet.Graph.from_edges(pairs), *args, **options)
    names = encoding.feature_names
    return {
        node: {names[column]: count for column, count in enumerate(row) if count}
        for node, row in zip(encoding.nodes.tolist(), encoding.to_dense().tolist(), strict=True)
    }


CLUB = named.karate_club().edges().tolist()
WORDS = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")]


@pytest.mark.parametrize(("pairs", "kind"), [(CLUB, "BIGINT"), (CLUB, "SMALLINT"), (WORDS, "VARCHAR")])
@pytest.mark.parametrize("radius", [1, 2])
def test_the_table_function_equals_encode(con, pairs, kind, radius):
    fill(con, "edges", pairs, kind)

    rows = con.sql(f"SELECT * FROM ego_features('edges', radius := {radius})").fetchall()

    assert dict(rows) == expected(pairs, radius)
    assert [node for node, _ in rows] == sorted(node for node, _ in rows)


def test_options_are_those_of_encode(con):
    fill(con, "payments", CLUB, "BIGINT", "payer, payee")

    rows = con.sql(
        "SELECT * FROM ego_features('payments', source := 'payer', target := 'payee', degrees := 'full', "
        "degree_bins := 'log', radius := 1)"
    ).fetchall()

    assert dict(rows) == expected(CLUB, 1, degrees="full", degree_bins="log")


def test_arcs_are_followed(con):
    fill(con, "edges", WORDS, "VARCHAR")
    graph = egonet.Graph.from_edges(WORDS, directed="out")

    rows = dict(con.sql("SELECT * FROM ego_features('edges', radius := 1, directed := 'out')").fetchall())

    assert sum(rows["c"].values()) == sum(egonet.encode(graph, 1)["c"].values()) == 3


def test_counts_are_a_row_per_entry_and_can_be_pivoted(con):
    fill(con, "edges", WORDS, "VARCHAR")

    long = con.sql("SELECT * FROM ego_counts('edges', radius := 1)").fetchall()
    wide = con.sql("PIVOT (FROM ego_counts('edges', radius := 1)) ON feature USING sum(count)")

    assert ("c", "r1_d1_deg2", 2) in long
    assert len(long) == egonet.encode(WORDS, 1).matrix.nnz
    assert wide.columns == ["node", *egonet.encode(WORDS, 1).feature_names]


def test_features_join_other_tables(con):
    fill(con, "edges", WORDS, "VARCHAR")
    con.execute("CREATE TABLE people AS FROM (VALUES ('a', 30), ('d', 40)) AS rows(who, age)")

    found = con.sql(
        "SELECT age, features['r1_d0_deg1'] FROM people "
        "JOIN ego_features('edges', radius := 1) ON who = node ORDER BY age"
    ).fetchall()

    assert found == [(30, None), (40, 1)]


def test_wide_relation_has_a_column_per_feature(con):
    fill(con, "edges", WORDS, "VARCHAR")

    relation = egonet.duckdb.features(con, "edges", radius=1)

    assert relation.columns == ["node", *egonet.encode(WORDS, 1).feature_names]
    assert relation.filter("node = 'c'").fetchall() == [("c", 0, 0, 1, 1, 2)]


def test_an_empty_table_has_no_rows(con):
    fill(con, "edges", [(1, 2)], "BIGINT")
    con.execute("DELETE FROM edges")

    assert con.sql("FROM ego_features('edges')").fetchall() == []


def test_registering_again_and_elsewhere_works(con):
    egonet.duckdb.register(con)
    other = duckdb.connect()
    egonet.duckdb.register(other)
    fill(other, "edges", [(1, 2)], "BIGINT")

    assert len(other.sql("FROM ego_features('edges')").fetchall()) == 2


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("FROM ego_features('edges')", "an end of an edge must not be missing, got 1 edges with NULL"),
        ("FROM ego_features('fine', degrees := 'all')", "degrees must be one of"),
        ("FROM ego_features('fine', radius := -1)", "radius must be a whole number >= 0, got -1"),
        ("FROM ego_features('fine', source := 'payer')", "payer"),
    ],
)
def test_errors_say_what_is_wrong(con, query, message):
    fill(con, "edges", [(1, 2), (1, None)], "BIGINT")
    fill(con, "fine", [(1, 2)], "BIGINT")

    with pytest.raises(duckdb.Error, match=message):
        con.sql(query).fetchall()


@pytest.mark.parametrize(
    "name", ["edges; DROP TABLE kept", "edges; DROP TABLE kept; --", "edges, kept", "'x'", ""]
)
def test_a_name_of_a_table_is_never_run_as_sql(con, name):
    fill(con, "edges", [(1, 2)], "BIGINT")
    con.execute("CREATE TABLE kept AS SELECT 1 AS x")

    with pytest.raises(InputError, match="table must be the name of a table or view, got"):
        egonet.duckdb.features(con, name, radius=1)
    assert con.execute("SELECT count(*) FROM kept").fetchone() == (1,)


def test_a_quoted_name_may_have_any_characters(con):
    fill(con, '"my ""odd""; table"', [(1, 2)], "BIGINT")

    found = egonet.duckdb.features(con, '"my ""odd""; table"', radius=0)

    assert found.fetchall() == [(1, 1), (2, 1)]


@pytest.mark.parametrize("name", [None, 3, "nothing"])
def test_a_table_that_does_not_exist_is_an_error_of_egonet(con, name):
    with pytest.raises(InputError, match="table must be the name of a table or view, got"):
        egonet.duckdb.features(con, name)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("(1.0::DOUBLE, 2.0::DOUBLE), ('nan'::DOUBLE, 1)", "must be whole and of 64 bits, got nan"),
        ("(1.5::DOUBLE, 2.0::DOUBLE)", r"must be whole and of 64 bits, got 1\.5"),
        ("(1, '2'), (3, '1')", "got INTEGER and VARCHAR: 1 and '1' would be two nodes"),
        ("([1], [2]), ([2], [3])", r"an id must be text or a whole number, got INTEGER\[\]\. Cast it"),
        ("({'a': 1}, {'a': 2})", r"an id must be text or a whole number, got STRUCT\(a INTEGER\)"),
    ],
)
def test_the_table_functions_take_ids_by_the_rules_of_other_input(rows, message):
    connection = duckdb.connect()
    connection.execute(f"CREATE TABLE edges AS FROM (VALUES {rows}) AS pairs(source, target)")
    egonet.duckdb.register(connection)

    with pytest.raises(duckdb.Error, match=message):
        connection.sql("FROM ego_features('edges', radius := 1)").fetchall()
    with pytest.raises(InputError):
        egonet.duckdb.features(connection, "edges", radius=1)


@pytest.mark.parametrize(
    ("kind", "first", "accepted"),
    [
        ("HUGEINT", 2**63 + 5, True),
        ("HUGEINT", 2**70, False),
        ("UBIGINT", 2**63 + 5, True),
        ("DECIMAL(4,1)", 1.5, False),
        ("DECIMAL(4,0)", 7, True),
        ("DOUBLE", "1e17", False),
        ("DOUBLE", 2**53 + 1, False),
        ("DOUBLE", 2**53 - 1, True),
        ("FLOAT", 2**24 + 1, False),
        ("FLOAT", 2**24 - 1, True),
        ("DOUBLE", "'nan'", False),
        ("DOUBLE", 7, True),
        ("BOOLEAN", "true", False),
    ],
)
def test_both_functions_have_one_rule_for_ids(kind, first, accepted):
    con = duckdb.connect()
    con.execute(f"CREATE TABLE edges AS SELECT {first}::{kind} AS source, 0::{kind} AS target")
    egonet.duckdb.register(con)

    def nodes(query):
        return sorted(int(row[0]) for row in query().fetchall())

    queries = (
        lambda: egonet.duckdb.features(con, "edges", radius=0),
        lambda: con.sql("FROM ego_features('edges', radius := 0)"),
    )
    for query in queries:
        if accepted:
            assert nodes(query) == [0, int(first)]
        else:
            with pytest.raises((EgonetError, duckdb.Error), match=r"of 64 bits|must be whole"):
                nodes(query)


@pytest.mark.parametrize(("pairs", "kind"), [(CLUB, "BIGINT"), (WORDS, "VARCHAR")])
@pytest.mark.parametrize(
    "options", [{}, {"radius": 2}, {"degrees": "full", "degree_bins": "log"}, {"ordered": True}]
)
def test_rows_of_pairs_equal_encode_pairs(con, pairs, kind, options):
    asked = [*pairs[:3], pairs[0], (pairs[0][0], pairs[-1][1])]
    fill(con, "edges", pairs, kind)
    fill(con, "pairs", asked, kind)
    words = "".join(f", {name} := {value!r}" for name, value in options.items()).replace("True", "true")

    rows = con.sql(f"FROM pair_features('edges', 'pairs'{words})").fetchall()
    counts = con.sql(f"FROM pair_counts('edges', 'pairs'{words})").fetchall()

    encoding = egonet.encode_pairs(pairs, asked, **options)
    names = encoding.feature_names
    wanted = [{names[i]: n for i, n in enumerate(row) if n} for row in encoding.to_dense().tolist()]
    assert [row[:2] for row in rows] == [tuple(pair) for pair in asked]
    assert [row[2] for row in rows] == wanted
    assert sorted(counts) == sorted(
        (*pair, *item) for pair, row in zip(asked, wanted, strict=True) for item in row.items()
    )


def test_pairs_of_another_number_type_and_other_columns_are_found(con):
    fill(con, "payments", CLUB, "BIGINT", "payer, payee")
    fill(con, "asked", [(0.0, 33.0)], "DOUBLE", "a, b")

    rows = con.sql(
        "FROM pair_features('payments', 'asked', source := 'payer', target := 'payee', pair_source := 'a', "
        "pair_target := 'b', without_edge := false)"
    ).fetchall()

    assert sum(rows[0][2].values()) == egonet.encode_pairs(CLUB, [(0, 33)], without_edge=False).matrix.sum()


@pytest.mark.parametrize(
    ("asked", "kind", "message"),
    [
        ([("a", "x")], "VARCHAR", "the graph has no node x. Drop its pairs, or set handle_unknown := 'zero'"),
        ([("a", "a")], "VARCHAR", "a pair must have two different nodes, got a twice"),
        ([("a", None)], "VARCHAR", "an end of a pair must not be missing, got 1 pairs with NULL"),
        ([(1, 2)], "BIGINT", "the ids of pairs must be of the kind of the edges, got BIGINT and VARCHAR"),
    ],
)
def test_bad_pairs_are_one_sentence(con, asked, kind, message):
    fill(con, "edges", WORDS, "VARCHAR")
    fill(con, "pairs", asked, kind)

    with pytest.raises(duckdb.Error, match=re.escape(message)):
        con.sql("FROM pair_features('edges', 'pairs')").fetchall()


@pytest.mark.parametrize("asked", [[("x", "1")], [("1", "2")]])
def test_text_pairs_of_a_graph_of_numbers_are_an_error(con, asked):
    fill(con, "edges", [(1, 2), (2, 3)], "BIGINT")
    fill(con, "pairs", asked, "VARCHAR")

    with pytest.raises(duckdb.Error, match="must be of the kind of the edges, got VARCHAR and BIGINT"):
        con.sql("FROM pair_features('edges', 'pairs')").fetchall()


@pytest.mark.parametrize("edges", [WORDS, []], ids=["edges", "no edges"])
def test_unknown_nodes_of_pairs_count_as_isolated_as_in_encode_pairs(con, edges):
    fill(con, "edges", edges, "VARCHAR")
    pairs = [("x", "a"), ("a", "b"), ("b", "a"), ("x", "y")]
    fill(con, "pairs", pairs, "VARCHAR")

    with pytest.warns(egonet.errors.UnseenWarning, match=r"(2|4) of 4 pairs have a node .* such as [axy]\."):
        rows = con.sql("FROM pair_features('edges', 'pairs', handle_unknown := 'warn')").fetchall()

    with pytest.warns(egonet.errors.UnseenWarning):
        encoding = egonet.encode_pairs(edges, pairs, 1, handle_unknown="warn")
    names = encoding.feature_names
    expected = [{names[i]: row[i] for i in np.flatnonzero(row)} for row in np.asarray(encoding)]
    assert [row[2] for row in rows] == expected


def test_few_unknown_nodes_of_pairs_are_silent_and_a_pair_of_one_of_them_is_none(con):
    fill(con, "edges", WORDS, "VARCHAR")
    fill(con, "pairs", [("x", "a"), ("a", "b")], "VARCHAR")
    assert con.sql("FROM pair_features('edges', 'pairs', handle_unknown := 'zero')").fetchall()[0][2]

    fill(con, "pairs", [("x", "x"), ("a", "b")], "VARCHAR")
    with pytest.raises(duckdb.Error, match="two different nodes, got x twice"):
        con.sql("FROM pair_features('edges', 'pairs', handle_unknown := 'zero')").fetchall()


def test_no_pairs_have_no_rows(con):
    fill(con, "edges", WORDS, "VARCHAR")
    con.execute("CREATE TABLE pairs (source VARCHAR, target VARCHAR)")

    assert con.sql("FROM pair_features('edges', 'pairs')").fetchall() == []


@pytest.mark.parametrize("name", ["pairs", "ids", "numbered", "encoded"])
def test_a_table_may_have_any_name(con, name):
    fill(con, name, WORDS, "VARCHAR")

    assert dict(con.sql(f"FROM ego_features('{name}', radius := 1)").fetchall()) == expected(WORDS, 1)


@pytest.mark.parametrize(("source", "target"), [("edge", "pair"), ("edges", "asked"), ("radius", "first")])
def test_columns_may_have_any_name(con, source, target):
    names = "edge, pair, edges, asked, radius, first"
    con.execute(f"CREATE TABLE named AS FROM (VALUES ('a', 'b', 'a', 'b', 'a', 'b')) AS v({names})")
    ends = f"source := '{source}', target := '{target}'"

    assert con.sql(f"SELECT node FROM ego_features('named', {ends})").fetchall() == [("a",), ("b",)]
    pairs = f"pair_features('named', 'named', {ends}, pair_source := '{source}', pair_target := '{target}')"
    assert con.sql(f"SELECT source, target FROM {pairs}").fetchall() == [("a", "b")]


def test_enums_are_text(con):
    fill(con, "edges", [("a", "b")], "ENUM('a', 'b')")
    fill(con, "pairs", [("a", "b")], "VARCHAR")

    assert con.sql("SELECT source, target FROM pair_features('edges', 'pairs')").fetchall() == [("a", "b")]


@pytest.mark.parametrize(
    ("columns", "first", "second", "message"),
    [
        ("source DOUBLE, target BIGINT", "1", 2**53 + 1, f"got {2**53 + 1} in columns of DOUBLE and BIGINT"),
        ("source FLOAT, target BIGINT", "1", 2**24 + 1, f"got {2**24 + 1} in columns of FLOAT and BIGINT"),
        ("source UHUGEINT, target HUGEINT", "1", 2**53 + 1, f"got {2**53 + 1} in columns of UHUGEINT"),
        ("source BIGINT, target VARCHAR", "1", "'x'", "got BIGINT and VARCHAR: 1 and '1' would be two nodes"),
        ("source UBIGINT, target BIGINT", 2**64 - 1, -1, f"among numbers >= 0, got {2**64 - 1} with -1"),
        ("source HUGEINT, target HUGEINT", 2**63, -3, f"among numbers >= 0, got {2**63} with -3"),
        ("source DECIMAL(38,0), target DECIMAL(38,0)", "1", 2**64, f"got {2**64} in columns of DECIMAL"),
        ("source DECIMAL(38,1), target DECIMAL(38,1)", "1", "9007199254740993.5", r"993\.5 in columns"),
        ("source VARCHAR, target VARCHAR", "'a'", "''", "1 edges with NULL or an empty text"),
    ],
)
@pytest.mark.parametrize("query", ["ego_features('edges')", "pair_features('edges', 'pairs')"])
def test_ids_are_never_merged_by_the_types_of_two_columns(con, columns, first, second, message, query):
    """DuckDB casts two columns to a common type, where 2**53 and 2**53 + 1 may be one number."""
    con.execute(f"CREATE TABLE edges ({columns}); INSERT INTO edges VALUES ({first}, {second})")
    kind = columns.split()[1].rstrip(",")
    con.execute(f"CREATE TABLE pairs (source {kind}, target {kind})")

    with pytest.raises(duckdb.Error, match=message):
        con.sql(f"FROM {query}").fetchall()


def test_numbers_of_two_types_are_one_node_where_both_are_exact(con):
    con.execute("CREATE TABLE edges (source DOUBLE, target BIGINT)")
    con.execute(f"INSERT INTO edges VALUES (1, 2), (2, {2**53 - 1})")

    rows = con.sql("FROM ego_features('edges', radius := 1)").fetchall()

    assert dict(rows) == expected([(1, 2), (2, 2**53 - 1)], 1)


@pytest.mark.parametrize("ends", [("a", ""), ("", "a")])
def test_an_empty_text_is_no_end_of_a_pair(con, ends):
    fill(con, "edges", WORDS, "VARCHAR")
    fill(con, "pairs", [ends], "VARCHAR")

    with pytest.raises(
        duckdb.Error, match="an end of a pair must not be missing, got 1 pairs with NULL or an empty text"
    ):
        con.sql("FROM pair_features('edges', 'pairs', handle_unknown := 'zero')").fetchall()
