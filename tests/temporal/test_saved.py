"""Saved streams: a stream continues after it was saved, and a damaged file is one sentence."""

import json

import numpy as np
import pandas as pd
import pytest

import egonet
from egonet.errors import FileError, InputError


@pytest.mark.parametrize("window", [None, 3])
def test_a_saved_stream_continues_as_if_it_had_never_stopped(tmp_path, window):
    rng = np.random.default_rng(2)
    ends, times = rng.integers(0, 9, (60, 2)).tolist(), np.sort(rng.integers(0, 30, 60)).tolist()
    events = [(f"n{u}", f"n{v}", time) for (u, v), time in zip(ends, times, strict=True)]
    learned = egonet.encode([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")], egonet.Settings((1, 2)))
    straight = egonet.Stream(window=window, vocabulary=learned, late="merge")
    straight.add(events)
    stream = egonet.Stream(window=window, vocabulary=learned, late="merge")
    for first in range(0, 60, 20):
        stream.add(events[first : first + 20])
        stream.save(tmp_path / "stream.npz")
        stream = egonet.Stream.open(tmp_path / "stream.npz")

    nodes = [f"n{u}" for u in range(9)]
    assert (stream.features(nodes).matrix != straight.features(nodes).matrix).nnz == 0
    assert (stream.num_added, stream.num_loops, stream.now) == (60, straight.num_loops, straight.now)
    assert stream.settings == straight.settings


def test_dates_are_saved_with_their_window(tmp_path):
    events = pd.DataFrame(
        {"source": ["a", "b"], "target": ["b", "c"], "time": pd.to_datetime(["2024-01-01", "2024-01-03"])}
    )
    stream = egonet.Stream(1, pd.Timedelta(days=1), closed="right")
    stream.save(tmp_path / "empty.npz")
    stream.add(events)
    stream.save(tmp_path / "stream.npz")

    again = egonet.Stream.open(tmp_path / "stream.npz")
    fresh = egonet.Stream.open(tmp_path / "empty.npz")
    fresh.add(events)

    for each in (again, fresh):
        assert each.features(["b"])["b"] == {(0, 1): 1, (1, 1): 1}
        assert each.now == np.datetime64("2024-01-03")
    with pytest.raises(
        InputError, match="the times of new events must be dates, as those of the events, got numbers"
    ):
        again.add([("a", "b", 5)])


def test_a_damaged_file_is_one_sentence(tmp_path):
    stream = egonet.Stream(1, window=2)
    stream.add([("a", "b", 1)])
    stream.save(tmp_path / "stream.npz")
    whole = (tmp_path / "stream.npz").read_bytes()

    for damaged in (whole[:100], b"", whole.replace(b"egonet stream 1", b"egonet stream 9")):
        (tmp_path / "stream.npz").write_bytes(damaged)
        with pytest.raises(FileError, match="is not a stream that egonet saved, or is damaged"):
            egonet.Stream.open(tmp_path / "stream.npz")
    with pytest.raises(InputError, match=r"a stream is saved as \.npz"):
        stream.save(tmp_path / "stream.bin")


@pytest.mark.parametrize("events", [[], [("a", "b", 1), ("b", "c", 2)]])
def test_a_saved_clock_keeps_its_fraction(events, tmp_path):
    stream = egonet.Stream(1, window=5)
    stream.add(events)
    stream.features(["a"], time=2.5)
    stream.save(tmp_path / "stream.npz")
    again = egonet.Stream.open(tmp_path / "stream.npz")

    assert again.now == 2.5
    with pytest.raises(InputError, match="late"):
        again.add([("a", "c", 2)])


@pytest.mark.parametrize("clock", [None, [], [[1]], True, "x", 2**70])
def test_a_saved_clock_that_is_no_time_is_an_error(clock, tmp_path):
    stream = egonet.Stream(1, window=5)
    stream.add([("a", "b", 1.5)])
    stream.save(tmp_path / "stream.npz")
    arrays = dict(np.load(tmp_path / "stream.npz"))
    header = json.loads(arrays["header"].tobytes()) | {"clock": clock}
    arrays["header"] = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    np.savez(tmp_path / "changed.npz", **arrays)

    with pytest.raises(FileError, match="is not a stream that egonet saved, or is damaged"):
        egonet.Stream.open(tmp_path / "changed.npz")
