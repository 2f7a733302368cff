"""What `egonet doctor` says about the GPU and Java, with programs that stand in for theirs."""

import os
import sys

import pytest

from egonet.cli import doctor


def program(folder, name, script):
    """Put a program into a folder and return the folder as a PATH."""
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return str(folder)


def test_a_machine_without_a_driver_is_told_how_to_get_one(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))

    assert doctor.gpu_state().startswith(
        "no NVIDIA driver (there is no nvidia-smi); for GPUs: apt-get install"
    )


def test_a_gpu_is_named_with_memory_and_driver_and_what_is_missing(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", program(tmp_path, "nvidia-smi", "echo 'NVIDIA H200, 143771 MiB, 570.1'"))
    monkeypatch.setitem(sys.modules, "cupy", None)

    assert doctor.gpu_state() == (
        'NVIDIA H200, 143771 MiB, driver 570.1; not usable without CuPy: pip install "egonet[cuda]"'
    )


def test_a_driver_that_fails_says_why(tmp_path, monkeypatch):
    script = "echo 'Failed to initialize NVML: Driver/library version mismatch'; exit 18"
    monkeypatch.setenv("PATH", program(tmp_path, "nvidia-smi", script))

    assert doctor.gpu_state() == "not usable: Failed to initialize NVML: Driver/library version mismatch"


@pytest.mark.parametrize(
    ("version", "said"),
    [
        ("17.0.15", "17.0.15, new enough for Spark (17 or later)"),
        (
            "1.8.0_392",
            "1.8.0_392, too old for Spark, which needs 17 or later: apt-get install openjdk-17-jre-headless",
        ),
    ],
)
def test_java_is_compared_with_what_spark_needs(tmp_path, monkeypatch, version, said):
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", program(tmp_path, "java", f"echo 'openjdk version \"{version}\"' >&2"))

    assert doctor.java_state() == said


def test_missing_java_is_told_with_the_command_that_installs_it(tmp_path, monkeypatch):
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path) + os.pathsep)

    assert doctor.java_state() == (
        "not installed; for Spark, 17 or later: apt-get install openjdk-17-jre-headless"
    )


def test_cupy_is_among_the_optional_parts():
    assert "cupy" in doctor.examine()["optional parts"]
