"""Settings: one record of what is counted, built from a radius and keywords by every front end."""

import pickle
from dataclasses import FrozenInstanceError, asdict, fields, replace
from itertools import combinations

import numpy as np
import pytest

import egonet
from egonet import Settings
from egonet.encoding.settings import SettingsOptions, as_settings
from egonet.errors import EgonetError, InputError, OptionError


def test_radius_is_kept_as_a_tuple():
    assert Settings().radius == (2,)
    assert Settings(radius=1).radius == (1,)
    assert Settings([2, 1]).radius == (2, 1)
    assert Settings(1) == Settings((1,))
    assert hash(Settings(1)) == hash(Settings([1]))


def test_settings_are_frozen_and_copied_by_replace_and_pickle():
    settings = Settings((1, 2), degrees="full", cap=3)

    with pytest.raises(FrozenInstanceError, match="radius"):
        settings.radius = (1,)
    assert replace(settings, radius=3) == Settings(3, degrees="full", cap=3)
    assert pickle.loads(pickle.dumps(settings)) == settings
    assert Settings(**asdict(settings)) == settings


def test_repr_shows_the_radius_and_what_differs_from_the_defaults():
    assert repr(Settings()) == "Settings(radius=2)"
    assert repr(Settings((1, 2), degree_bins="log")) == "Settings(radius=(1, 2), degree_bins='log')"


def test_options_name_every_field_but_labels():
    names = [field.name for field in fields(Settings) if field.name not in ("labels", "edge_labels")]
    assert names == list(SettingsOptions.__annotations__)


def test_settings_come_from_a_record_or_a_radius_and_keywords():
    settings = Settings(1, degrees="full")

    assert as_settings(settings, {}) is settings
    assert as_settings(1, {"degrees": "full"}) == settings
    assert as_settings(None, {"degrees": "full", "radius": 1}) == settings
    assert as_settings(None, {}) == Settings(2)


def test_settings_and_keywords_together_raise():
    with pytest.raises(
        OptionError, match=r"give settings or keywords, not both: got Settings\(radius=1\) and"
    ):
        as_settings(Settings(1), {"degrees": "full"})
    with pytest.raises(OptionError, match=r"radius is given twice: 1 and radius=2\."):
        as_settings(1, {"radius": 2})


def test_an_unknown_option_raises_with_the_nearest_name():
    with pytest.raises(TypeError, match=r"there is no option 'max_degre'\. Did you mean 'max_degree'\?"):
        as_settings(1, {"max_degre": 3})


def test_a_wrong_radius_raises():
    with pytest.raises(InputError, match=r"radius must be a whole number >= 0, got 'two'\."):
        Settings("two")


@pytest.mark.parametrize("name", ["frontier_edges", "common"])
@pytest.mark.parametrize("value", ["no", 1, float("nan")])
def test_a_flag_that_is_neither_true_nor_false_raises(name, value):
    with pytest.raises(InputError, match=f"{name} must be True or False, got {value!r}"):
        Settings(1, **{name: value})


def test_numbers_and_flags_of_numpy_are_kept_as_plain_python_that_can_be_saved(tmp_path):
    given = {"max_degree": np.int64(3), "cap": np.int32(2), "frontier_edges": np.bool_(False)}
    encoding = egonet.encode([("a", "b"), ("b", "c")], 1, **given)
    encoding.save(tmp_path / "encoding.npz")
    encoding.vocabulary.save(tmp_path / "columns.json")

    assert [type(getattr(encoding.settings, name)) for name in given] == [int, int, bool]
    assert egonet.load(tmp_path / "encoding.npz").settings == encoding.settings
    assert Settings(1, rooted="refined", depth=np.int64(2)) == Settings(1, rooted="refined", depth=2)


#: Every keyword of `encode` that changes what is counted, with values that work alone and values that exclude others.
CHOICES = [
    *[("radius", value) for value in (0, 3, [1, 2])],
    *[("degrees", value) for value in ("layered", "full", "in_out")],
    *[("rooted", value) for value in ("edge", "pair", "refined")],
    *[("directed", value) for value in ("out", "in", False)],
    *[("weight_bins", value) for value in ("log", 2, [1.5])],
    ("frontier_edges", False),
    ("max_degree", 2),
    ("degree_bins", "log"),
    ("layout", "paper"),
    ("depth", 2),
    ("common", True),
    ("cap", 1),
    ("follow", "out"),
    ("labels", {"a": "a", "b": "b", "c": "a", "d": "b"}),
    ("edge_labels", ["s", "t", "s", "t"]),
    ("weights", [1, 2, 3, 4]),
    ("roots", ["a"]),
]


def test_every_pair_of_settings_works_or_is_an_error_of_egonet():
    tailed_triangle = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")]
    worked = failed = 0
    for first, second in combinations(CHOICES, 2):
        if first[0] == second[0]:
            continue
        try:
            encoding = egonet.encode(tailed_triangle, **dict([first, second]))
        except EgonetError:
            failed += 1
            continue
        names = encoding.feature_names
        assert len(set(names)) == len(names) == encoding.matrix.shape[1]
        worked += 1

    assert worked > 150
    assert failed > 100


@pytest.mark.parametrize("bins", ["quantiles", "12", 3.5, True])
def test_other_weight_bins_raise_and_name_the_three_forms(bins):
    with pytest.raises(
        InputError, match=r'"log", a number of quantiles such as 5, or limits such as \[10, 100\]'
    ):
        Settings(weight_bins=bins)
