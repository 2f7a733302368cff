"""The tables of fingerprint times on the page are those of the committed file."""

import json

from contracts.parts import need

need("sklearn")
need("rdkit")
need("pandas")
from benchmarks import molecules  # noqa: E402


def test_a_table_has_ratios_seconds_and_rows_that_differ():
    line = {"set": "toy", "molecules": 1000, "ratios": dict.fromkeys(molecules.RIVALS, 0.5)}
    line |= dict.fromkeys(molecules.RIVALS, 0.25)
    parsers = {
        "set": "toy",
        "molecules": 10,
        "refused_by_rdkit": 1,
        "read_without_rdkit": 7,
        "rows_differ": 0,
    }

    text = molecules.tables({"times": [line], "parsers": [parsers]})

    assert "| from, radius | toy, 1,000 molecules |" in text
    assert "| SMILES, 3, fast | 0.50 (0.25 s) |" in text
    assert "| toy | 9 | 7 | 0 |" in text


def test_the_page_has_the_tables_of_the_file():
    content = json.loads(molecules.TARGET.read_text(encoding="utf-8"))

    assert molecules.tables(content) in molecules.PAGE.read_text(encoding="utf-8")
