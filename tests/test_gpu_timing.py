"""How the GPU benchmark times a call: warm first, and often enough; a clock made by hand, no device."""

import importlib
from functools import partial
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


class Turns:
    """Calls by name that take the milliseconds given, and in which order they were made."""

    def __init__(self, **durations):
        self.clock, self.made = Clock(0), []
        self.calls = {name: partial(self.make, name, taken) for name, taken in durations.items()}

    def make(self, name, taken):
        self.made.append(name)
        self.clock.now += taken / 1e3

    def timed(self, floor, monkeypatch, **words):
        monkeypatch.setattr(floor, "time", self.clock)
        return floor.interleaved_ms(self.calls, self.clock, **words)


def test_calls_are_made_by_turns_in_another_order_each_round(floor, monkeypatch):
    turns = Turns(one=0.5, two=0.6, far=9.0)

    times = turns.timed(floor, monkeypatch, warm_ms=0)

    assert {name: len(taken) for name, taken in times.items()} == {"one": 31, "two": 31, "far": 3}
    assert times["two"] == pytest.approx([0.6] * 31)
    near = [name for name in turns.made[6:] if name != "far"]
    rounds = [tuple(near[begin : begin + 2]) for begin in range(0, 62, 2)]
    assert set(rounds) == {("one", "two"), ("two", "one")}


def test_what_is_aside_is_in_every_round_and_not_the_fastest(floor, monkeypatch):
    turns = Turns(choosing=0.01, one=2.0, two=5.0)

    times = turns.timed(floor, monkeypatch, repeats=5, warm_ms=30, aside="choosing")

    assert {name: len(taken) for name, taken in times.items()} == {"choosing": 5, "one": 5, "two": 5}
    # Two of each, and of the fastest as many more as make 30 ms of the second 7.
    assert turns.made.count("one") == 2 + 12 + 5


def test_a_short_row_has_the_median_of_all_rounds(floor, monkeypatch):
    # The first round is disturbed: one call that compiles, two that warm, and 31 of 0.9 ms; the others take 0.5.
    clock = Clock(*[0.9] * 34, 0.5)
    monkeypatch.setattr(floor, "time", clock)
    gpu = importlib.import_module("gpu")
    rounds = gpu.Rounds({}, lambda: {"pinned": clock.call})

    for _ in range(3):
        rounds.time(clock, warm_ms=1.5)

    assert rounds.takes_less(1)
    assert not rounds.takes_less(0.5)
    assert rounds.row["rounds"] == 3
    assert rounds.row["pinned"] == pytest.approx(0.5)
    assert rounds.row["pinned_rounds"] == pytest.approx([0.9, 0.5, 0.5])
    assert rounds.row["pinned_spread"] == pytest.approx((0.5, 0.9))


def test_the_cpu_is_timed_after_everything_on_the_gpu(floor, monkeypatch):
    gpu = importlib.import_module("gpu")
    done, shown = [], []

    def measure(graph, radius, options, rates):
        name = f"{graph.name} {radius}"
        rounds = gpu.Rounds({"radius": radius}, lambda: {"pinned": partial(done.append, name)})
        rounds.time(None, warm_ms=0)
        return rounds

    def cpu_ms(graph, radius, threads):
        done.append(f"{graph.name} {radius} with {threads}")
        return 7.0 * threads, False

    monkeypatch.setattr(gpu, "measure", measure)
    monkeypatch.setattr(gpu, "cpu_ms", cpu_ms)
    monkeypatch.setattr(gpu, "times_ms", lambda call, cupy, warm_ms: [call() or 0.5])
    monkeypatch.setattr(gpu, "open_device", lambda: SimpleNamespace(cupy=None, release=lambda: None))
    cases = {
        name: (partial(SimpleNamespace, name=name), radii) for name, radii in (("a", (1, 2)), ("b", (1,)))
    }
    monkeypatch.setattr(gpu, "CASES", cases)

    monkeypatch.setattr(gpu, "row_rates", lambda cupy: {})
    monkeypatch.setattr(gpu, "show", shown.append)
    # Which `main` sets: put back afterwards.
    monkeypatch.setattr(gpu.graphs, "unique_codes", gpu.graphs.unique_codes)
    monkeypatch.setattr("sys.argv", ["gpu.py", "a", "b"])

    gpu.main()

    # Every round ends with a call whose result is kept; after the graphs there are two rounds more.
    in_order = ["a 1", "a 2", "b 1"]
    assert done[:22:2] == done[1:22:2] == [*in_order, "a 1", "a 2", *in_order, *in_order]
    assert done[22:] == [f"{case} with {threads}" for case in in_order for threads in (1, 16)]
    assert [(row["cpu1"], row["cpu16"], row["rounds"]) for row in shown] == [
        (7.0, 112.0, rounds) for rounds in (4, 4, 3)
    ]
