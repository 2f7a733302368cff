"""Tables that people wrote have the numbers of the results files, rounded as printed."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

ROOT = Path(__file__).parents[2]


def read(name):
    """Return a results file: a record, or a list of lines."""
    text = (ROOT / "results" / name).read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()] if name.endswith("l") else json.loads(text)


def rows_from(page, start):
    """Return the cells of the table rows from the one that begins with `start`."""
    lines = (ROOT / "docs" / page).read_text("utf-8").splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith(start))
    rows = []
    for line in lines[first:]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip().replace("*", "") for cell in line.strip("|").split("|")])
    return rows


def printed(cell):
    """Return the numbers of a cell as text, minus signs and separators made plain."""
    plain = re.sub(r"(?<=\d),(?=\d{3})", "", cell.replace("−", "-"))
    return re.findall(r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)", plain)


def check(cell, *values):
    """Compare the numbers of a cell with values, to the digits that are printed."""
    numbers = printed(cell)
    assert len(numbers) == len(values), cell
    for number, value in zip(numbers, values, strict=True):
        digits = len(number.partition(".")[2])
        assert abs(float(number) - value) <= 0.5001 * 10**-digits, (cell, number, value)


def test_numbers_of_a_cell_are_read_with_their_signs():
    assert printed("**2.44** (−1.58 ± 0.40), 1,155 of .879".replace("*", "")) == [
        "2.44",
        "-1.58",
        "0.40",
        "1155",
        ".879",
    ]
    with pytest.raises(AssertionError):
        check("0.48", 0.4749)


MOLECULES = {
    "FreeSolv": ("freesolv", "element"),
    "ESOL": ("esol", "element"),
    "BACE": ("bace", "element"),
    "BBBP, invariants as labels": ("bbbp", "invariant"),
    "Lipophilicity": ("lipo", "element"),
    "Tox21": ("tox21", "element"),
    "ogbg-molhiv": ("molhiv", "element"),
    "Peptides-func, 500 trees": ("peptides", "element"),
}


def test_fingerprints_of_molecules():
    lines = read("molecules/fingerprints.jsonl")
    rows = rows_from("molecules.md", "| FreeSolv |")
    assert [re.sub(r", \d+ splits$", "", row[0]) for row in rows] == list(MOLECULES)
    for (name, labels), (_, _, *cells) in zip(MOLECULES.values(), rows, strict=True):
        tests = {}
        for kind in ("ECFP", "Morgan", "Morgan + WL", "neighborhoods", "both"):
            own = [line for line in lines if (line["set"], line["features"]) == (name, kind)]
            if kind not in ("ECFP", "Morgan"):
                own = [line for line in own if (line.get("atom_labels") or "invariant") == labels]
            tests[kind] = {line["split"]: line["test"] for line in own}
        splits = sorted(set.intersection(*(set(scores) for scores in tests.values() if scores)))
        for cell, scores in zip(cells, tests.values(), strict=True):
            if not cell:
                continue
            gains = np.array([scores[split] - tests["Morgan"][split] for split in splits])
            reach = stats.t.ppf(0.975, len(splits) - 1) * gains.std(ddof=1) if len(splits) > 1 else 0
            reach *= np.sqrt(1 / len(splits) + 1 / 8)
            values = (np.mean([scores[split] for split in splits]), gains.mean(), reach)
            check(cell, *values[: len(printed(cell))])


def test_means_of_models_of_peptides():
    tests = {line["features"]: line["test"] for line in read("molecules/peptides.jsonl") if "test" in line}
    mean, morgan, own = (
        f"{tests[name]:.4f}".lstrip("0")
        for name in ("Morgan and neighborhoods", "Morgan, both variants", "neighborhoods, both variants")
    )
    page = " ".join((ROOT / "docs/research/tried.md").read_text(encoding="utf-8").split())

    assert f"which has **{mean}** on the test part; the others have {morgan} and {own}," in page


def test_rows_per_event():
    questions = (
        "AMLSim fraud transfers, without amounts",
        "AMLSim fraud transfers, with amounts",
        "bitcoin-otc negative ratings",
        "CollegeMsg messages next week",
    )
    names = {"raw": ("raw",), "per-account aggregates": ("aggregates", "raw + aggregates")}
    names |= {"per-account aggregates, by window": ("aggregates, by window", "raw + aggregates, by window")}
    names |= {"Graph Feature Preprocessor (snapml)": ("GFP", "raw + GFP"), "`ends`": ("ends", "raw + ends")}
    names |= {f"+ `{name}`": (f"+ {name}",) for name in ("pair", "ego", "cycles")}
    scores = {(line["question"], line["columns"]): line for line in read("events/groups.jsonl")}
    for page in ("events.md", "research/time.md"):
        rows = rows_from(page, "| raw |")
        assert [row[0] for row in rows] == list(names)
        for title, *cells in rows:
            for question, cell in zip(questions, cells, strict=True):
                line = next(
                    (scores[question, name] for name in names[title] if (question, name) in scores), None
                )
                values = (line["average_precision"], *line["interval"]) if cell else ()
                check(cell, *values[: len(printed(cell))])


def test_laundering_by_typology():
    names = {
        "amount": "raw",
        "+ aggregates": "raw + aggregates",
        "amount, preprocessor": "raw + GFP, all windows",
    }
    names |= {"amount, `ends`": "raw + ends"} | {
        f"+ `{name}`": f"+ {name}" for name in ("pair", "ego", "cycles")
    }
    scores = {(line["question"], line["columns"]): line for line in read("events/laundering.jsonl")}
    for name, start in (("100k", "| amount | 0.107"), ("1m", "| amount | 0.095")):
        rows = rows_from("research/time.md", start)
        assert [row[0] for row in rows] == [
            title for title in names if (f"AMLGentex {name}", names[title]) in scores
        ]
        for title, first, *cells in rows:
            line = scores[f"AMLGentex {name}", names[title]]
            check(first, line["average_precision"], *line["interval"])
            for cell, score in zip(cells, line["typologies"].values(), strict=True):
                check(cell, score["average_precision"])


def test_rows_as_of_a_time():
    one, two = read("events/as_of_speed.json")["rows"]
    text = (ROOT / "docs/time.md").read_text("utf-8").replace("\n", " ")

    seconds = re.search(r"in (\S+) seconds of one thread at radius 1 and (\S+) at radius 2", text)
    rates = re.search(r"That is (\S+) million and (\S+) transfers a second", text)
    again = re.search(
        r"takes (\d+ to \d+) milliseconds for each transfer at radius 1 and (\d+ to \d+) at radius 2", text
    )
    for row, cell, window in zip((one, two), seconds.groups(), again.groups(), strict=True):
        check(cell, np.median(row["seconds"]))
        check(window, row["window_milliseconds"][0], row["window_milliseconds"][-1])
    check(rates[1], one["transfers_per_second"] / 1e6)
    assert round(two["transfers_per_second"], -4) == int(rates[2].replace(",", ""))


def test_settings_on_facebook():
    rows = rows_from("choosing.md", "| `radius=1` | 8")
    for row, line in zip(rows, read("speed/settings.json")["rows"], strict=True):
        assert row[0].strip("`").replace('"', "'") == line["setting"]
        for cell, name in zip(row[1:], ("milliseconds", "columns", "entries"), strict=True):
            check(cell, line[name])


def test_engines():
    engines = read("engines.json")["engines"]
    keys = {"one process, one thread": "one process", "Ray Data": "ray"}
    for name, start, rows, _ in rows_from("scale.md", "| one process, one thread |"):
        line = engines[keys.get(name, name.lower())]
        check(start, line["start_cpu"])
        check(rows, line["rows_cpu"])


def test_a_billion_edges():
    run, parts = read("billion.json"), {
        "read and number the edges": ("read and number",),
        "sort": ("sort",),
        "validate, orient": ("validate the graph", "orient edges"),
        "find 49.2 billion triangles": ("find triangles",),
        "triangles to both ends": ("triangles to both ends, write",),
        "rows, 284 million entries": ("rows", "write rows"),
        "checksums, flush to disk": ("checksums", "flush to disk"),
        "the rest, on one thread": ("other",),
    }  # fmt: skip
    *rows, total = rows_from("research/scale.md", "| read and number the edges |")
    assert [row[0] for row in rows] == list(parts)
    assert {name for names in parts.values() for name in names} == run["phases"].keys()
    for title, seconds, processor in rows:
        check(seconds, sum(run["phases"][name]["seconds"] for name in parts[title]))
        check(processor, sum(run["phases"][name]["cpu"] for name in parts[title]))
    check(total[1], run["seconds"])
    check(total[2], run["cpu"])


def test_linear_models_on_zinc():
    found, page = read("zinc_ridge.json"), "research/molecules_in_networks.md"
    *ridge, last = found["rows"]
    for row, line in zip(rows_from(page, "| atoms | 21 |"), [*ridge, found["chosen"], last], strict=True):
        check(row[1], line["columns"])
        check(row[2], line["validation"])
    cells = [cell for row in rows_from(page, "| nothing | –") for cell in row[1:] if cell != "–"]
    for cell, line in zip(cells, read("zinc_rings.json")["rows"], strict=True):
        check(cell.replace(" to ", ", "), line["test"], *line["interval"])


def test_links_of_facebook_and_ca_astroph():
    methods = (
        *("pairs-boosting", "pairs-linear", "seal-labels-boosting", "seal-labels-linear"),
        *("seal-drnl-boosting", "seal-drnl-linear", "egonet-full", "node2vec", "egonet", "adamic-adar"),
    )
    lines = [line for line in read("linkprediction.honest.jsonl") if not line["quick"]]
    rows = rows_from("research/pairs.md", "| **pair encodings, radii 1 and 2")
    for method, row in zip(methods, rows, strict=True):
        for cell, name in zip(row[1:], ("facebook", "ca-astroph"), strict=True):
            areas = np.array(
                [line["score"] for line in lines if (line["data"], line["model"]) == (name, method)]
            )
            reach = stats.t.ppf(0.975, len(areas) - 1) * areas.std(ddof=1) / np.sqrt(len(areas))
            check(cell, areas.mean(), areas.mean() - reach, areas.mean() + reach)
