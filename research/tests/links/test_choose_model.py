"""The choice of the trained predictor: its lines, and the default of the library."""

from pathlib import Path

import numpy as np
import pytest

from egonet import named
from egonet.links import LinkPredictor
from research.links import choose_model

ROOT = Path(__file__).parents[3]


def test_the_default_is_the_candidate_that_the_lines_choose(monkeypatch):
    monkeypatch.chdir(ROOT)
    models, linear, columns = choose_model.choose(choose_model.read_lines()).split(", ")
    seeds, rounds, rate = choose_model.BOOSTINGS[models]

    predictor = LinkPredictor(model="linear").fit(named.karate_club())
    fitted = LinkPredictor()._classifier().named_estimators

    assert (len(seeds), list(fitted)) == (1, ["boosting", "linear"])
    assert (fitted["boosting"].max_iter, fitted["boosting"].learning_rate) == (rounds, rate)
    assert linear == f"linear {fitted['linear'][-1].C:g}"
    assert columns in predictor.columns_.groups


def test_a_lead_is_the_mean_over_sets_of_the_mean_over_splits():
    leads = {"USAir": (3.0, 5.0), "NS": (0.0, 0.0), "C.ele": (-1.0, -1.0)}
    lines = [
        {"set": name, "areas": {"before": 90.0, "new": 90.0 + lead}}
        for name, found in leads.items()
        for lead in found
    ]

    best, means, lead, error = choose_model.compare(lines)[0]

    assert (best, means) == ("new", [94.0, 90.0, 89.0])
    assert lead == pytest.approx(1.0)
    assert error == pytest.approx(
        1 / 3
    )  # the mean of two numbers 2 apart has the error 1, and there are three sets


def test_the_cheapest_candidate_within_the_error_of_the_best_is_chosen():
    names = ("2 boostings, linear 0.1, latent", "boosting, linear 0.1, latent", "boosting, linear 0.1")
    lines = [
        {"set": name, "areas": dict(zip(names, (91.0, 91.0 - loss, 90.0), strict=True))}
        for name in choose_model.SETS
        for loss in (0.2, -0.1)
    ]

    assert choose_model.choose(lines) == "boosting, linear 0.1, latent"


def test_every_candidate_is_the_mean_of_its_models(monkeypatch):
    class Fitted:
        def __init__(self, *_, learning_rate=None, random_state=0, **options):
            self.score = options["C"] if learning_rate is None else learning_rate + random_state

        def fit(self, table, labels):
            return self

        def predict_proba(self, table):
            return np.array([[1 - self.score, self.score]])

    for name in ("HistGradientBoostingClassifier", "LogisticRegression"):
        monkeypatch.setattr(choose_model, name, Fitted)
    monkeypatch.setattr(choose_model, "make_pipeline", lambda _, model: model)

    scores = choose_model.scores_of(np.zeros((1, 1)), [True], np.zeros((1, 1)))

    assert {f"{name}{columns}" for name in scores for columns in ("", ", latent")} == set(
        choose_model.candidates()
    )
    assert scores["2 boostings, linear 0.1"].item() == pytest.approx((0.55 + 0.1) / 2)
    assert scores["slow boosting, linear 0.3"].item() == pytest.approx((0.025 + 0.3) / 2)
