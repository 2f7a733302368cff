"""Tests of `Schema`: what is learned from data is not in the settings."""

from dataclasses import fields

import pytest

import egonet
from egonet.encoding.schema import Schema
from egonet.encoding.settings import PairSettings, Settings
from egonet.errors import InputError

PATH = [("a", "b"), ("b", "c"), ("c", "d")]
LABELS = {"a": "C", "b": "O", "c": "C", "d": "N"}


def test_settings_have_no_field_that_data_decides():
    names = {each.name for each in fields(PairSettings)}

    assert names.isdisjoint({each.name for each in fields(Schema)} - {"settings"})


@pytest.mark.parametrize(
    "data",
    [
        {"labels": LABELS},
        {"edge_labels": ["x", "y", "x"]},
        {"weights": [1, 5, 9], "weight_bins": 2},
        {"directed": "out"},
    ],
)
def test_settings_of_an_encoding_are_those_that_were_asked(data):
    asked = Settings(1, **{name: data[name] for name in data.keys() & {"weight_bins"}})
    given = {name: value for name, value in data.items() if name != "weight_bins"}

    assert egonet.encode(PATH, asked, **given).settings == asked
    again = egonet.encode(PATH, asked, vocabulary=egonet.encode(PATH, asked, **given), **given)
    assert again.settings == asked


def test_quantiles_are_settings_and_their_limits_are_learned():
    """The middle of 1, 5 and 9 is 5; other weights are compared with it."""
    learned = egonet.encode(PATH, 1, weights=[1, 5, 9], weight_bins=2).vocabulary

    assert learned.settings.weight_bins == 2
    assert learned.schema.limits == (5.0,)
    again = egonet.encode([("x", "y"), ("y", "z")], vocabulary=learned, weights=[100, 200])
    assert again["x"] == {(0, 1): 1, (1, 2, "5plus"): 1, (2, 1): 1}


def test_settings_of_directed_pairs_stay_as_asked():
    """Pairs of a directed graph are ordered, whatever the settings say."""
    encoding = egonet.encode_pairs(PATH, [("a", "b")], 1, directed="out")

    assert encoding.settings == PairSettings(1)
    assert encoding.vocabulary.schema.is_ordered
    assert not egonet.encode_pairs(PATH, [("a", "b")], 1).vocabulary.schema.is_ordered


@pytest.mark.parametrize(
    ("settings", "learned", "message"),
    [
        (
            Settings(1, layout="paper"),
            {"labels": ("C",)},
            "numbers columns by distance and total degree alone",
        ),
        (Settings(1, count="edges"), {"labels": ("C",)}, "takes no labels and no edge types"),
        (Settings(1, degree_bins="quantile"), {"edge_labels": ("x",)}, "takes no edge types, whose nodes"),
        (Settings(1, common=True), {"edge_labels": ("x",)}, "common and rooted take no edge types"),
        (Settings(1), {"directed": "both"}, "directed must be None, 'out', 'in' or 'any', got 'both'"),
    ],
)
def test_settings_that_exclude_labels_raise(settings, learned, message):
    with pytest.raises(InputError, match=message):
        Schema(settings, **learned)
