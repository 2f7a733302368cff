"""`egonet similar` and `egonet roles`: nodes that are alike, as tables."""

import json

import pytest

import egonet


@pytest.fixture
def star(tmp_path):
    """Return a file with a star whose hub is the third node."""
    path = tmp_path / "star.csv"
    path.write_text("source,target\na,hub\nb,hub\nc,hub\n")
    return path


def test_similar_shows_what_the_method_returns(star, run):
    found = json.loads(run("similar", star, "a", "-k", "2", "-r", "1", "--json").stdout)

    expected = egonet.encode(egonet.read_graph(star), radius=1).similar("a", k=2)
    assert [(row["node"], row["distance"]) for row in found["similar"]] == expected == [("b", 0), ("c", 0)]


def test_similar_says_what_a_distance_of_counts_is(star, run):
    assert "no counterpart" in run("similar", star, "a").stderr
    assert "no counterpart" not in run("similar", star, "a", "--weighting", "log").stderr


def test_an_unknown_node_is_one_sentence(star, run):
    assert "the graph has no node 'hob'" in run("similar", star, "hob", status=2).stderr


def test_roles_are_described_in_words_and_numbered_by_degree(star, run):
    found = json.loads(run("roles", star, "-r", "1", "--json").stdout)

    assert found["roles"] == [
        {"role": 1, "description": "degree 1, 1 within 1 hop", "num_nodes": 3, "nodes": ["a", "b", "c"]},
        {"role": 2, "description": "degree 3, 3 within 1 hop", "num_nodes": 1, "nodes": ["hub"]},
    ]


def test_roles_are_written_with_a_row_per_node(star, run, tmp_path):
    run("roles", star, "-r", "1", "-o", tmp_path / "roles.csv")
    piped = run("roles", star, "-r", "1", "-o", "-").stdout

    rows = (tmp_path / "roles.csv").read_text()
    assert rows == piped
    assert rows.splitlines()[:3] == [
        "node,role,description",
        'a,1,"degree 1, 1 within 1 hop"',
        'hub,2,"degree 3, 3 within 1 hop"',
    ]


@pytest.mark.parametrize("option", [("-k", "0"), ("-r", "-1"), ("-r", "1,2"), ("-o", "roles.txt")])
def test_roles_that_cannot_be_are_one_sentence(star, run, option):
    result = run("roles", star, *option, status=2)

    assert result.stderr.startswith("egonet: ")
    assert result.stderr.count("\n") == 1


def test_an_empty_graph_has_no_roles(run, tmp_path):
    path = tmp_path / "empty.csv"
    path.write_text("source,target\n")

    assert json.loads(run("roles", path, "--header", "--json").stdout)["roles"] == []


def test_roles_as_json_have_all_their_nodes(run, tmp_path):
    (tmp_path / "ring.txt").write_text("0 1\n1 2\n2 3\n3 4\n4 0\n")

    found = json.loads(run("roles", tmp_path / "ring.txt", "-r", "0", "--json").stdout)

    assert found["roles"] == [
        {"role": 1, "description": "degree 2", "num_nodes": 5, "nodes": [0, 1, 2, 3, 4]}
    ]


def test_roles_with_the_same_words_say_how_many_edges_they_have(run, tmp_path):
    # Four stars of three leaves, two of them with an edge between two leaves.
    stars = [(f"{copy}a", f"{copy}{leaf}") for copy in "1234" for leaf in "bcd"]
    edges = [*stars, ("3b", "3c"), ("4b", "4c")]
    (tmp_path / "edges.csv").write_text("source,target\n" + "".join(f"{u},{v}\n" for u, v in edges))

    roles = json.loads(run("roles", tmp_path / "edges.csv", "-r", "1", "--json").stdout)["roles"]

    assert [role["description"] for role in roles] == [
        "degree 1, 1 within 1 hop",
        "degree 2, 2 within 1 hop",
        "degree 3, 3 within 1 hop, 3 edges",
        "degree 3, 3 within 1 hop, 4 edges",
    ]
