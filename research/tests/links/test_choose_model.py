"""The choice of the trained predictor: its lines, and the default of the library."""

from pathlib import Path

import pytest

from egonet.links import LinkPredictor
from research.links import choose_model

ROOT = Path(__file__).parents[3]


def test_the_default_is_the_candidate_that_the_lines_choose(monkeypatch):
    monkeypatch.chdir(ROOT)
    best, _, lead, error = choose_model.compare(choose_model.read_lines())[0]

    assert lead > error
    models = LinkPredictor()._classifier().named_estimators
    strength = models["linear"][-1].C
    assert best == f"{', '.join(models)} {strength:g}"


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


def test_every_candidate_averages_models_that_are_fitted(monkeypatch):
    class Fitted:
        def fit(self, table, labels):
            return self

        def predict_proba(self, table):
            return table

    for name in ("boosting", "make_pipeline", "ExtraTreesClassifier"):
        monkeypatch.setattr(choose_model, name, lambda *_, **__: Fitted())
    recorder = choose_model.Recorder().fit([[0.0, 1.0]], [True])
    table = choose_model.np.array([[0.25, 0.75]])
    recorder.predict_proba(table)

    scores = choose_model.scores_of(recorder)

    named = {name for groups in choose_model.combinations().values() for group in groups for name in group}
    assert named == set(scores)
    assert all(values.tolist() == [0.75] for values in scores.values())
