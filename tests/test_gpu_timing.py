"""How the GPU benchmark times a call: warm first, and often enough; a clock made by hand, no device."""

import importlib
from pathlib import Path
from types import SimpleNamespace

import pytest


@pytest.fixture
def floor(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "benchmarks"))
    return importlib.import_module("gpu_floor")


class Clock:
    """A device whose calls take the milliseconds listed, the last for ever."""

    def __init__(self, *durations):
        self.durations, self.now, self.calls = list(durations), 0.0, 0
        self.cuda = SimpleNamespace(Device=lambda: SimpleNamespace(synchronize=lambda: None))

    def perf_counter(self):
        return self.now

    def call(self):
        self.now += self.durations[min(self.calls, len(self.durations) - 1)] / 1e3
        self.calls += 1


def timed(floor, monkeypatch, clock, **words):
    monkeypatch.setattr(floor, "time", clock)
    return floor.median_ms(clock.call, clock, **words)


def test_calls_while_the_clocks_rise_are_not_counted(floor, monkeypatch):
    # One call that compiles and fifty of 2 ms; the rest take half a millisecond.
    clock = Clock(3000, *[2.0] * 50, 0.5)

    assert timed(floor, monkeypatch, clock) == pytest.approx(0.5)


def test_short_calls_are_repeated_more_often(floor, monkeypatch):
    clock = Clock(3000, 0.5)

    timed(floor, monkeypatch, clock, repeats=3)

    # One that compiles, 200 or, as sums of floats go, 201 that warm, and 31 counted.
    assert clock.calls - 31 in (201, 202)


def test_calls_of_a_millisecond_or_more_are_repeated_as_asked(floor, monkeypatch):
    clock = Clock(3000, 30)

    assert timed(floor, monkeypatch, clock, repeats=3) == pytest.approx(30)
    assert clock.calls == 1 + 4 + 3


def test_slow_calls_are_counted_twice(floor, monkeypatch):
    clock = Clock(3000, 300, 400, 500)

    assert timed(floor, monkeypatch, clock) == pytest.approx(450)
    assert clock.calls == 4
