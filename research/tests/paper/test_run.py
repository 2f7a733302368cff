"""Running tables: quick runs of every model, skipping and resuming, and the known answers of Table 4."""

import dataclasses
import json

import numpy as np
import pytest
import torch

from egonet import encode
from egonet.errors import InputError
from research.datasets.graph_set import from_arcs
from research.datasets.readers import read_dataset
from research.paper import features, memory
from research.paper import run as run_module
from research.paper.features import Request
from research.paper.isomorphism import run_isomorphism, still_alike
from research.paper.memory import bytes_per_unit, split_units
from research.paper.results import read_lines, results_path
from research.paper.run import Choice, plan_jobs, run_table
from research.paper.settings import Settings, Unit
from research.paper.spec import table_spec
from research.paper.tasks import hold_back, run_folds

torch.set_num_threads(1)

QUICK = Settings(quick=True)


@pytest.mark.long
def test_a_quick_run_trains_every_model_of_table_1(data_folder, tmp_path):
    lines = run_table("table1", Choice(data=("mutag",), settings=QUICK, folder=tmp_path))

    assert {line.model for line in lines} == {"mlp", "gcn", "gat", "gin", "chebnet", "gnnml3"}
    assert len(lines) == 6 * 2 * 2  # models, with and without, seeds
    assert all(0 <= line.score <= 100 for line in lines)
    assert all(len(line.details["right"]) == 2 for line in lines)
    written = [json.loads(text) for text in (tmp_path / "table1.paper.jsonl").read_text().splitlines()]
    assert written[0]["environment"]["versions"]["torch"] == torch.__version__


def test_finished_work_is_skipped_and_said_so_and_a_cut_off_line_is_done_again(data_folder, tmp_path):
    choice = Choice(data=("mutag",), models=("mlp",), settings=QUICK, folder=tmp_path)
    first = run_table("table1", choice)
    path = results_path(tmp_path, "table1", "paper")
    text = path.read_text()
    path.write_text(text[:-40])  # the run was killed while it wrote its last line
    said = []

    again = run_table("table1", choice, said.append)

    assert len(first) == 4
    assert [line.key for line in again] == [first[-1].key]
    assert said[0] == "mutag/mlp: 3 of 4 lines are finished, skipped"
    assert sorted(line.key for line in read_lines(path)) == sorted(line.key for line in first)
    assert run_table("table1", choice, said.append) == []


def test_a_killed_run_keeps_what_was_finished(data_folder, tmp_path, monkeypatch):
    choice = Choice(data=("mutag",), models=("mlp", "gcn"), settings=QUICK, folder=tmp_path)
    usual, calls = run_module.run_folds, []

    def killed(*options):
        calls.append(options)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return usual(*options)

    monkeypatch.setattr(run_module, "run_folds", killed)
    with pytest.raises(KeyboardInterrupt):
        run_table("table1", choice)

    assert {line.model for line in run_table("table1", choice)} == {"gcn"}


def test_small_parts_give_the_scores_of_one_large_run(data_folder, tmp_path, monkeypatch):
    choice = Choice(data=("mutag",), models=("gcn",), settings=QUICK)
    together = run_table("table1", dataclasses.replace(choice, folder=tmp_path / "a"))
    monkeypatch.setattr(memory, "_CPU_BYTES", 1.0)
    apart = run_table("table1", dataclasses.replace(choice, folder=tmp_path / "b"))

    assert [(line.key, line.score) for line in together] == [(line.key, line.score) for line in apart]


def test_the_honest_protocol_tries_both_radii_and_keeps_validation_results(data_folder, tmp_path):
    settings = dataclasses.replace(QUICK, protocol="honest")
    choice = Choice(data=("mutag",), models=("mlp",), settings=settings, folder=tmp_path)

    lines = run_table("table1", choice)

    assert {(line.form, line.radius) for line in lines} == {("none", 0), ("encoding", 1), ("encoding", 2)}
    assert all(len(line.details["validation_right"]) == 2 for line in lines)


def test_validation_graphs_are_never_trained_on():
    kept, others = hold_back(np.arange(100, 200), np.repeat([0, 1, 2], 100), seed=4)

    assert len(kept) == 90
    assert sorted([*kept, *others]) == list(range(100, 200))


@pytest.mark.long
@pytest.mark.parametrize(
    ("table", "data"), [("table4", "sr25"), ("table4", "exp"), ("table5", "randomgraph")]
)
def test_a_quick_run_of_the_other_tables(data_folder, tmp_path, table, data):
    choice = Choice(data=(data,), models=("linear", "gin"), settings=QUICK, folder=tmp_path)

    lines = run_table(table, choice)

    assert {line.model for line in lines} == {"linear", "gin"}
    assert all(np.isfinite(line.score) for line in lines)
    if data == "sr25":  # no encoding of one radius, and no network on top, tells these graphs apart
        assert {line.score for line in lines} == {105.0}


def test_pairs_are_distinguished_as_counted_by_hand():
    # K1,3 + an isolated node against P4 + one: same degree sum; a path of 5 twice, numbered differently.
    arcs = [[0, 1], [0, 2], [0, 3], [5, 6], [6, 7], [7, 8], [10, 11], [11, 12], [12, 13], [13, 14]]
    arcs += [[17, 15], [15, 18], [18, 16], [16, 19]]
    data = from_arcs("toy", np.array([5, 5, 5, 5]), np.array(arcs), targets=np.empty(0, dtype=np.int64))
    spec = dataclasses.replace(table_spec("table4").data["sr25"], repeats=3)
    settings = Settings()

    errors = {
        model: run_isomorphism(data, spec, spec.networks[model], request, settings).score
        for model, request in (
            ("linear", Request("none")),
            ("mlp", Request("none")),
            ("gcn", Request("encoding", 1)),
        )
    }

    # Linear sees the degree sum alone: {K1,3+1, P4+1} and {P5, P5}; an MLP sees degrees: only {P5, P5}.
    assert errors == {"linear": 2.0, "mlp": 1.0, "gcn": 1.0}


def test_blocks_of_the_comparison_find_every_pair():
    outputs = torch.arange(1200.0).floor_divide(2)[:, None]

    assert still_alike(outputs, None).tolist() == [[2 * k, 2 * k + 1] for k in range(600)]


def test_graph8c_errors_of_linear_are_the_published_ones_on_a_part(data_folder):
    # 1,500 graphs keep this short; pairs with equal sums of inputs are counted directly.
    whole = read_dataset("graph8c")
    stop = whole.node_ptr[1500]
    source = np.repeat(np.arange(stop), whole.union.degrees[:stop])
    arcs = np.column_stack([source, whole.union.indices[: whole.union.indptr[stop]]])
    data = from_arcs("graph8c", whole.sizes[:1500], arcs, targets=np.empty(0, dtype=np.int64))
    spec = dataclasses.replace(table_spec("table4").data["graph8c"], repeats=5)

    found = run_isomorphism(data, spec, spec.networks["linear"], Request("none"), Settings())

    edges = np.add.reduceat(data.union.degrees, data.node_ptr[:-1])
    equal = sum(int(n) * (int(n) - 1) // 2 for n in np.bincount(edges))
    assert found.score == equal


@pytest.mark.slow
def test_gcn_leaves_the_published_number_of_pairs_of_graph8c(data_folder):
    # The published networks are known by the numbers of their repeats, and so are the pairs they leave.
    data, spec = read_dataset("graph8c"), table_spec("table4").data["graph8c"]

    found = run_isomorphism(data, spec, spec.networks["gcn"], Request("none"), Settings())

    assert found.score == 4196.0
    assert found.details == {"repeats": 100}


def test_a_dry_plan_trains_all_encodings_of_a_model_together_but_gnnml3_apart():
    jobs = plan_jobs(table_spec("table5"), Choice())
    mlp = [job for job in jobs if job.model == "mlp"]
    gnnml3 = [job for job in jobs if job.model == "gnnml3"]

    assert [len(job.units) for job in mlp] == [100]
    assert sorted(len(job.units) for job in gnnml3) == [10, 20, 20, 50]
    assert sum(len(job.units) for job in jobs) == 7 * 5 * 2 * 10


def test_a_plan_with_seeds_has_only_these():
    jobs = plan_jobs(table_spec("table1"), Choice(("mutag",), ("mlp",), seeds=(3, 1)))

    assert [unit.seed for job in jobs for unit in job.units] == [3, 1, 3, 1]


@pytest.mark.parametrize(
    ("device", "said"),
    [("gpu", "device must be 'cpu' or 'cuda', got 'gpu'"), ("cuda", r"there is none\. Use 'cpu'")],
)
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_device_that_is_not_there_raises_before_anything_runs(tmp_path, monkeypatch, device, said, jobs):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    choice = Choice(settings=Settings(device=device, quick=True, jobs=jobs), folder=tmp_path)

    with pytest.raises(InputError, match=said):
        run_table("table1", choice)


def test_a_name_that_the_table_does_not_have_raises(tmp_path):
    with pytest.raises(InputError, match="the table has no model 'gcnn'"):
        run_table("table1", Choice(models=("gcnn",), folder=tmp_path))


def test_encodings_lift_a_network_above_chance_where_it_cannot_see_structure():
    """Hexagon against two triangles: equal degrees, so an MLP guesses; with radius 1 it is certain."""
    hexagon = [[k, (k + 1) % 6] for k in range(6)]
    triangles = [[0, 1], [1, 2], [2, 0], [3, 4], [4, 5], [5, 3]]
    arcs = np.concatenate([np.array(triangles if g % 2 else hexagon) + 6 * g for g in range(40)])
    order = np.arange(40)
    data = from_arcs("toy", np.full(40, 6), arcs, targets=order % 2, splits=((order[:30], order[30:]),) * 2)
    spec = dataclasses.replace(table_spec("table1").data["mutag"], epochs=60)
    units = [Unit(Request("none"), 1), Unit(Request("encoding", 1), 1)]

    control, encoded = run_folds(data, spec, spec.networks["mlp"], units, Settings())

    assert control.score == 50.0
    assert encoded.score == 100.0


def test_groups_of_units_fit_the_columns_that_their_encodings_store(data_folder):
    data, spec = read_dataset("mutag"), table_spec("table1").data["mutag"]
    network = spec.networks["gnnml3"]
    limited = Settings(memory=2.5 * bytes_per_unit(data, spec, network, 36, 10))

    def sizes(form):
        units = [Unit(Request(form, 2), seed) for seed in range(1, 11)]
        return [len(part) for part in split_units(data, spec, network, units, limited)]

    assert sizes("labeled") == [2] * 5  # 36 columns
    assert sizes("full-common") == [5] * 2  # 11 columns


def test_graphs_measured_after_each_epoch_take_memory_too(data_folder):
    data, spec = read_dataset("randomgraph"), table_spec("table5").data["randomgraph"]
    training, validation, test = data.splits[0]
    small, large = (
        bytes_per_unit(
            dataclasses.replace(data, splits=((training, graphs, test),)), spec, spec.networks["mlp"], 19, 1
        )
        for graphs in (validation[:10], validation)
    )

    assert large > 5 * small  # a thousand graphs measured at once against ten trained on
    assert bytes_per_unit(data, spec, spec.networks["mlp"], 19, 1, quick=True) < large


def test_a_job_encodes_its_data_set_once_per_encoding(data_folder, tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(
        features,
        "encode",
        lambda graph, radius, **more: asked.append(radius) or encode(graph, radius, **more),
    )
    choice = Choice(("mutag",), ("mlp",), ("encoding@1", "embedding-5@1"), Settings(quick=True), tmp_path)

    run_table("table1", choice)

    assert asked == [1]
