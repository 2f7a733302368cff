"""Comparisons with the chosen rival: pairs, intervals, Holm; the pages say what the results files say."""

from pathlib import Path

import numpy as np
import pytest

from contracts.parts import need

need("matplotlib")

from egonet.errors import FileError, InputError  # noqa: E402
from research.today.chemistry import draw_parts  # noqa: E402
from research.today.comparison import RIVALS, block_seconds, compare, interval, network_lines  # noqa: E402
from research.today.page import (  # noqa: E402
    GROUPS,
    MODELS,
    PAGE,
    Entry,
    draw,
    entries,
    families,
    over_molecules,
    read_results,
    summary,
    table,
    write_page,
)
from research.today.page_tables import fingerprint_table, linear_table, paper_table  # noqa: E402
from research.today.run import TodayChoice, network_spec, run_networks, run_today  # noqa: E402
from research.today.tabular.lines import joined, read_lines, spread_out  # noqa: E402
from research.today.tasks import column_spec, rows_of  # noqa: E402

ROOT = Path(__file__).parent.parent.parent.parent


def lines(scores, metric="accuracy", name="mutag"):
    """Return a line per columns and fold."""
    return [
        {
            "set": name,
            "model": "forest",
            "columns": columns,
            "seed": 0,
            "fold": fold,
            "metric": metric,
            "split": "folds",
            "train_rows": 90,
            "test_rows": 10,
            "num_columns": len(columns),
            "column_seconds": 1.0,
            "test": value,
        }
        for columns, values in scores.items()
        for fold, value in enumerate(values)
    ]


def test_validation_scores_choose_the_rival_and_test_scores_do_not():
    found = lines(
        {"none": [0.5, 0.5], "degree": [0.9, 0.9], "rwse": [0.6, 0.6], "ego": [0.7, 0.7]}, name="usa"
    )
    for line in found:
        line["validation"] = {"none": 0.1, "degree": 0.2, "rwse": 0.3, "ego": 0.4}[line["columns"]]

    (against,) = compare(found, "ego")

    assert (against.rival, against.chosen_on) == ("rwse", "validation")
    assert against.gain == pytest.approx(10)
    assert against.in_favor == 2


def test_every_fold_chooses_its_rival_on_its_own_validation_scores():
    tests = {
        "none": [0.5, 0.5, 0.5],
        "degree": [0.1, 0.6, 0.3],
        "rwse": [0.7, 0.2, 0.5],
        "ego": [0.7, 0.7, 0.7],
    }
    validation = {
        "none": [0.1, 0.1, 0.1],
        "degree": [0.2, 0.9, 0.2],
        "rwse": [0.3, 0.3, 0.2],
        "ego": [0.0, 0.0, 0.0],
    }
    found = lines(tests, name="usa")
    for line in found:
        line["validation"] = validation[line["columns"]][line["fold"]]

    (against,) = compare(found, "ego")

    # rwse 0.7, degree 0.6, and both in the last fold, where they are level: 0.4 on average.
    assert against.rival_score == pytest.approx(1.7 / 3)
    assert (against.rival, against.rival_splits, against.splits) == ("rwse", 1.5, 3)
    assert against.in_favor == 2.5


def test_seeds_of_one_split_choose_their_rival_together():
    found = lines({"none": [0.5, 0.5], "degree": [0.9, 0.9], "ego": [0.7, 0.7]}, name="usa")
    for line in found:
        line |= {"split": "fixed", "seed": line["fold"], "fold": 0}
        line["validation"] = {"none": 0.4, "degree": 0.1 + 0.5 * line["seed"], "ego": 0.0}[line["columns"]]

    (against,) = compare(found, "ego")

    # One seed has 0.1 with degrees, the other 0.6: less than 0.4 on average.
    assert (against.rival, against.units) == ("none", 2)
    assert against.has_one_split


def test_no_gain_of_a_model_on_columns_rests_on_seeds_of_one_split():
    rows = [row for row in entries(ROOT / "results") if not row.is_network]
    found = [each for row in rows for each in row.found.values() if each.has_one_split]
    text = table(rows)

    assert {each.name for each in found} >= {"twitch-fr", "zinc"}
    assert not any(each.is_significant for each in found if not each.molecules)
    assert text.count(", one split") == len(found)


def test_an_interval_over_test_molecules_replaces_the_one_over_seeds():
    seeds = [
        line | {"split": "fixed", "seed": line["fold"], "fold": 0}
        for line in lines({"labels": [0.5, 0.5], "labels+ego": [0.7, 0.7]}, "auc", "molhiv")
    ]
    (each,) = compare(seeds, "ego")
    measured = {"gain": 19.0, "low": -1.0, "high": 30.0, "p": 0.07, "molecules": 400, "units": 3}
    measured |= {"score": 0.69, "rival_score": 0.5, "in_favor": 3.0, "columns": 7, "rival_columns": 5}
    line = {"set": "molhiv", "model": "forest", "encoding": "labels+ego", "rival": "labels"} | measured

    found = over_molecules(
        each, [line | {"encoding": "labels+egolabel"}, line | {"rival": "labels+rwse"}, line]
    )

    assert {name: getattr(found, name) for name in measured} == measured
    assert over_molecules(each, [line | {"rival": "labels+rwse"}]) == each
    assert "| +19.0 (-1.0 to +30.0) | 3, one split, 400 molecules |" in table(
        [Entry("molhiv", "forest", {"ego": found})]
    )


def test_a_set_with_scaffold_splits_has_no_lines_of_its_fixed_split():
    found = read_results(ROOT / "results").columns
    splits = read_lines(ROOT / "results" / "today" / "scaffold_splits.jsonl")
    bace = [line for line in found if line["set"] == "bace" and line["columns"] == "labels+egolabel"]

    assert {line["split"] for line in found if line["set"] in {each["set"] for each in splits}} == {
        "scaffolds"
    }
    assert [line["test"] for line in bace] == [
        line["scores"]["labels+egolabel"]["test"] for line in splits if line["set"] == "bace"
    ]
    assert {line["split"] for line in found if line["set"] == "molhiv"} == {"fixed"}


def test_without_validation_scores_the_rival_has_the_best_mean_of_all_folds():
    found = lines({"none": [0.9, 0.5, 0.5], "degree": [0.5, 0.6, 0.7], "ego": [0.8, 0.8, 0.8]}, name="usa")

    (against,) = compare(found, "ego")

    # The other folds would choose degree, none and none, each in the fold where it has 0.5.
    assert against.rival_score == pytest.approx(1.9 / 3)
    assert (against.rival, against.chosen_on) == ("none", "all folds")


def test_a_family_is_tested_as_a_whole():
    table = families(entries(ROOT / "results"))

    assert "| ZINC-12k | network | ego-networks | 11 of 11 | 64 of 67 | 0.015 |" in table


def test_a_rival_that_validation_did_not_choose_is_no_worse_than_any_other():
    columns = read_results(ROOT / "results").columns
    singles = {rival: compare(columns, "ego", (rival,)) for rival in RIVALS}
    chosen = [each for each in compare(columns, "ego") if each.chosen_on != "validation"]

    assert {each.chosen_on for each in chosen} == {"all folds"}
    for each in chosen:
        others = [
            other
            for found in singles.values()
            for other in found
            if (other.name, other.model) == (each.name, each.model)
        ]
        assert each.gain <= min(other.gain for other in others) + 1e-9


def test_linear_models_are_compared_over_splits_and_over_molecules_of_a_single_split():
    errors = {
        "WL": [0.5, 0.7],
        "WL, rings": [0.4, 0.4],
        "ego-networks": [0.3, 0.5],
        "ego-networks, rings": [0.3, 0.3],
    }
    own = {"sizes": [8, 1, 1], "split": 0}
    molecules = [
        own | {"set": "zinc", "columns": kind, "test": np.mean(values), "errors": values}
        for kind, values in errors.items()
    ]
    splits = [
        own | {"set": "esol", "columns": kind, "split": split, "test": value}
        for kind, values in errors.items()
        for split, value in enumerate(values)
    ]

    *_, zinc, esol = linear_table([*molecules, *splits]).splitlines()

    assert zinc == (
        "| ZINC-12k | 1 | 0.600 | 0.400 | 0.400 | 0.300 | +0.200 (+0.200 to +0.200) | +0.100 (+0.100 to +0.100) |"
    )
    assert esol == zinc.replace("ZINC-12k | 1", "ESOL | 2")


def test_scaffolds_are_never_divided_between_parts():
    groups = [[0, 1, 2], [3, 4], [5], [6], [7], [8], [9, 10], [11], [12], [13]]

    for seed in range(10):
        parts = draw_parts(groups, np.random.default_rng(seed))
        assert all(len({int(parts[each]) for each in group}) == 1 for group in groups)
        assert np.bincount(parts, minlength=3)[1:].max() <= 1


def test_the_rival_is_the_one_with_the_best_mean():
    found = compare(
        lines(
            {"labels": [0.5, 0.5], "labels+rwse": [0.6, 0.7], "labels+ego": [0.8, 0.7], "labels+wl": [1, 1]}
        ),
        "ego",
    )

    assert [each.rival for each in found] == ["labels+rwse"]
    assert found[0].gain == pytest.approx(10)
    assert found[0].corrected


def test_smaller_errors_are_gains_in_percent_of_the_rival():
    (found,) = compare(lines({"none": [0.2, 0.2], "ego": [0.1, 0.15]}, "mae", "brazil"), "ego")

    assert found.gain == pytest.approx(37.5)


def test_rivals_with_fewer_pairs_are_left_out():
    (found,) = compare(lines({"none": [0.9], "degree": [0.5, 0.6], "ego": [0.7, 0.7]}, name="usa"), "ego")

    assert (found.rival, found.units) == ("degree", 2)


def test_the_correction_widens_the_interval():
    gains = np.array([1.0, 2.0, 0.5, 1.5])
    plain, corrected = interval(gains, 0), interval(gains, 1 / 9)

    assert corrected[0] < plain[0]
    assert corrected[2] > plain[2]


def test_seconds_of_a_block_are_those_beyond_the_base():
    found = lines({"labels": [1.0], "labels+ego": [1.0]})
    found[1]["column_seconds"] = 1.5

    assert block_seconds(found, "mutag") == {"ego": 0.5}


def test_the_page_says_what_the_networks_reached():
    networks = network_lines(read_lines(ROOT / "results" / "today" / "networks.jsonl"), {})
    text = (ROOT / "docs" / PAGE).read_text("utf-8")
    for name, shown in {"ego": "0.075", "rwse": "0.088"}.items():
        values = [
            line["test"] for line in networks if line["columns"] == name and line["model"] == "best-500k"
        ]
        assert len(values) == 10
        assert f"{np.mean(values):.3f}" == shown
        assert shown in text


def test_the_page_says_which_rival_beats_the_gain_on_french_users():
    text = " ".join((ROOT / "docs" / "research" / "benchmarks.md").read_text("utf-8").split())
    lines = [
        line
        for line in read_results(ROOT / "results").whole
        if (line["set"], line["model"]) == ("twitch-fr", "sage")
    ]

    def mean(columns, part, decimals=1):
        values = [line[part] for line in lines if line["columns"] == columns]
        return f"{100 * np.mean(values):.{decimals}f}"

    chosen, rwse = (mean(columns, "validation", 2) for columns in ("ldp", "rwse"))
    assert f"({chosen}; RWSE {rwse}), which has {mean('ldp', 'test')}" in text
    assert f"RWSE has {mean('rwse', 'test')} and the degree {mean('degree', 'test')}, both more" in text
    assert f"than ego-networks ({mean('ego', 'test')})" in text
    assert float(mean("degree", "test")) > float(mean("ego", "test"))


def test_a_radius_chosen_by_fold_is_a_column_of_its_own():
    chosen = "labels+size+egolabel1|labels+size+egolabel"
    text = paper_table(
        lines({"labels+size": [0.5, 0.7], "labels+size+wl": [0.7, 0.9], chosen: [0.6, 0.7]}), []
    )

    cells = [cell.strip() for cell in text.splitlines()[-1].strip("|").split("|")]
    assert cells[:3] == ["MUTAG, forest", "2", "60.0"]
    assert cells[-2:] == ["65.0", "**80.0**"]


@pytest.mark.parametrize(("split", "varied"), [("fixed", "seeds"), ("scaffolds", "splits")])
def test_fingerprints_are_compared_on_runs_that_all_columns_have(split, varied):
    scores = {"morgan": [0.5, 0.5], "labels+egolabel": [0.25, 0.25, 1], "morgan+egolabel": [0.5, 1]}
    found = [line | {"split": split} for line in lines(scores, "auc", "bace")]
    if split == "fixed":
        found = [line | {"seed": line["fold"], "fold": 0} for line in found]
    text = fingerprint_table(found, {"bace": "BACE", "bbbp": "BBBP"})

    assert text.splitlines()[2:] == [f"| BACE | ROC-AUC | 50.0 | 25.0 | **75.0** | 2 {varied} |"]


def test_joined_lines_spread_out_to_what_they_were():
    found = lines({"labels": [0.5, 0.25], "labels+ego": [0.75, 0.125]})
    together = joined(found)

    assert len(together) == 2
    assert [line for each in together for line in spread_out(each)] == found


def test_of_two_lines_of_one_fit_the_last_counts():
    old, new = lines({"labels": [0.5]})[0], lines({"labels": [0.75]})[0]

    assert [line["test"] for line in joined([old, new])] == [0.75]


def test_a_page_without_marks_is_an_error(tmp_path):
    (tmp_path / PAGE).parent.mkdir()
    (tmp_path / PAGE).write_text("nothing")

    with pytest.raises(FileError, match="lacks the marks"):
        write_page(ROOT / "results", tmp_path)


def test_a_folder_without_results_is_an_error(tmp_path):
    with pytest.raises(FileError, match="no current benchmarks"):
        entries(tmp_path)


@pytest.mark.parametrize("narrow", [False, True])
def test_the_chart_names_every_set_and_model(narrow):
    rows = entries(ROOT / "results")
    chart = draw(rows, narrow=narrow)

    assert all(row.short_name in chart for row in rows)


def test_every_set_is_in_one_group():
    names = " ".join(GROUPS.values()).split()

    assert sorted(names) == sorted([*column_spec()["sets"], "csl"])


def test_the_first_table_counts_significant_gains_and_losses():
    found = compare(lines({"none": [0.1, 0.1, 0.1], "ego": [0.9, 0.8, 0.9]}, name="usa"), "ego")
    found += compare(lines({"none": [0.9, 0.8, 0.9], "ego": [0.1, 0.1, 0.1]}, name="europe"), "ego")
    found += compare(lines({"none": [0.1, 0.5, 0.1], "ego": [0.2, 0.3, 0.2]}, name="brazil"), "ego")
    text = summary([Entry(each.name, "forest", {"ego": each}) for each in found])

    cells = [cell.strip() for cell in text.splitlines()[-1].strip("|").split("|")]
    assert cells == ["nodes of one graph", "forest, boosting", "1 / 1 / 1", ""]
    assert len(text.splitlines()) == 3


def test_the_chart_for_phones_is_one_column():
    rows = entries(ROOT / "results")
    widths = [float(draw(rows, narrow=narrow).split('width="')[1].split("pt")[0]) for narrow in (False, True)]

    assert widths == [763.2, 316.8]


def test_every_line_has_versions_processor_date_and_commit():
    for name in ("columns", "networks", "fullbatch", "searches"):
        for line in read_lines(ROOT / "results" / "today" / f"{name}.jsonl"):
            assert all(line[field] for field in ("versions", "hardware", "date", "commit"))


def test_an_unknown_set_is_an_error():
    with pytest.raises(InputError, match="no current benchmark 'mutagg'"):
        TodayChoice(data=("mutagg",))


@pytest.mark.parametrize("name", column_spec()["sets"])
def test_every_set_has_rows_with_ego_networks_and_a_rival(name):
    rows = [columns for _, columns in rows_of(name)]

    assert any(row.endswith("ego") for row in rows)
    assert any(row.endswith("degree") for row in rows)


@pytest.mark.long
@pytest.mark.parametrize("name", column_spec()["sets"])
def test_a_quick_run_of_every_set_writes_lines(name, data_folder, tmp_path, need):
    need("sklearn")
    if column_spec()["sets"][name]["kind"] == "molecule":
        need("rdkit")
    said = []
    try:
        left = run_today(TodayChoice((name,), quick=True, folder=tmp_path), said.append)
    except FileError as error:
        pytest.skip(str(error))

    found = read_lines(tmp_path / "today" / "quick" / "columns.jsonl")
    assert left == 0
    assert {line["set"] for line in found} == {name}
    assert len({line["columns"] for line in found}) == 2


@pytest.mark.parametrize("name", ["gine-100k", "search-gps", "gatedgcn-500k", "bace-gine"])
def test_a_quick_run_of_a_network_writes_a_line_per_replica(name, data_folder, tmp_path, need):
    need("torch")
    if name == "bace-gine":
        need("rdkit")
    try:
        run_networks(TodayChoice(quick=True, folder=tmp_path, networks=(name,)))
    except FileError as error:
        pytest.skip(str(error))

    found = read_lines(tmp_path / "today" / "quick" / "networks.jsonl")
    assert {line["encoding"] for line in found} == {"rwse20", "egofull123"}
    assert all(line["test"] > 0 for line in found)


@pytest.mark.parametrize("name", ["mutag-gine", "twitch-gcn", "imdb-b-gin", "chameleon-sage", "usa-gcn"])
def test_a_quick_run_on_a_whole_set_writes_lines(name, data_folder, tmp_path, need):
    need("torch")
    need("sklearn")
    try:
        run_networks(TodayChoice(quick=True, folder=tmp_path, networks=(name,)))
    except FileError as error:
        pytest.skip(str(error))

    found = read_lines(tmp_path / "today" / "quick" / "fullbatch.jsonl")
    assert {line["model"] for line in found} == {name.rsplit("-", 1)[1]}
    assert len({line["columns"] for line in found}) == 2


def test_every_plan_on_a_whole_set_has_a_design_and_encodings():
    spec = network_spec("fullbatch")
    for name, entry in spec["plans"].items():
        assert name.rsplit("-", 1)[1] in spec["designs"]
        assert "none" in spec["encodings"][entry["encodings"]]


def test_an_unknown_network_is_an_error(tmp_path):
    with pytest.raises(InputError, match="no network 'gone'"):
        run_networks(TodayChoice(folder=tmp_path, networks=("gone",)))


def test_names_of_networks_have_the_epochs_of_their_lines():
    lines = read_lines(ROOT / "results" / "today" / "networks.jsonl")
    named = {plan: name.split(", ")[-1] for plan, name in MODELS.items() if name.endswith("epochs")}

    found = {plan: {f"{line['epochs']} epochs" for line in lines if line["plan"] == plan} for plan in named}

    assert found == {plan: {epochs} for plan, epochs in named.items()}
