"""`egonet doctor`, `demo` and `benchmark`."""

import json
import os
import sys
import time

import pytest

import egonet
from egonet.cli import system_commands
from egonet.cli.system_commands import benchmark_graph, interleave


def program(folder, name, script):
    """Put a program into a folder and return the folder as a PATH."""
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return str(folder)


TRIANGLE = egonet.as_graph([(0, 1), (1, 2), (2, 0)])


def test_doctor_knows_the_kernel_and_the_optional_parts(run):
    message = json.loads(run("doctor", "--json").stdout)

    assert message["egonet"]["version"] == egonet.__version__
    assert message["egonet"]["kernel"] in {"baseline", "avx2", "avx512"}
    parts = message["optional parts"]
    assert {"typer", "rdkit", "duckdb"} <= set(parts)
    assert parts["rdkit"][0].isdigit() or parts["rdkit"] == "not installed; for molecules: pip install rdkit"
    assert "kernel" in run("doctor").stdout


def test_demo_shows_the_karate_club_and_writes_its_features(run, tmp_path, need):
    parquet = need("pyarrow.parquet", "pyarrow")

    done = run("demo", "-o", tmp_path / "demo")

    assert "34 members, 78 friendships" in done.stdout
    assert parquet.read_table(tmp_path / "demo" / "karate.parquet").num_rows == 34


def test_timings_are_ratios_to_the_automatic_choice(run, error_of, edges):
    head, *rows = run("benchmark", edges, "-r", "1", "--repeats", "1").stdout.splitlines()

    assert head.split() == ["algorithm", "CPU,", "ms", "wall,", "ms", "wall", "/", "auto"]
    assert {row.split()[0]: row.split()[-1] for row in rows}["auto"] == "1.00"
    timings = json.loads(run("benchmark", edges, "-r", "1", "--repeats", "1", "--json").stdout)
    assert set(timings) == {row.rsplit(maxsplit=3)[0] for row in rows}
    assert error_of("benchmark", edges, "-r", "1,2") == "benchmark takes one radius, got '1,2'."


def test_doctor_says_how_to_install_a_driver(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))

    assert system_commands.gpu_state().startswith(
        "no NVIDIA driver (there is no nvidia-smi); for GPUs: apt-get install"
    )


def test_a_gpu_is_named_with_memory_and_driver_and_what_is_missing(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", program(tmp_path, "nvidia-smi", "echo 'NVIDIA H200, 143771 MiB, 570.1'"))
    monkeypatch.setitem(sys.modules, "cupy", None)

    assert system_commands.gpu_state() == (
        'NVIDIA H200, 143771 MiB, driver 570.1; not usable without CuPy: pip install "egonet[cuda]"'
    )


def test_a_driver_that_fails_says_why(tmp_path, monkeypatch):
    script = "echo 'Failed to initialize NVML: Driver/library version mismatch'; exit 18"
    monkeypatch.setenv("PATH", program(tmp_path, "nvidia-smi", script))

    assert (
        system_commands.gpu_state()
        == "not usable: Failed to initialize NVML: Driver/library version mismatch"
    )


@pytest.mark.parametrize(
    ("version", "message"),
    [
        ("17.0.15", "17.0.15, new enough for Spark (17 or later)"),
        (
            "1.8.0_392",
            "1.8.0_392, too old for Spark, which needs 17 or later: apt-get install openjdk-17-jre-headless",
        ),
    ],
)
def test_java_is_compared_with_what_spark_needs(tmp_path, monkeypatch, version, message):
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", program(tmp_path, "java", f"echo 'openjdk version \"{version}\"' >&2"))

    assert system_commands.java_state() == message


def test_doctor_says_how_to_install_java(tmp_path, monkeypatch):
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path) + os.pathsep)

    assert system_commands.java_state() == (
        "not installed; for Spark, 17 or later: apt-get install openjdk-17-jre-headless"
    )


def test_cupy_is_among_the_optional_parts():
    assert "cupy" in system_commands.examine()["optional parts"]


def test_triangle_search_competes_at_radius_one_only():
    assert [timing.name for timing in benchmark_graph(TRIANGLE, radius=2, repeats=1)] == [
        "source",
        "bitwise",
        "auto",
        "auto, all cores",
    ]


def test_directed_graphs_have_no_triangle_search():
    arc = egonet.as_graph([(0, 1)], directed="out")

    assert "triangle" not in {timing.name for timing in benchmark_graph(arc, radius=1, repeats=1)}


def test_functions_take_turns_in_a_new_order_each_round():
    turns: list[str] = []
    interleave({"a": lambda: turns.append("a"), "b": lambda: turns.append("b")}, repeats=20)

    rounds = ["".join(turns[place : place + 2]) for place in range(0, 40, 2)]
    assert set(rounds) == {"ab", "ba"}


def test_time_of_a_sample_is_scaled_to_the_whole():
    (timing,) = interleave({"nap": lambda: time.sleep(0.01)}, repeats=1, scales={"nap": 50})

    assert timing.scale == 50
    assert timing.wall > 0.49
