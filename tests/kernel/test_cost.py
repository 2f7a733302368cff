"""Predictions of cost on known graphs, and the memory limit."""

import subprocess
import sys

import numpy as np
import pytest

from contracts.kernel import graph_case
from egonet.errors import InputError, MemoryLimitError
from egonet.kernel import native
from egonet.kernel.cost import Cost, as_bytes, check_memory, predict, predict_peak

CYCLE = graph_case(1000, [(v, (v + 1) % 1000) for v in range(1000)])


def test_on_a_cycle_every_root_costs_the_same_and_the_prediction_is_exact():
    cost = predict(CYCLE.indptr, CYCLE.indices, 3)

    assert cost.num_roots == 1000
    assert cost.algorithm == "source"
    # Keys (0, 2) (1, 2) (2, 2) (3, 1): four entries of eight bytes a row, and 1001 row bounds.
    assert cost.output_bytes == 1000 * 4 * 8 + 1001 * 8
    # Five nodes nearer than the radius are expanded; of the ring's arcs only those to higher ranks are read.
    assert 10_000 <= cost.arcs <= 14_000


def test_prediction_counts_only_the_given_roots():
    cost = predict(CYCLE.indptr, CYCLE.indices, 3, roots=np.arange(10))

    assert cost.num_roots == 10
    assert cost.output_bytes == 10 * 4 * 8 + 11 * 8


def test_prediction_is_close_on_a_random_graph():
    rng = np.random.default_rng(1)
    case = graph_case(4000, rng.integers(4000, size=(12000, 2)).tolist())
    cost = predict(case.indptr, case.indices, 2)
    rows = native.encode_rows(case.indptr, case.indices, None, 2)

    actual = rows.columns.nbytes + rows.counts.nbytes + rows.indptr.nbytes
    assert 0.8 * actual < cost.output_bytes < 1.25 * actual


def test_overlapping_balls_are_predicted_to_be_searched_together():
    clique = [(u, v) for u in range(300) for v in range(u)]
    case = graph_case(600, clique + [(v, v + 300) for v in range(300)])

    assert predict(case.indptr, case.indices, 2).algorithm == "bitwise"


def test_no_roots_cost_nothing():
    cost = predict(CYCLE.indptr, CYCLE.indices, 2, roots=np.empty(0, dtype=np.int64))

    assert (cost.num_roots, cost.arcs, cost.output_bytes) == (0, 0, 8)


def test_cost_prints_as_a_sentence():
    cost = Cost(
        num_roots=131072,
        algorithm="bitwise",
        arcs=2_500_000_000,
        output_bytes=390_000_000,
        peak_bytes=1,
        seconds=42,
    )

    assert str(cost) == (
        "131,072 roots: about 2.5 billion arcs to read (bitwise), 390.0 MB of result, 42 seconds on one thread."
    )


def test_limit_below_the_prediction_raises_with_the_ways_out():
    # 40,008 bytes of result, as many bytes of entries in slabs, 12,000 of bounds and ids, 33,000 of searches.
    with pytest.raises(
        MemoryLimitError, match=r"would take about 117\.0 kB, above the memory_limit of 1\.0 kB\. Use"
    ):
        check_memory(CYCLE.indptr, CYCLE.indices, None, [3], "1kB", threads=1)
    check_memory(CYCLE.indptr, CYCLE.indices, None, [3], "118 kB", threads=1)


def test_several_threads_need_their_lists_of_edges_besides_the_result():
    """The allocator keeps what they free: the result has other pages. Buckets of 12 bytes per edge are theirs alone."""
    one, two = (predict(CYCLE.indptr, CYCLE.indices, 1, threads=threads) for threads in (1, 2))

    assert two.algorithm == "triangle"
    assert two.peak_bytes >= one.peak_bytes + 12 * 1000


def test_several_radii_are_predicted_before_the_first_is_counted():
    one, two = (predict(CYCLE.indptr, CYCLE.indices, radius, threads=1) for radius in (1, 2))
    together = predict_peak(CYCLE.indptr, CYCLE.indices, None, [1, 2], threads=1)

    assert together == max(one.output_bytes + two.peak_bytes, 5 * (one.output_bytes + two.output_bytes))


def test_reordered_columns_take_copies():
    cost = predict(CYCLE.indptr, CYCLE.indices, 2, threads=1)

    assert predict_peak(CYCLE.indptr, CYCLE.indices, None, [2], moved=True, threads=1) == max(
        cost.peak_bytes, 5 * cost.output_bytes
    )


@pytest.mark.parametrize("limit", ["lots", "-1", -5, 2.5, True])
def test_limit_that_is_no_size_raises(limit):
    with pytest.raises(InputError, match="memory_limit must be a number of bytes or text such as"):
        as_bytes(limit)


#: Encodes a geometric graph with many triangles, and prints the predicted and the measured peak in bytes.
MEASURED_CALL = """
import ctypes, sys
import numpy as np
from scipy.spatial import cKDTree
import egonet
from egonet.kernel import cost
from egonet.kernel.cost import predict_peak

def status(field):
    with open("/proc/self/status") as lines:
        return next(1024 * int(line.split()[1]) for line in lines if line.startswith(field))

threads, radius, options = int(sys.argv[1]), int(sys.argv[2]), eval(sys.argv[3])
points = np.random.default_rng(1).random((8000, 2))
graph = egonet.Graph.from_edges(cKDTree(points).query_pairs(0.05, output_type="ndarray"))
options = {name: value(graph) for name, value in options.items()}
graph = options.pop("graph", graph)
found = []
cost.predict_peak = lambda *args, **given: found.append(predict_peak(*args, **given)) or found[-1]
try:
    egonet.encode(graph, radius, threads=threads, memory_limit=0, **options)
except egonet.errors.MemoryLimitError:
    predicted = found[-1]
ctypes.CDLL("libc.so.6").malloc_trim(0)
with open("/proc/self/clear_refs", "w") as reset:
    reset.write("5")
before = status("VmRSS")
encoding = egonet.encode(graph, radius, threads=threads, memory_limit=predicted, **options)
print(predicted, status("VmHWM") - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells the peak of one call")
@pytest.mark.parametrize(
    ("threads", "radius", "options"),
    [
        (1, 1, "{}"),
        (2, 1, "{}"),
        (2, 2, "{}"),
        (2, 1, "{'cap': lambda graph: 8}"),
        (2, 2, "{'degree_bins': lambda graph: 'quantile'}"),
        (2, 1, "{'edge_labels': lambda graph: np.arange(graph.num_edges) % 3}"),
        (
            2,
            1,
            "{'degrees': lambda graph: 'in_out', "
            "'graph': lambda graph: egonet.as_graph(graph.edges(), directed='out')}",
        ),
    ],
)
def test_peak_stays_within_a_tenth_of_the_prediction(threads, radius, options):
    done = subprocess.run(
        [sys.executable, "-c", MEASURED_CALL, str(threads), str(radius), options],
        capture_output=True,
        text=True,
        check=True,
    )

    predicted, measured = map(int, done.stdout.split())
    assert predicted / 3 < measured < 1.1 * predicted


def test_limit_may_be_a_number_of_numpy():
    assert as_bytes(np.int64(100)) == 100
    assert type(as_bytes(np.uint32(100))) is int
