"""What is drawn on a graph of the explorer, and how it is aligned."""

import datetime

import numpy as np
import pytest

import egonet
from egonet import named
from egonet.encoding.roles import similar_groups
from egonet.errors import InputError
from egonet.viz.drawn import (
    Drawn,
    aligned_columns,
    category,
    column_coloring,
    drawn_molecule,
    is_molecule,
    most_similar,
    with_extras,
)

NOTHING = {"columns": None, "positions": None, "orders": None, "times": None}


def extended(graph, **extras):
    return with_extras(Drawn(graph, "graph"), {**NOTHING, **extras})


def test_a_series_is_aligned_by_its_index(need):
    pd = need("pandas")
    series = pd.Series([3, 1, 2], index=["c", "a", "b"])

    assert aligned_columns({"score": series}, named.path("abc")) == {"score": [1, 2, 3]}
    assert aligned_columns(series.to_frame("score"), named.path("abc")) == {"score": [1, 2, 3]}


@pytest.mark.parametrize("package", ["pandas", "polars", "pyarrow"])
def test_a_column_of_ids_aligns_a_table(need, package):
    make = need(package).table if package == "pyarrow" else need(package).DataFrame
    people = make({"node": [2, 1, 0], "age": [20.0, 10.0, 0.0]})

    assert aligned_columns(people, named.path(3)) == {"age": [0.0, 10.0, 20.0]}


def test_a_series_is_one_column(need):
    pd = need("pandas")
    ages = pd.Series([3, 1, 2], index=["c", "a", "b"])

    assert aligned_columns(ages, named.path("abc")) == {"value": [1, 2, 3]}
    assert aligned_columns(ages.rename("age"), named.path("abc")) == {"age": [1, 2, 3]}
    repeated = pd.Series([1, 2, 3], index=["a", "b", "b"])
    with pytest.raises(InputError, match="column 'age' must name every node once, got 'b' twice"):
        aligned_columns({"age": repeated}, named.path("ab"))


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"score": {"a": 1}}, "column 'score' must have a value for every node: it has none for 'b'"),
        ({"score": [1, 2]}, "column 'score' must have one value per node: 3, got 2"),
    ],
)
def test_a_column_without_some_node_raises(columns, message):
    with pytest.raises(InputError, match=message):
        egonet.explore(named.path("abc"), columns=columns)


@pytest.mark.parametrize("places", [[(0, 0, 0)] * 2, [(0,)] * 2, [1, 2], [(0, float("nan"))] * 2])
def test_positions_are_two_finite_numbers(places):
    with pytest.raises(InputError, match=r"positions must be two finite numbers \(x, y\) per node"):
        extended(named.path("ab"), positions=places)


def test_times_are_numbers_or_dates():
    day = datetime.datetime(1970, 1, 2, tzinfo=None)
    drawn = extended(named.path("abc"), times={("b", "a"): day, ("b", "c"): "1970-01-03"})

    assert drawn.times == {(1, 0): 86_400_000.0, (1, 2): 172_800_000.0}


@pytest.mark.parametrize(
    ("times", "message"),
    [
        ([1], "edge_times must be a mapping of pairs of nodes to values, got list"),
        ({("a", "b"): 1}, r"edge_times must have a value for every edge: it has none for \('b', 'c'\)"),
        ({("a", "b"): None, ("b", "c"): 1}, "edge_times must be finite numbers or dates, got None"),
        ({("a", "b"): "noon", ("b", "c"): 1}, "edge_times must be finite numbers or dates, got 'noon'"),
    ],
)
def test_times_that_cannot_be_read_raise(times, message):
    with pytest.raises(InputError, match=message):
        egonet.explore(named.path("abc"), edge_times=times)


def test_a_molecule_becomes_a_graph_with_symbols_orders_and_coordinates(need):
    chem = need("rdkit.Chem")
    molecule = chem.MolFromSmiles("C#N")

    drawn = drawn_molecule(molecule, "hydrogen cyanide")

    assert is_molecule(molecule)
    assert not is_molecule(named.path(2))
    assert drawn.symbols == ["C", "N"]
    assert drawn.orders == {(0, 1): 3.0}
    assert np.asarray(drawn.positions).shape == (2, 2)
    assert molecule.GetNumConformers() == 0


@pytest.mark.parametrize(("max_nodes", "rule"), [(0, "a whole number >= 1"), (20_001, "at most 20,000")])
def test_max_nodes_has_bounds(max_nodes, rule):
    with pytest.raises(InputError, match=f"max_nodes must be {rule}, got {max_nodes}"):
        egonet.explore(named.path(3), max_nodes=max_nodes)


@pytest.mark.parametrize("columns", [3, "x", [1, 2]])
def test_columns_that_are_no_table_are_an_error(columns):
    with pytest.raises(InputError, match="columns must be a table or a mapping of names to values, got"):
        aligned_columns(columns, named.path("ab"))


@pytest.mark.parametrize("values", [3, "ab"])
def test_a_column_that_is_one_value_is_an_error(values):
    with pytest.raises(InputError, match="column 'a' must have one value per node, got"):
        aligned_columns({"a": values}, named.path("ab"))


@pytest.mark.parametrize(
    "time", [float("nan"), float("inf"), np.datetime64("NaT"), 10**400, "soon", None, [1]], ids=repr
)
def test_a_time_of_an_edge_that_is_not_finite_is_an_error(time):
    with pytest.raises(InputError, match="edge_times must be finite numbers or dates, got"):
        extended(named.path("ab"), times={("a", "b"): time})


def test_times_of_edges_are_numbers_or_dates_but_not_both():
    with pytest.raises(InputError, match="edge_times must all be numbers or all be dates, got both"):
        extended(named.path("abc"), times={("a", "b"): 1, ("b", "c"): datetime.date(2024, 1, 1)})


def test_times_of_edges_with_a_time_zone_are_in_utc():
    noon = datetime.datetime(2024, 1, 1, 12, tzinfo=datetime.timezone(datetime.timedelta(hours=2)))

    drawn = extended(named.path("ab"), times={("a", "b"): noon})

    assert drawn.times == {(0, 1): datetime.datetime(2024, 1, 1, 10, tzinfo=datetime.UTC).timestamp() * 1000}


def test_a_key_of_edge_times_that_is_no_pair_is_an_error():
    with pytest.raises(
        InputError, match="edge_times must be a mapping of pairs of nodes to values, got the key 'ab'"
    ):
        extended(named.path("ab"), times={"ab": 1})


def test_groups_are_the_same_for_the_same_rows():
    rows = np.random.default_rng(1).normal(size=(300, 4))

    assert similar_groups(rows).tolist() == similar_groups(rows.copy()).tolist()


def test_equal_rows_are_in_the_same_group():
    rows = np.repeat(np.random.default_rng(1).normal(size=(30, 4)), 3, axis=0)

    groups = similar_groups(rows).reshape(30, 3)

    assert (groups == groups[:, :1]).all()


def test_there_are_at_most_as_many_groups_as_different_rows():
    assert set(similar_groups(np.array([[0.0], [0.0], [5.0]])).tolist()) == {0, 1}


@pytest.mark.parametrize("num_values", [3, 1000], ids=["many equal rows", "different rows"])
def test_the_nearest_rows_have_the_smallest_distances(num_values):
    rows = np.random.default_rng(2).integers(0, num_values, (200, 2)).astype(float)

    found = most_similar(rows, 5)

    for node, nearest in enumerate(found):
        distances = np.linalg.norm(rows - rows[node], axis=1)
        assert node not in nearest
        assert len(set(nearest.tolist())) == 5
        assert distances[nearest].tolist() == pytest.approx(np.sort(np.delete(distances, node))[:5].tolist())


@pytest.mark.parametrize("num_rows", [0, 1, 3])
def test_few_rows_have_fewer_similar_rows(num_rows):
    assert most_similar(np.zeros((num_rows, 2)), 8).shape == (num_rows, max(0, min(8, num_rows - 1)))


def test_rare_values_share_one_color():
    found = category("letter", [*"aabbccddeeffgg", *"xyz", None])

    assert found["names"] == ["a", "b", "c", "d", "e", "f", "g", "4 other values"]
    assert found["hasRest"]
    assert found["values"][-4:] == [7, 7, 7, 7]


def test_a_value_named_other_has_a_color():
    found = category("letter", ["other", "a"])

    assert found["names"] == ["a", "other"]
    assert not found["hasRest"]


def test_missing_text_has_a_name():
    assert category("letter", ["a", None, "a", float("nan")])["names"] == ["(missing)", "a"]


def test_numbers_keep_their_values_and_text_becomes_categories():
    assert column_coloring("n", np.array([1, 2]))["names"] is None
    assert column_coloring("n", ["1", "2"])["names"] == ["1", "2"]
