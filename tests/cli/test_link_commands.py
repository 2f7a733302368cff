"""`egonet recommend` and `egonet links`: tables in, new links out."""

import json

import pytest

import egonet
from egonet.links import recommend


@pytest.fixture
def club(tmp_path):
    """Return a file with the karate club, whose members have names."""
    edges = egonet.named.karate_club().edges().tolist()
    path = tmp_path / "edges.csv"
    path.write_text("source,target\n" + "".join(f"m{u},m{v}\n" for u, v in edges))
    return path


def test_recommend_prints_what_recommend_returns(club, run):
    out = run("recommend", club, "m33", "-k", "3", "--json").stdout

    expected = recommend(egonet.read_graph(club), "m33", k=3)
    found = json.loads(out)
    assert found["node"] == "m33"
    assert [line["node"] for line in found["recommended"]] == [node for node, _ in expected]


def test_recommend_prints_a_table_with_reasons(club, run):
    out = run("recommend", club, "m33", "-k", "1", "--explain").stdout

    assert "node" in out
    assert "share" in out


def test_an_unknown_node_is_an_error_with_a_near_match(club, run):
    result = run("recommend", club, "m333", status=2)

    assert "no node 'm333'" in result.stderr


def test_links_evaluate_measures_three_methods(club, run):
    found = json.loads(run("links", "evaluate", club, "--test", "0.2", "--json").stdout)

    assert [line["method"] for line in found["methods"]] == ["zero-shot", "trained", "resource allocation"]
    assert all(0 <= line["auc"] <= 1 for line in found["methods"])
    assert found["num_edges"] == 78


def test_links_evaluate_prints_a_table(club, run):
    out = run("links", "evaluate", club, "--negatives", "near").stdout

    assert "zero-shot" in out
    assert "hits at 10" in out


def test_a_trained_model_learns_from_near_pairs_where_it_is_tested_on_them(club, run):
    found = json.loads(run("links", "evaluate", club, "--negatives", "near", "--json").stdout)

    parts = egonet.links.split(egonet.read_graph(club), negatives="near")
    for negatives, is_same in (("near", True), ("uniform", False)):
        predictor = egonet.links.LinkPredictor(negatives=negatives).fit(parts.graph)
        scores = predictor.predict_proba(parts.test.pairs)[:, 1]
        links, others = scores[parts.test.labels], scores[~parts.test.labels]
        expected = round(egonet.links.mean_reciprocal_rank(links, others), 4)
        assert (found["methods"][1]["mrr"] == expected) == is_same


def test_an_unknown_action_is_an_error(club, run):
    assert (
        "ACTION of egonet links must be one of 'evaluate', got 'test'"
        in run("links", "test", club, status=2).stderr
    )
