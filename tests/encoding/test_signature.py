"""Signatures and docstrings list every keyword; what edges carry is taken by every function that takes a part of it."""

import inspect

import pytest

import egonet
from egonet.encoding.settings import BinOptions
from egonet.encoding.signature import describe_options
from egonet.errors import OptionError
from egonet.graph.columns import EDGE_ROLES, EdgeOptions
from egonet.graph.input_options import ReadOptions

DOC = """Return a graph.

    Parameters
    ----------
    graph
        Edges.
    labels, edge_labels
        Names.

    Examples
    --------
    >>> 1
    1
    """


def test_keywords_without_a_heading_follow_the_last_heading_of_the_list():
    described = describe_options(DOC, ["edge_labels", "weights", "weight_bins", "threads"])

    added = (
        "    weights\n        As for `egonet.as_graph`.\n    weight_bins\n        As in `egonet.Settings`.\n"
    )
    assert described == DOC.replace("        Names.\n", f"        Names.\n{added}")


def test_a_docstring_without_a_list_of_parameters_stays_as_it_is():
    assert describe_options("Return a graph.", ["weights"]) == "Return a graph."
    assert describe_options(None, ["weights"]) is None


def test_edge_options_are_the_keywords_of_the_table_of_roles():
    assert set(EdgeOptions.__annotations__) == set(EDGE_ROLES)
    assert set(BinOptions.__annotations__) == {role.bins for role in EDGE_ROLES.values() if role.bins}


@pytest.mark.parametrize("name", egonet.__all__)
def test_what_takes_edge_labels_takes_every_column_of_edges(name, need):
    if name.startswith("Add"):
        need("torch_geometric")
    if name in ("EgoInput", "EdgeInput", "nn"):
        need("torch")
    if name.endswith("Encoder") or name == "EgoEmbedding":
        need("sklearn")
    thing = getattr(egonet, name)
    if not callable(thing) or thing is egonet.EgonetError:
        return
    keywords = set(inspect.signature(thing).parameters)

    if keywords & EDGE_ROLES.keys():
        assert set(EDGE_ROLES) <= keywords


@pytest.mark.parametrize(
    "name",
    [
        "split",
        "link_columns",
        "zero_shot_columns",
        "predict",
        "recommend",
        "LinkPredictor.fit",
        "LinkPredictor.pretrained",
    ],
)
def test_links_list_how_a_graph_is_read(name, need):
    need("sklearn")
    thing = egonet.links
    for part in name.split("."):
        thing = getattr(thing, part)

    assert set(ReadOptions.__annotations__) <= set(inspect.signature(thing).parameters)


@pytest.mark.parametrize("name", ["AddEdgeEncoding", "AddPairEncoding"])
def test_transforms_of_data_list_keywords_and_take_them(name, need):
    torch = need("torch")
    data = need("torch_geometric").data.Data(edge_index=torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]))
    data.num_nodes, data.edge_label_index = 3, torch.tensor([[0], [2]])
    learn = getattr(egonet, name).from_data

    parameters = inspect.signature(learn).parameters
    defaults = {key: each.default for key, each in parameters.items() if each.kind is each.KEYWORD_ONLY}

    assert {"degrees", "max_degree", "labels", "weights", "attr_name"} <= defaults.keys()
    assert learn(data, **defaults).vocabulary.feature_names == learn(data).vocabulary.feature_names


def test_readers_of_one_graph_and_of_many_list_the_same_options():
    alone, many = (
        set(inspect.signature(each).parameters) for each in (egonet.read_graph, egonet.read_graphs)
    )

    assert alone - many == {"labels", "edge_labels", "weights"}
    assert many < alone


#: A call of every function that passes keywords on to `as_graph`, with keywords.
CALLS = {
    "predict": lambda graph, **wrong: egonet.links.predict(graph, [(0, 1)], **wrong),
    "recommend": lambda graph, **wrong: egonet.links.recommend(graph, 0, **wrong),
    "split": lambda graph, **wrong: egonet.links.split(graph, **wrong),
    "link_columns": lambda graph, **wrong: egonet.links.link_columns(graph, [(0, 1)], **wrong),
    "zero_shot_columns": lambda graph, **wrong: egonet.links.zero_shot_columns(graph, [(0, 1)], 2, **wrong),
    "LinkPredictor.pretrained": lambda graph, **wrong: egonet.links.LinkPredictor.pretrained(graph, **wrong),
    "LinkPredictor.fit": lambda graph, **wrong: egonet.links.LinkPredictor().fit(graph, **wrong),
    "wl_colors": egonet.wl_colors,
    "individualize": lambda graph, **wrong: egonet.individualize(graph, 1, **wrong),
    "degree_rank": egonet.degree_rank,
    "edge_cycles": egonet.edge_cycles,
    "encode_edges": egonet.encode_edges,
}


@pytest.mark.parametrize("name", CALLS)
def test_a_wrong_keyword_is_an_error_that_names_the_function_called(name, need):
    need("sklearn")
    path = egonet.named.path("abc")

    with pytest.raises(OptionError, match=rf"^{name} has no option 'direct'\. Did you mean 'directed'\?$"):
        CALLS[name](path, direct="out")
    with pytest.raises(
        TypeError, match=rf"^{name} has no option 'xyz'\. The options are .*directed, source, "
    ):
        CALLS[name](path, xyz=1)


def test_a_wrong_keyword_of_a_subclass_does_not_name_its_base(need):
    need("torch_geometric")

    with pytest.raises(
        OptionError, match=r"^AddEdgeEncoding has no option 'radios'\. Did you mean 'radius'\?$"
    ):
        egonet.AddEdgeEncoding(radios=1)
