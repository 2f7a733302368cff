"""Jobs side by side: the lines of jobs that ran alone, and no process or service left behind."""

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from functools import partial

import pytest

from egonet.errors import InputError
from research.paper import parallel
from research.paper.parallel import longest_first, shared_cores, shared_device
from research.paper.run import Choice, plan_jobs, run_table
from research.paper.settings import Settings
from research.paper.spec import table_spec


@pytest.mark.long
def test_lines_are_those_of_jobs_that_ran_alone(data_folder, tmp_path):
    found = []
    for count in (1, 2):
        settings = Settings(quick=True, jobs=count)
        choice = Choice(("mutag",), ("mlp", "gin"), settings=settings, folder=tmp_path / str(count))
        lines = run_table("table1", choice)
        found.append({line.key: (line.score, line.details) for line in lines})

    assert len(found[0]) == 8
    assert found[0] == found[1]
    assert {line.environment.get("jobs") for line in lines} == {2}
    assert run_table("table1", choice) == []


def test_processes_of_others_are_left_alone(data_folder, tmp_path, monkeypatch):
    def fail(*_):
        raise InputError("no order.")

    monkeypatch.setattr(parallel, "longest_first", fail)
    other = multiprocessing.get_context("spawn").Process(target=time.sleep, args=(60,))
    other.start()
    try:
        with pytest.raises(InputError, match=r"no order\."):
            run_table("table1", Choice(("mutag",), ("mlp",), settings=Settings(jobs=2), folder=tmp_path))

        assert multiprocessing.active_children() == [other]
    finally:
        other.kill()
        other.join()


def test_a_job_that_dies_is_said_in_a_sentence_and_its_fellows_end(data_folder, tmp_path, monkeypatch):
    monkeypatch.setattr(parallel, "_begin", partial(signal.raise_signal, signal.SIGKILL))
    choice = Choice(("mutag",), settings=Settings(quick=True, jobs=2), folder=tmp_path)

    with pytest.raises(InputError, match=r"a job ended without a result.*run it again with fewer --jobs"):
        run_table("table1", choice)

    assert multiprocessing.active_children() == []


def test_after_the_time_nothing_is_started(data_folder, tmp_path):
    said = []
    settings = Settings(quick=True, jobs=2)
    choice = Choice(("mutag",), ("mlp",), settings=settings, folder=tmp_path, seconds=0)

    assert run_table("table1", choice, said.append) == []
    assert said == ["mutag/mlp: control, encoding@2, 4 lines: not started, the time has passed"]


def test_the_longest_jobs_come_first(data_folder):
    table = table_spec("table4")
    jobs = longest_first(table, plan_jobs(table, Choice()), Settings(memory=1e12))

    assert [(job.data, job.model) for job in jobs[:3]] == [
        ("exp", "gnnml3"),
        ("exp", "gnnml3"),
        ("exp", "gat"),
    ]
    assert {job.data for job in jobs[8:]} == {"graph8c", "sr25"}


def test_larger_data_sets_come_first(data_folder):
    table = table_spec("table1")
    chosen = plan_jobs(table, Choice(data=("mutag", "enzymes"), models=("gin", "mlp")))
    jobs = longest_first(table, chosen, Settings(memory=1e12))

    assert [(job.data, job.model) for job in jobs] == [
        ("enzymes", "gin"),
        ("enzymes", "mlp"),
        ("mutag", "gin"),
        ("mutag", "mlp"),
    ]


def test_jobs_that_learn_vectors_come_before_their_like(data_folder):
    table = table_spec("table1")
    chosen = plan_jobs(table, Choice(data=("ptc",), models=("gcn", "gat", "gin", "chebnet")))
    jobs = longest_first(table, chosen, Settings(memory=1e12))

    assert [job.model for job in jobs] == ["gat", "gcn", "gin", "chebnet"]


def test_what_does_not_fit_memory_together_becomes_pieces(data_folder):
    table = table_spec("table1")
    jobs = plan_jobs(table, Choice(data=("mutag",), models=("mlp",)))

    found = longest_first(table, jobs, Settings(memory=1.0))

    assert [len(piece.units) for piece in found] == [1] * 20
    assert tuple(unit for piece in found for unit in piece.units) == jobs[0].units
    assert longest_first(table, jobs, Settings(memory=1e12)) == jobs


@pytest.fixture
def control(tmp_path, monkeypatch):
    """A stand-in for the service's program, which writes down how it is called."""
    script = tmp_path / "nvidia-cuda-mps-control"
    log = tmp_path / "log"
    script.write_text(
        f'#!/bin/sh\necho "$1 $CUDA_MPS_PIPE_DIRECTORY" >> {log}\n[ -n "$1" ] || cat >> {log}\n'
    )
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.delenv("CUDA_MPS_PIPE_DIRECTORY", raising=False)
    return log


def test_a_gpu_is_shared_for_as_long_as_jobs_run(control):
    with shared_device("cuda", print):
        folder = os.environ["CUDA_MPS_PIPE_DIRECTORY"]
        assert control.read_text() == f"-d {folder}\n"

    assert control.read_text() == f"-d {folder}\n {folder}\nquit\n"
    assert "CUDA_MPS_PIPE_DIRECTORY" not in os.environ
    assert not os.path.exists(folder)


def test_a_service_of_the_user_is_left_alone(control, monkeypatch):
    monkeypatch.setenv("CUDA_MPS_PIPE_DIRECTORY", "/somewhere")
    with shared_device("cuda", print):
        assert os.environ["CUDA_MPS_PIPE_DIRECTORY"] == "/somewhere"
    assert not control.exists()


def test_without_the_service_jobs_take_turns(monkeypatch):
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("CUDA_MPS_PIPE_DIRECTORY", raising=False)
    said = []
    with shared_device("cuda", said.append):
        pass
    with shared_device("cpu", said.append):
        pass
    assert said == ["nvidia-cuda-mps-control is not installed: jobs alternate on the GPU, which is slower."]


def test_each_process_uses_its_share_of_the_cores(monkeypatch):
    for word in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        monkeypatch.delenv(word, raising=False)
    monkeypatch.setattr(parallel.joblib, "cpu_count", lambda: 5)
    counts = "import os, torch; print(torch.get_num_threads(), os.environ['OPENBLAS_NUM_THREADS'])"

    with shared_cores(4):
        found = subprocess.run([sys.executable, "-c", counts], capture_output=True, text=True, check=True)

    assert found.stdout.split() == ["1", "1"]
    assert "OMP_NUM_THREADS" not in os.environ


def test_a_number_of_threads_that_the_user_has_set_stays(monkeypatch):
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "7")

    with shared_cores(2):
        assert os.environ["OPENBLAS_NUM_THREADS"] == "7"

    assert os.environ["OPENBLAS_NUM_THREADS"] == "7"
