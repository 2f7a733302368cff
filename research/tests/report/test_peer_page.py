"""The tables of the peers are written between two marks of two pages; the rest of the pages stays."""

import json

from research.report.peer_page import BEGIN, END, PAGE, TABLE_2_PAGE, write_peer_page


def test_only_what_is_between_the_marks_changes(tmp_path):
    results, docs = tmp_path / "results", tmp_path / "docs"
    (results / "peers").mkdir(parents=True)
    docs.mkdir()
    shared = {"set": "mutag", "seed": 0, "quick": False, "epochs": 9, "planned_epochs": 9, "peak_bytes": None}
    shared |= {"rows_per_node": 1.0, "validated_spread": 5.0, "environment": {"device": "x86_64"}}
    lines = [
        shared | {"method": method, "score": score, "validated": score - 1}
        for method, score in (
            ("gin", 85.0),
            ("gin+ego", 86.0),
            ("gin+rwse", 84.0),
            ("gsn-v", 91.0),
            ("nested", 90.9),
        )
    ]
    (results / "peers" / "peers.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    for name in (PAGE, TABLE_2_PAGE):
        (docs / name).write_text(f"above\n{BEGIN}\nobsolete\n{END}\nbelow\n")

    pages = [path.read_text("utf-8") for path in write_peer_page(results, docs)]

    for page in pages:
        assert page.startswith(f"above\n{BEGIN}\n")
        assert page.endswith(f"\n{END}\nbelow\n")
        assert "obsolete" not in page
    assert "| mutag | accuracy | 84.0 | 85.0 | GSN (nodes) 90.0 |" in pages[0]
    assert "| mutag | NGNN | 87.90 ± 8.20 | 90.9 (89.9) | +3.0 |" in pages[1]
    assert "| mutag | k-hop | 87.90 ± 1.20 | not run | – |" in pages[1]
