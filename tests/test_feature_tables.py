"""From a table of edges to a table of features, and back onto the user's own table in one line."""

import pytest

import egonet
from egonet.errors import InputError

EDGES = {
    "payer": ["ann", "bob", "cid", "cid"],
    "payee": ["bob", "cid", "ann", "dan"],
    "amount": [1.0, 2.0, 3.0, 4.0],
}
PEOPLE = {"id": ["dan", "cid", "bob", "ann"], "age": [40, 30, 20, 10]}
#: The tailed triangle at radius 1, by person: its degree is 1, 2 or 3, and neighbors of degree 1 and 2 inside.
EXPECTED = {
    "ann": (10, 0, 1, 0, 0, 2),
    "bob": (20, 0, 1, 0, 0, 2),
    "cid": (30, 0, 0, 1, 1, 2),
    "dan": (40, 1, 0, 0, 1, 0),
}
NAMES = ["r1_d0_deg1", "r1_d0_deg2", "r1_d0_deg3", "r1_d1_deg1", "r1_d1_deg2"]


def encoded(frame):
    return egonet.encode(frame, 1, source="payer", target="payee")


def test_pandas_there_and_back(need):
    pd = need("pandas")

    joined = pd.DataFrame(PEOPLE).merge(
        encoded(pd.DataFrame(EDGES)).to_pandas(), left_on="id", right_index=True
    )

    assert {
        row[0]: row[1:] for row in joined[["id", "age", *NAMES]].itertuples(index=False, name=None)
    } == EXPECTED


def test_pandas_by_index(need):
    pd = need("pandas")

    joined = pd.DataFrame(PEOPLE).set_index("id").join(encoded(pd.DataFrame(EDGES)).to_pandas())

    assert tuple(joined.loc["cid"]) == EXPECTED["cid"]


def test_polars_there_and_back(need):
    pl = need("polars")

    joined = pl.DataFrame(PEOPLE).join(
        encoded(pl.DataFrame(EDGES)).to_polars(), left_on="id", right_on="node"
    )

    assert {row[0]: row[1:] for row in joined.select("id", "age", *NAMES).iter_rows()} == EXPECTED


def test_lazy_polars_frames_are_collected(need):
    pl = need("polars")

    assert encoded(pl.LazyFrame(EDGES))["cid"] == {(0, 3): 1, (1, 1): 1, (1, 2): 2}


def test_arrow_there_and_back(need):
    pa = need("pyarrow")

    joined = pa.table(PEOPLE).join(encoded(pa.table(EDGES)).to_arrow(), "id", "node")

    assert {row["id"]: (row["age"], *(row[name] for name in NAMES)) for row in joined.to_pylist()} == EXPECTED


def test_duckdb_there_and_back(need):
    duckdb, pa = need("duckdb"), need("pyarrow")
    connection = duckdb.connect()
    connection.register("edges", pa.table(EDGES))
    connection.register("people", pa.table(PEOPLE))

    features = encoded(connection.sql("select * from edges")).to_arrow()
    connection.register("features", features)
    joined = connection.sql("select * exclude node from people join features on id = node").fetchall()

    assert {row[0]: row[1:] for row in joined} == EXPECTED


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_whole_number_ids_stay_whole_numbers(need, kind):
    package = need(kind)
    make = package.table if kind == "pyarrow" else package.DataFrame
    frame = make({"source": [2**40, 7], "target": [7, 9]})

    encoding = egonet.encode(frame, 1)
    back = {"pandas": encoding.to_pandas, "polars": encoding.to_polars, "pyarrow": encoding.to_arrow}[kind]()

    ids = back.index if kind == "pandas" else back["node"]
    assert list(ids.to_pylist() if kind == "pyarrow" else ids) == [2**40, 7, 9]


def test_labels_follow_the_id_column(need):
    """Labels of a table go by id: nodes are rows in order of first appearance, which the table need not have."""
    pd = need("pandas")
    people = pd.DataFrame(PEOPLE | {"kind": ["shop", "person", "person", "person"]})

    labels = people.set_index("id")["kind"].to_dict()
    encoding = egonet.encode(pd.DataFrame(EDGES), 1, source="payer", target="payee", labels=labels)

    assert encoding["cid"] == {(0, 3, "person"): 1, (1, 1, "shop"): 1, (1, 2, "person"): 2}


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_a_column_that_is_not_there_is_named(need, kind):
    package = need(kind)
    frame = (package.table if kind == "pyarrow" else package.DataFrame)(EDGES)

    with pytest.raises(InputError, match=r"there is no column 'payr'\. Did you mean 'payer'\?"):
        egonet.encode(frame, 1, source="payr", target="payee")
