"""The times of the run with a billion edges: phases exclude each other, and the check of rows is in none of them."""

import json
from pathlib import Path

import pytest

from contracts.parts import need

need("pyarrow")
from benchmarks import billion  # noqa: E402

RESULTS = Path(__file__).parent.parent / "results"


@pytest.mark.parametrize("name", ["billion.json", "billion22.json"])
def test_phases_add_up_to_the_whole(name):
    results = json.loads((RESULTS / name).read_text("utf-8"))

    for field in ("seconds", "cpu"):
        total = sum(phase[field] for phase in results["phases"].values())
        assert total == pytest.approx(results[field], abs=0.15)
    for phase in results["phases"].values():
        assert phase["ratio"] * phase["bound"] == pytest.approx(phase["seconds"], rel=0.02, abs=0.05)


def test_a_stopped_clock_counts_no_phase(tmp_path):
    if not Path("/proc/self/io").exists():
        pytest.skip("the clock reads /proc of Linux")
    clock = billion.Clock(tmp_path / "out.json", {})
    with clock.phase("sort"):
        pass
    before = {name: dict(phase) for name, phase in clock.phases.items()}

    clock.stop()
    with clock.phase("sort"), clock.phase("rows"):
        sum(range(1000))

    assert clock.phases == before
