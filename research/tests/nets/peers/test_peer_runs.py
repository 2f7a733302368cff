"""Running the peers: quick runs, resumed ones, both protocols from one run, pairs that stay equal, and the report."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch

from egonet.errors import InputError
from research.cli.peers_command import PeersChoice, run_peers
from research.nets.peers.costs import measure_cost
from research.nets.peers.jobs import Limits, SetPlan, equal_pairs, run_job
from research.nets.peers.layout import Layout
from research.nets.peers.methods import METHODS, SetShape, net_of, with_bag
from research.nets.peers.queue_runner import main, prepared_set
from research.nets.peers.records import PeerGraphs
from research.nets.peers.sets import PeerSet, read_set, write_set
from research.nets.peers.spec import jobs_of, peer_spec, set_plan
from research.nets.peers.training import PeerTrainer, Replica
from research.report.peer_tables import own, peer_blocks, trained_here

GRAPHS = 24


def toy_set():
    """Rings and stars of 4 to 7 nodes: their classes can be learned from degrees alone."""
    sizes, arcs, counts = [], [], []
    for graph in range(GRAPHS):
        size = 4 + graph % 4
        ring = [(node, (node + 1) % size) for node in range(size)]
        edges = ring if graph % 2 else [(0, node) for node in range(1, size)]
        both = sorted([*edges, *((b, a) for a, b in edges)])
        sizes.append(size)
        arcs += both
        counts.append(len(both))
    arcs = np.array(arcs, dtype=np.int32)
    degrees = np.concatenate(
        [
            np.bincount(part[:, 0], minlength=n)
            for n, part in zip(sizes, np.split(arcs, np.cumsum(counts)[:-1]), strict=True)
        ]
    )
    graphs = PeerGraphs(
        np.array(sizes),
        arcs,
        np.concatenate([[0], np.cumsum(counts)]),
        np.stack([np.ones(len(degrees)), degrees], axis=1).astype(np.float32),
        np.zeros(len(arcs), dtype=np.int64),
    )
    parts = np.zeros((2, GRAPHS), dtype=np.int8)
    parts[0, :6], parts[1, 6:12] = 2, 2
    columns = {"ego": degrees[:, None].astype(np.float32)}
    return PeerSet("toy", graphs, columns, graphs.types, np.arange(GRAPHS)[None] % 2, parts, {"ego": 0.5})


def test_both_protocols_learn_a_simple_task():
    plan = SetPlan("folds", SetShape(2, 8, 2, 1, mean=True), epochs=25, batch_size=8, rate=0.02, both=True)

    (line,) = run_job(toy_set(), "nested", plan, Limits())

    assert line["score"] == line["validated"] == 100.0
    assert line["replicas"] == 4
    assert line["rows_per_node"] > 2


def test_columns_are_charged_with_the_time_it_took_to_make_them():
    plan = SetPlan("folds", SetShape(2, 4, 2, 1), epochs=1, batch_size=8)

    (line,) = run_job(toy_set(), "gin+ego", plan, Limits())

    assert line["prepare_seconds"] == 0.5


def test_a_set_is_read_as_it_was_written(tmp_path):
    found = toy_set()
    write_set(found, tmp_path / "toy.npz")

    again = read_set(tmp_path / "toy.npz")

    assert again.name == "toy"
    assert np.array_equal(again.graphs.arcs, found.graphs.arcs)
    assert np.array_equal(again.parts, found.parts)
    assert again.seconds == {"ego": 0.5}


def test_a_set_without_a_file_is_prepared_once(tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(
        "research.nets.peers.prepare.prepare", lambda name: asked.append(name) or toy_of(name)
    )

    first, second = (prepared_set(tmp_path / "sets", "mutag") for _ in range(2))

    assert asked == ["mutag"]
    assert first.name == second.name == "mutag"
    assert [path.name for path in (tmp_path / "sets").iterdir()] == ["mutag.npz"]


@pytest.mark.parametrize("task", ["folds", "early"])
def test_the_cost_of_a_part_of_the_replicas_counts_for_all(task):
    found = toy_set()
    parts = found.parts if task == "folds" else np.repeat([[0, 0, 1, 2]], GRAPHS // 4, axis=0).reshape(1, -1)
    data = replace(found, parts=parts.astype(np.int8))
    plan = SetPlan(task, SetShape(2, 4, 2, 1), batch_size=4, seeds=2)

    (line,) = measure_cost(data, "nested", plan, Limits(memory=1.0, quick=True))

    assert line["clock"] == "process"
    assert (line["replicas"], line["replicas_at_once"]) == (2, 1)
    assert line["milliseconds"] > 0


def test_sampled_subgraphs_follow_one_another_from_a_random_place():
    shape = SetShape(2, 4, 2, 1, sample=2)
    graphs = with_bag(toy_set().graphs, METHODS["ds-nd"], shape)
    layout = Layout(graphs, "cpu")
    chosen, shift = np.array([[0, 1]]), np.array([[3, 1]])

    batch = layout.exact(chosen, shift)

    # Graph 0 is a star of 4 nodes: subgraphs 3 and 0; graph 1 a ring of 5 nodes: 1 and 2.
    assert batch.sub_graph.tolist() == [0, 0, 1, 1]
    rows = batch.rows.count.view(-1).tolist()
    assert rows == [2 * 4 + 2 * 5]
    arcs = int(batch.rows.arcs.offsets[-1])
    assert arcs == (4 + 0) + 2 * (10 - 4)


def test_equal_rows_are_counted_once_per_pair():
    values = np.array([[1.0, 5.0], [2.0, 5.0], [1.0, 5.0], [1.0, 5.0 + 1e-9]])

    assert equal_pairs(values) == 3


def test_every_set_has_a_plan_and_every_reported_number_a_method():
    assert {job[0] for job in jobs_of(tuple(peer_spec()["sets"]))} == set(peer_spec()["sets"])
    assert set(peer_spec()["reported"]) <= set(METHODS)
    assert set_plan("zinc").weights == 500_000


def test_a_second_run_skips_what_is_finished(tmp_path, monkeypatch):
    monkeypatch.setattr("research.nets.peers.prepare.prepare", lambda name, limit: toy_of(name))
    choice = PeersChoice(("mutag",), ("gin", "gnn-ak"), quick=True, folder=tmp_path)
    said = []

    assert run_peers(choice, said.append) == 0
    assert len(said) == 2
    assert run_peers(choice, said.append) == 0
    assert said[2:] == ["2 of 2 jobs are finished, skipped"]


def toy_of(name):
    found = toy_set()
    return PeerSet(name, *(getattr(found, field) for field in list(vars(found))[1:]))


def test_unknown_names_are_refused():
    with pytest.raises(InputError, match="there is no method 'gine' of peers"):
        PeersChoice(methods=("gine",))


def test_the_queue_writes_lines_and_the_report_reads_them(tmp_path, capsys):
    write_set(toy_of("mutag"), tmp_path / "mutag.npz")
    (tmp_path / "peers").mkdir()
    output = tmp_path / "peers" / "peers.jsonl"

    main([str(tmp_path), str(output), "--sets", "mutag", "--methods", "gin,dss-ego+", "--quick"])

    lines = [json.loads(line) for line in output.read_text().splitlines()]
    assert [line["method"] for line in lines] == ["gin", "dss-ego+"]
    assert "FAILED" not in capsys.readouterr().out
    output.write_text("".join(json.dumps(line | {"quick": False}) + "\n" for line in lines))
    table = peer_blocks(tmp_path)[1]
    assert table.rows[0][1].startswith("89.4 / ")
    assert trained_here(lines, "ESAN", "mutag") != "not run"
    assert trained_here(lines, "GSN", "mutag") == "not run"
    assert len(own(lines, "mutag", "gin")) == 1


def test_test_graphs_are_measured_with_the_weights_of_the_lowest_validation_loss():
    found = toy_set()
    parts = np.zeros((1, GRAPHS), dtype=np.int8)
    parts[0, :4], parts[0, 4:8] = 2, 1
    data = PeerSet("toy", found.graphs, found.columns, found.structure_types, found.targets, parts)
    # A huge rate: the last epochs are not the best ones.
    plan = SetPlan("early", SetShape(2, 8, 2, 1, mean=True), epochs=12, batch_size=8, rate=0.5, seeds=3)

    lines = run_job(data, "gin", plan, Limits())

    (alone,) = run_job(data, "gin", replace(plan, seeds=1), Limits())
    assert alone["validation"] == pytest.approx(
        lines[0]["validation"]
    )  # replicas do not depend on one another
    assert alone["score"] == lines[0]["score"]
    assert any(line["epoch"] < 12 for line in lines)
    assert all(0 <= line["score"] <= 100 for line in lines)


def test_weights_of_the_best_epoch_are_kept_per_replica():
    data = toy_set()
    replicas = [Replica(seed, 0, np.arange(12), {"validation": np.arange(12, 24)}) for seed in (0, 1)]
    plan = SetShape(2, 4, 2, 1)
    trainer = PeerTrainer(
        net_of(METHODS["gin"], plan, 1), Layout(data.graphs, "cpu"), data.targets, replicas, "classes"
    )
    first = [part.detach().clone() for part in trainer._parts()]
    trainer.keep_best(torch.tensor([1.0, 1.0]))
    with torch.no_grad():
        trainer.flat.add_(1.0)
    trainer.keep_best(torch.tensor([2.0, 0.5]))

    trainer.measure_best("validation", 8)

    for old, new in zip(first, trainer._parts(), strict=True):
        assert torch.equal(old[0], new[0])
    changed = [not torch.equal(old[1], new[1]) for old, new in zip(first, trainer._parts(), strict=True)]
    assert any(changed)
