"""Drawings have the expected labels, colors and positions."""

import numpy as np
import pytest

import egonet
import egonet.viz
from egonet import named
from egonet.errors import InputError


@pytest.fixture(autouse=True)
def pyplot(need):
    """Draw without a screen, and close what a test drew."""
    matplotlib = need("matplotlib")
    matplotlib.use("agg")
    from matplotlib import pyplot

    yield pyplot
    pyplot.close("all")


def texts(axes):
    return [text.get_text() for text in axes.texts]


def test_a_plot_shows_the_class_of_every_node():
    encoding = egonet.encode(named.karate_club(), 2)

    assert texts(encoding.plot()) == [str(number) for number in encoding.classes]


def test_equal_classes_have_equal_colors_and_single_ones_are_hollow():
    axes = egonet.encode(named.path("abcde"), 2).plot()

    fills = axes.collections[1].get_facecolor()
    assert np.array_equal(fills[0], fills[4])
    assert np.array_equal(fills[1], fills[3])
    assert not np.array_equal(fills[0], fills[1])
    assert fills[2].tolist() == [1, 1, 1, 1]


def test_names_are_drawn_on_request():
    axes = egonet.encode(named.path("ab"), 1).plot(names=True)

    assert sorted(texts(axes)) == ["0", "0", "a", "b"]


def test_rings_put_nodes_at_their_distance_with_their_degree_inside():
    axes = egonet.explain(named.figure1(), 0, radius=2).plot()

    positions = axes.collections[1].get_offsets()
    assert np.hypot(*positions.T).tolist() == pytest.approx([0, 1, 1, 2, 2, 2])
    assert texts(axes)[2:] == ["2", "2", "4", "4", "3", "3"]


def test_rings_of_full_degrees_show_all_three_numbers():
    axes = egonet.explain(named.path("abc"), "b", radius=1, degrees="full").plot()

    assert texts(axes)[1:] == ["0/0/2", "1/0/0", "1/0/0"]


def test_a_histogram_has_one_bar_per_key():
    axes = egonet.viz.draw_histogram(egonet.encode(named.figure1(), 2), 0)

    assert [bar.get_width() for bar in axes.patches] == [1, 1, 1, 2, 1]


def test_a_histogram_names_radius_and_label_where_there_are_several():
    encoding = egonet.encode(named.path("ab"), (0, 1), labels=["N", "C"])

    axes = egonet.viz.draw_histogram(encoding, "a")

    assert [label.get_text() for label in axes.get_yticklabels()] == [
        "radius 0, distance 0, degree 1, label N",
        "radius 1, distance 0, degree 1, label N",
        "radius 1, distance 1, degree 1, label C",
    ]


def test_invalid_drawings_raise():
    with pytest.raises(InputError, match=r"at most 2,000 nodes, got 2,001\. Use the explorer\."):
        egonet.encode(named.path(2001), 1).plot()
    with pytest.raises(InputError, match="encode every node of it"):
        egonet.encode(named.path(4), 1, roots=[0]).plot()
    with pytest.raises(InputError, match=r"one entry per node: 3, got shape \(2,\)"):
        egonet.viz.draw_classes(named.path(3), [0, 0])


def test_layouts_keep_distances_and_are_deterministic():
    square = egonet.viz.plot.layout(named.cycle(4))

    sides = [np.hypot(*(square[v] - square[(v + 1) % 4])) for v in range(4)]
    assert sides == pytest.approx([sides[0]] * 4, rel=0.01)
    assert np.array_equal(square, egonet.viz.plot.layout(named.cycle(4)))


def test_components_are_drawn_apart():
    positions = egonet.viz.plot.layout(egonet.as_graph([(0, 1), (2, 3)]))

    assert np.hypot(*(positions[:2].mean(0) - positions[2:].mean(0))) > 1.5


@pytest.mark.parametrize("name", ["a$b$c", r"$\frac{", "$$"])
def test_a_dollar_sign_in_an_id_or_label_is_drawn_as_it_is(name, tmp_path):
    graph = egonet.as_graph([(name, "b")])
    encoding = egonet.encode(graph, 1, labels=[name, "b"])
    axes = encoding.plot(names=True)

    assert name in texts(axes)
    axes.figure.savefig(tmp_path / "drawn.svg")  # formulas are parsed only here

    egonet.viz.draw_histogram(encoding, name).figure.savefig(tmp_path / "bars.svg")


def test_an_unknown_option_of_a_drawing_is_named():
    with pytest.raises(InputError, match="there is no option 'colour'"):
        egonet.viz.draw_rings(named.path(3), 0, colour="red")
    with pytest.raises(
        InputError, match=r"draw_classes has no option 'colour'\. The options are directed, source"
    ):
        egonet.viz.draw_classes(named.path(3), [0, 1, 0], colour="red")
