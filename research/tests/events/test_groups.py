"""Rows per event on AMLSim: what an earlier date asks."""

import numpy as np
import pandas as pd

from contracts.parts import need

need("sklearn")
from egonet import EventEncoder  # noqa: E402
from research.events import groups  # noqa: E402


def test_a_question_that_ends_earlier_has_the_first_rows_of_all_columns(monkeypatch):
    transfers = pd.DataFrame({"time": [1, 2, 3, 3, 4], "fraud": [False, True, False, True, True]})
    monkeypatch.setattr(groups, "read_amlsim", lambda: (transfers, None))
    rows = np.arange(10.0).reshape(5, 2)
    columns = {"ends": {"(7,)": lambda: rows, "(30,)": lambda: -rows}, "aggregates": lambda: rows[:, :1]}
    spec = {"last_day": 2, "window": 1, "last_test_day": 3}

    early = groups.amlsim_question("early", columns, spec)
    late = groups.amlsim_question("late", columns, {"last_day": 3, "window": 1})

    assert early.columns["ends"]["(30,)"]().tolist() == (-rows[:4]).tolist()
    assert early.columns["aggregates"]().tolist() == [[0], [2], [4], [6]]
    assert early.labels.tolist() == [False, True, False, True]
    assert early.is_test.tolist() == [False, False, True, True]
    assert early.is_validation.tolist() == [False, True, False, False]
    assert late.columns["ends"]["(7,)"]().tolist() == rows.tolist()
    assert late.is_test.tolist() == [False, False, False, False, True]


def test_aggregates_of_a_window_are_those_of_the_encoder():
    rng = np.random.default_rng(0)
    events = pd.DataFrame({"source": rng.integers(0, 5, 200), "target": rng.integers(5, 9, 200)})
    events = events.assign(
        time=np.sort(rng.integers(0, 60, 200)), value=rng.integers(1, 9, 200).astype(float)
    )
    columns = {"source": "source", "target": "target", "amount": "value", "own": False}
    encoder = EventEncoder(windows=(7, None), groups=("ends",), **columns).set_output(transform="pandas")

    rows = encoder.fit_transform(events)

    for window, name in ((7, "7"), (None, "all")):
        found = groups.aggregates(events, "value", window)
        for first, end in ((0, "source_out"), (15, "target_in")):
            for offset, kind in enumerate(("events", "partners")):
                assert found[:, first + offset].tolist() == rows[f"{end}_{kind}_{name}"].tolist()
            assert np.allclose(found[:, first + 3], rows[f"{end}_sum_{name}"])
