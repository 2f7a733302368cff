"""The default number of threads."""

import os
import subprocess
import sys

import numpy as np
import pytest

from contracts.parts import need
from egonet.errors import InputError
from egonet.kernel import native
from egonet.kernel.native import available_cores, group_quota


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch):
    for name in ("EGONET_THREADS", "OMP_NUM_THREADS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(native, "group_quota", native.group_quota.__wrapped__)


def cores_of_worker(_):
    return available_cores()


def test_egonet_threads_takes_precedence(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    monkeypatch.setenv("EGONET_THREADS", "37")

    assert available_cores() == 37


@pytest.mark.parametrize("value", ["0", "-1", "2.5", "many"])
def test_variable_that_is_no_number_raises(monkeypatch, value):
    monkeypatch.setenv("EGONET_THREADS", value)

    with pytest.raises(InputError, match=f"EGONET_THREADS must be a whole number >= 1, got '{value}'"):
        available_cores()


def test_affinity_limits_the_threads(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 3, 5}, raising=False)
    monkeypatch.setattr(native, "group_quota", lambda *_: None)

    assert available_cores() == 3


@pytest.mark.parametrize(
    ("value", "expected"), [("2", 2), ("2,1", 2), ("64", 8), ("", 8), ("x", 8), ("0", 8)]
)
def test_the_variable_of_openmp_limits_the_threads(monkeypatch, value, expected):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)), raising=False)
    monkeypatch.setattr(native, "group_quota", lambda *_: None)
    monkeypatch.setenv("OMP_NUM_THREADS", value)

    assert available_cores() == expected


def test_the_quota_limits_the_threads(monkeypatch, tmp_path):
    (tmp_path / "own").write_text("0::/\n")
    (tmp_path / "cpu.max").write_text("250000 100000\n")
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)), raising=False)
    monkeypatch.setattr(native, "OWN_GROUPS", tmp_path / "own")
    monkeypatch.setattr(native, "GROUPS", tmp_path)

    assert available_cores() == 3


def test_quota_of_a_parent_group_limits_the_threads(tmp_path):
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "cpu.max").write_text("max 100000\n")
    (tmp_path / "a" / "cpu.max").write_text("200000 100000\n")
    (tmp_path / "a" / "b" / "cpu.max").write_text("800000 100000\n")

    (tmp_path / "own").write_text("0::/a/b\n")

    assert group_quota(tmp_path / "own", tmp_path) == 2


def test_version_1_of_control_groups_is_read(tmp_path):
    (tmp_path / "cpu,cpuacct" / "job").mkdir(parents=True)
    (tmp_path / "cpu,cpuacct" / "job" / "cpu.cfs_quota_us").write_text("150000\n")
    (tmp_path / "cpu,cpuacct" / "job" / "cpu.cfs_period_us").write_text("100000\n")

    (tmp_path / "own").write_text("5:memory:/job\n4:cpu,cpuacct:/job\n")

    assert group_quota(tmp_path / "own", tmp_path) == 2


@pytest.mark.parametrize("quota", ["-1", "0"])
def test_a_quota_that_is_not_above_0_is_none(tmp_path, quota):
    (tmp_path / "cpu,cpuacct" / "job").mkdir(parents=True)
    (tmp_path / "cpu,cpuacct" / "job" / "cpu.cfs_quota_us").write_text(f"{quota}\n")
    (tmp_path / "cpu,cpuacct" / "job" / "cpu.cfs_period_us").write_text("100000\n")
    (tmp_path / "own").write_text("4:cpu,cpuacct:/job\n")

    assert group_quota(tmp_path / "own", tmp_path) is None


@pytest.mark.parametrize("text", ["", "0::/\n", "0::/gone\n", "nonsense\n"])
def test_without_a_quota_nothing_is_limited(tmp_path, text):
    (tmp_path / "own").write_text(text)

    assert group_quota(tmp_path / "own", tmp_path) is None
    assert group_quota(tmp_path / "missing", tmp_path) is None


def print_in_new_process(program):
    """Return what a program prints. A fork of the process that tests would copy the locks of all its threads."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program],
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    return done.stdout.strip()


POOL = """
import multiprocessing
from egonet.kernel.native import available_cores

def cores_of_worker(_):
    return available_cores()

with multiprocessing.get_context("fork").Pool(1) as pool:
    print(pool.map(cores_of_worker, [0]))
"""

LOADER = """
from torch.utils.data import DataLoader, Dataset
from egonet.kernel.native import available_cores

class Cores(Dataset):
    def __len__(self):
        return 1

    def __getitem__(self, index):
        return available_cores()

print([batch.tolist() for batch in DataLoader(Cores(), num_workers=1, multiprocessing_context="fork")])
"""


def test_a_worker_of_a_pool_uses_one_thread():
    assert print_in_new_process(POOL) == "[1]"


def test_a_worker_of_a_data_loader_uses_one_thread():
    need("torch.utils.data")

    assert print_in_new_process(LOADER) == "[[1]]"


def test_workers_of_joblib_share_the_cores(monkeypatch):
    joblib = need("joblib")
    cores = available_cores()

    found = joblib.Parallel(n_jobs=2)(joblib.delayed(cores_of_worker)(i) for i in range(2))
    assert sum(found) <= max(cores, 2)


def test_a_small_graph_starts_no_thread():
    """The calling thread never waits for another one."""
    resource = pytest.importorskip("resource")  # noqa: TID251 - Windows has none
    indptr = np.concatenate([[0], np.arange(1, 200, 2), [200]]).astype(np.int64)
    indices = np.concatenate([[1], *([v - 1, v + 1] for v in range(1, 100)), [99]]).astype(np.int32)
    native.encode_rows(indptr, indices, None, 1, threads=16)

    before = resource.getrusage(resource.RUSAGE_THREAD).ru_nvcsw
    for radius in (1, 2, 3):
        native.encode_rows(indptr, indices, None, radius, threads=16)
    assert resource.getrusage(resource.RUSAGE_THREAD).ru_nvcsw == before
