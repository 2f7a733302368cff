"""`device="cuda"` as a user meets it, on a real GPU: encode, the command line, and tensors that stay there."""

import os
import subprocess
import sys

import numpy as np
import pytest

import egonet
from contracts.parts import need, need_gpu
from egonet.kernel.cuda.backend import encode_on_device
from egonet.kernel.cuda.device import open_device

pytestmark = pytest.mark.gpu
EDGES = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")]


@pytest.fixture(scope="module", autouse=True)
def _gpu():
    need_gpu()


def random_graph(seed, **options):
    pairs = np.random.default_rng(seed).integers(300, size=(900, 2))
    return egonet.Graph.from_edges(pairs[pairs[:, 0] != pairs[:, 1]].tolist(), **options)


def assert_same_encoding(graph, radius, **options):
    on_gpu, on_cpu = (egonet.encode(graph, radius, device=device, **options) for device in ("cuda", "cpu"))
    assert on_gpu.feature_names == on_cpu.feature_names
    for name in ("indptr", "indices", "data"):
        ours, theirs = getattr(on_gpu.matrix, name), getattr(on_cpu.matrix, name)
        assert ours.dtype == theirs.dtype
        assert ours.tobytes() == theirs.tobytes(), name


def test_the_tailed_triangle_is_encoded_on_the_gpu():
    encoding = egonet.encode(egonet.Graph.from_edges(EDGES), 1, device="cuda")

    assert encoding["c"] == {(0, 3): 1, (1, 1): 1, (1, 2): 2}
    assert encoding["d"] == {(0, 1): 1, (1, 1): 1}


@pytest.mark.parametrize("radius", [0, 1, 2, 3, (1, 2)])
@pytest.mark.parametrize("degrees", ["total", "layered", "full"])
def test_encode_gives_the_bytes_of_the_cpu(radius, degrees):
    assert_same_encoding(random_graph(1), radius, degrees=degrees)


@pytest.mark.parametrize(
    "options",
    [
        {"max_degree": 3},
        {"roots": [5, 7, 5]},
        {"frontier_edges": False},
        {"degree_bins": "log"},
        {"layout": "paper", "max_degree": 9},
    ],
)
def test_settings_give_the_bytes_of_the_cpu(options):
    assert_same_encoding(random_graph(2), 2, **options)


def test_labels_arcs_and_many_graphs_give_the_bytes_of_the_cpu():
    graph = random_graph(3)
    assert_same_encoding(graph, 2, labels=(np.arange(graph.num_nodes) % 3).tolist())
    assert_same_encoding(random_graph(4, directed="out"), 2)
    assert_same_encoding([random_graph(seed) for seed in range(5)], 2)


def test_the_command_line_writes_the_same_table(tmp_path):
    need("typer")
    path = tmp_path / "edges.csv"
    path.write_text("src,dst\n" + "".join(f"{u},{v}\n" for u, v in EDGES))
    printed = [
        subprocess.run(
            [sys.executable, "-m", "egonet", "encode", path, "-r", "2", "-o", "-", "--device", device],
            env={**os.environ, "NO_COLOR": "1"},
            capture_output=True,
            text=True,
            timeout=120,
            check=True,
        ).stdout
        for device in ("cuda", "cpu")
    ]
    assert printed[0] == printed[1]
    assert printed[0].splitlines()[3].startswith("c,")


def test_tensors_stay_on_the_gpu_and_share_memory():
    torch = need("torch")
    graph = random_graph(6)
    expected = egonet.encode(graph, 2).matrix
    device = open_device()
    arrays = [torch.from_numpy(array).cuda() for array in (graph.indptr.copy(), graph.indices.copy())]

    rows = encode_on_device(*map(device.cupy.from_dlpack, arrays), None, 2)
    matrix = rows.to_torch()

    assert matrix.is_cuda
    assert matrix.values().data_ptr() == rows.counts.data.ptr
    assert torch.from_dlpack(rows.columns).tolist() == expected.indices.tolist()
    product = matrix.to(torch.float32) @ torch.ones(matrix.shape[1], 2, device="cuda")
    assert product[:, 0].tolist() == expected.sum(axis=1).tolist()
