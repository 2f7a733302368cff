"""Transfers of AMLGentex: what is read, and the score of one typology."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import average_precision_score

from egonet.errors import FileError
from research.events.laundering import (
    chosen_rows,
    laundering_question,
    read_transfers,
    resampled_precisions,
    summary,
)


def test_transfers_between_accounts_are_read_with_their_typology(tmp_path, monkeypatch):
    monkeypatch.setenv("EGONET_DATA", str(tmp_path))
    (tmp_path / "amlgentex").mkdir()
    pd.DataFrame(
        {
            "step": [3, 1, 2, 0],
            "type": ["TRANSFER", "TRANSFER", "TRANSFER", "INITALBALANCE"],
            "amount": [5.0, 6.0, 7.0, 8.0],
            "nameOrig": [1, 2, 1, -2],
            "nameDest": [2, 3, -1, 1],
            "isSAR": [1, 0, 0, 0],
            "modelType": [3, 11, 0, 0],
        }
    ).to_parquet(tmp_path / "amlgentex" / "small.parquet")

    transfers = read_transfers("small")

    assert transfers.values.tolist() == [[2, 3, 6.0, 1, ""], [1, 2, 5.0, 3, "cycle"]]
    with pytest.raises(FileError, match="Generate it with AMLGentex"):
        read_transfers("other")


def test_the_score_of_a_typology_leaves_out_the_others():
    kinds = np.array(["", "", "cycle", "stack"])
    scores = np.array([0.1, 0.3, 0.2, 0.9])
    samples = [np.arange(4)]
    drawn = {kind: resampled_precisions(kinds, scores, kind, samples) for kind in ("all", "cycle", "stack")}

    assert summary(kinds, scores, "cycle", drawn, {})["average_precision"] == 0.5
    assert summary(kinds, scores, "stack", drawn, drawn)["gain_over_gfp"] == [0, 0]
    assert summary(kinds, scores, "all", drawn, {})["positives"] == 2


def test_resampled_precisions_are_those_of_scikit_learn():
    rng = np.random.default_rng(0)
    kinds = rng.choice(["", "cycle", "stack"], 300, p=[0.8, 0.1, 0.1])
    scores = rng.integers(0, 40, 300) / 40  # with ties
    samples = [rng.integers(0, 300, 300) for _ in range(5)]
    is_used, is_positive = chosen_rows(kinds, "cycle")

    found = resampled_precisions(kinds, scores, "cycle", samples)

    for sample, precision in zip(samples, found, strict=True):
        rows = sample[is_used[sample]]
        assert precision == pytest.approx(average_precision_score(is_positive[rows], scores[rows]))


def test_a_sample_to_learn_from_has_the_rows_of_all_transfers(tmp_path, monkeypatch):
    monkeypatch.setenv("EGONET_DATA", str(tmp_path))
    (tmp_path / "amlgentex").mkdir()
    rng = np.random.default_rng(0)
    count = 300
    pd.DataFrame(
        {
            "step": np.sort(rng.integers(0, 40, count)),
            "type": "TRANSFER",
            "amount": rng.integers(1, 9, count).astype(float),
            "nameOrig": rng.integers(0, 20, count),
            "nameDest": rng.integers(0, 20, count),
            "isSAR": rng.random(count) < 0.2,
            "modelType": 3,
        }
    ).astype({"isSAR": int}).to_parquet(tmp_path / "amlgentex" / "small.parquet")
    spec = {"train_part": 0.75, "validation_part": 0.6, "windows": [7, 0], "gfp_windows": [7], "seed": 0}

    every, kinds = laundering_question("small", spec)
    some, kinds_of_some = laundering_question("small", spec | {"limits": {"small": {"learn_rows": 50}}})

    assert (~some.is_test).sum() == 50
    assert some.is_test.sum() == every.is_test.sum()
    assert [kind != "" for kind in kinds_of_some] == some.labels.tolist()
    assert [kind != "" for kind in kinds] == every.labels.tolist()
    for name in ("raw", "raw + aggregates", "raw + ends"):
        make, make_some = every.columns[name], some.columns[name]
        if isinstance(make, dict):
            (make,), (make_some,) = make.values(), make_some.values()
        rows = {row.tobytes() for row in make()}
        assert {row.tobytes() for row in make_some()} <= rows
        assert make_some()[some.is_test].tobytes() == make()[every.is_test].tobytes()
