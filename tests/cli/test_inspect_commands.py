"""`egonet explain`, `explore` and `show`."""

import json
import re
import webbrowser

import pytest


def test_explain_draws_rings_as_bars(run, edges):
    assert run("explain", edges, "c", "-r", "1").stdout == (
        "node 'c' is a node with 3 neighbors, 1 of 3 pairs of its neighbors is linked; "
        "reaches 4 of 4 nodes in one hop\n"
        "distance 0: 1 node\n"
        "  degree 3  ████████████████████ 1\n"
        "distance 1: 3 nodes\n"
        "  degree 1  ████████████████████ 1\n"
        "  degree 2  ████████████████████████████████████████ 2\n"
    )


def test_explain_finds_numeric_ids(run, tmp_path):
    (tmp_path / "numbers.txt").write_text("10 20\n20 30\n")

    assert json.loads(run("explain", tmp_path / "numbers.txt", "20", "--json").stdout)["rings"] == [
        {"distance": 0, "num_nodes": 1, "degrees": {"degree 2": 1}},
        {"distance": 1, "num_nodes": 2, "degrees": {"degree 1": 2}},
    ]


def test_explain_follows_arcs(run, edges):
    done = run("explain", edges, "c", "-r", "1", "--directed", "out", "--json")

    assert json.loads(done.stdout)["num_nodes"] == 3  # c, a and d; b only points at c


def test_explore_writes_and_opens_a_page(run, edges, tmp_path, monkeypatch):
    opened = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    monkeypatch.setattr("egonet.cli.output.QUIET_SECONDS", 600)  # no line of progress on a slow machine
    page = tmp_path / "page.html"

    done = run("explore", edges, "-o", page, "--around", "c", "--open")

    assert re.fullmatch(rf"Wrote {re.escape(str(page))} \([\d,]+ kB\).\n", done.stderr)
    assert opened == [page.as_uri()]
    assert "edges.csv" in page.read_text()


@pytest.mark.parametrize("name", ["out/", "out.npz"])
def test_show_prints_and_converts_a_saved_encoding(attempt, tmp_path, triangle, name):
    attempt("encode", triangle, "-r", 1, "-o", f"{tmp_path}/{name}")
    where = tmp_path / name

    facts = json.loads(attempt("show", where, "--json").stdout)
    row = attempt("show", where, "c")
    written = attempt("show", where, "-o", tmp_path / "all.csv")

    assert (facts["num_rows"], facts["num_columns"], facts["num_entries"], facts["radius"]) == (4, 5, 9, [1])
    assert "num_entries  9" in attempt("show", where).stdout.splitlines()
    assert row.stdout == "c\tr1_d0_deg3\t1\nc\tr1_d1_deg1\t1\nc\tr1_d1_deg2\t2\n"
    assert json.loads(attempt("show", where, "d", "--json").stdout) == {
        "d": {"r1_d0_deg1": 1, "r1_d1_deg1": 1}
    }
    assert written.returncode == 0, written.stderr
    assert (tmp_path / "all.csv").read_text().splitlines()[-1] == "d,1,0,0,1,0"
    assert attempt("show", where, "e").stderr.startswith("egonet: ")
    assert attempt("show", where, "c", "-o", tmp_path / "c.csv").stderr == (
        "egonet: --output writes every node. Leave it or the nodes out.\n"
    )


def test_commands_read_the_graph_of_a_folder(attempt, tmp_path, triangle):
    (tmp_path / "numbers.txt").write_text("7 8\n8 9\n")
    attempt("encode", triangle, "-r", 1, "-o", f"{tmp_path}/out/")
    attempt("encode", tmp_path / "numbers.txt", "-r", 1, "-o", f"{tmp_path}/numbers/")

    found = attempt("explain", tmp_path / "out", "c", "-r", 1)
    failed = attempt("explain", tmp_path / "out", "c", "--source", "a")

    assert found.stdout == attempt("explain", triangle, "c", "-r", 1).stdout
    assert attempt("compare", tmp_path / "out", triangle, "--exit-code").returncode == 0
    assert attempt("show", tmp_path / "numbers", "8").stdout == "8\tr1_d0_deg2\t1\n8\tr1_d1_deg1\t2\n"
    assert failed.stderr == "egonet: a folder has its graph as it was read. Leave --source out.\n"


def test_explore_says_what_it_sampled(run, tmp_path):
    path = tmp_path / "path.txt"
    path.write_text("".join(f"{i} {i + 1}\n" for i in range(2500)))

    message = run("explore", path, "--around", "7", "-o", tmp_path / "page.html").stderr

    assert message.splitlines()[0] == (
        "path.txt has 2,501 nodes: the page shows the 2,000 nearest to 7. "
        "Choose another center with --around, draw more with --max-nodes, or search on the page."
    )


def test_explore_writes_the_page_to_stdout(run, edges):
    assert run("explore", edges, "-o", "-").stdout.startswith("<!doctype html>")


def test_explain_of_one_node_counts_labels(run, edges, tmp_path):
    (tmp_path / "kinds.csv").write_text("node,kind\na,x\nb,x\nc,y\nd,y\n")

    message = run("explain", edges, "a", "-r", "1", "--labels", tmp_path / "kinds.csv").stdout

    assert "degree 2, label x" in message


def test_explore_begins_with_the_settings_given(run, edges):
    page = run("explore", edges, "-o", "-", "--degree-bins", "log", "--max-degree", "7").stdout

    assert page != run("explore", edges, "-o", "-").stdout
    assert run("explore", edges, "-o", "-", "--max-degree", "-1", status=2).stdout == ""


def test_explain_takes_types_of_edges_for_two_nodes(run, tmp_path):
    (tmp_path / "bonds.csv").write_text("source,target,kind\n1,2,single\n2,3,double\n3,4,double\n")

    done = run("explain", tmp_path / "bonds.csv", "1", "4", "-r", "1", "--edge-labels", "kind")

    assert "single" in done.stdout
    assert "double" in done.stdout


@pytest.mark.parametrize("tables", [["--labels", "both.csv"], ["--labels", "a.csv", "--labels", "b.csv"]])
def test_explore_counts_labels_and_types(run, tmp_path, tables):
    """Labels and types are settings of the page: its classes depend on them."""
    for name, kinds in (("one.csv", "sd"), ("other.csv", "ds")):
        lines = [f"{name[:2]}{i},{name[:2]}{i + 1},{kind}" for i, kind in enumerate(kinds)]
        (tmp_path / name).write_text("\n".join(["source,target,kind", *lines]) + "\n")
    first, second = "on0,C\non1,C\non2,O\n", "ot0,O\not1,C\not2,C\n"
    for name, rows in (("both.csv", first + second), ("a.csv", first), ("b.csv", second)):
        (tmp_path / name).write_text("node,atom\n" + rows)
    given = [tmp_path / each if each.endswith(".csv") else each for each in tables]

    files = [tmp_path / "one.csv", tmp_path / "other.csv"]
    page = run("explore", *files, *given, "--edge-labels", "kind", "-o", "-").stdout
    data = json.loads(
        re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)[1]
    )

    assert data["settings"]["labelNames"] == ["C", "O"]
    assert data["settings"]["typeNames"] == ["d", "s"]
    assert [graph["labels"] for graph in data["graphs"]] == [[0, 0, 1], [1, 0, 0]]
    assert [graph["typeSets"] for graph in data["graphs"]] == [[1, 0], [0, 1]]
    assert {verdict["test"]: verdict["equal"] for verdict in data["verdicts"]}["isomorphic"] is True


def test_explore_takes_columns_of_nodes_and_times_of_edges(run, tmp_path):
    edges, nodes, page = tmp_path / "edges.csv", tmp_path / "nodes.csv", tmp_path / "page.html"
    edges.write_text("source,target,when\na,b,2024-01-02\nb,a,2023-05-01\nb,c,2024-01-03\n")
    nodes.write_text("node,age\na,31\nb,32\nc,33\n")

    run("explore", edges, "--columns", nodes, "--edge-times", "when", "-o", page, "--quiet")

    text = page.read_text()
    assert '"name":"age"' in text
    assert "1682899200000" in text  # the first of the two times of a and b, 2023-05-01
    assert "1704153600000" not in text


def test_weights_of_repeated_edges_of_a_file_are_added_as_numbers(run, tmp_path):
    edges, page = tmp_path / "edges.csv", tmp_path / "page.html"
    edges.write_text("source,target,w\nx,y,1\nx,y,2\nz,y,5\n")

    run("explore", edges, "--edge-weights", "w", "-o", page, "--quiet")

    assert '"widths":[0,3]' in page.read_text()  # 3 and 5, not "12" and 5


def test_options_of_a_second_file_need_one(run, edges, tmp_path):
    page = tmp_path / "page.html"
    said = run("explore", edges, "--other-source", "1", "--other-target", "2", "-o", page, status=2).stderr

    assert "--other-source is about a second file, and there is none" in said
    assert not page.exists()


def test_explain_compares_two_different_nodes_and_says_where_the_rest_is(run, error_of, tmp_path):
    # The neighbors of hub have 1 to 12 more neighbors each, those of n8 have none.
    star = tmp_path / "star.csv"
    spokes = "".join(f"hub,h{spoke}\nn8,n{spoke}0\n" for spoke in range(1, 13))
    more = "".join(f"h{spoke},h{spoke}x{leaf}\n" for spoke in range(1, 13) for leaf in range(spoke))
    star.write_text(f"source,target\n{spokes}{more}")

    assert error_of("explain", star, "hub", "hub") == (
        "two different nodes are compared, got 'hub' twice. Leave OTHER out to see its rings."
    )
    differ = json.loads(run("explain", star, "hub", "n8", "-r", 2, "--json").stdout)["columns"]
    said = run("explain", star, "hub", "n8", "-r", 2).stdout
    assert len(differ) > 10
    assert said.endswith(f"... and {len(differ) - 10} more columns\n  (--json has all {len(differ)})\n")
    assert "--json" not in run("explain", star, "hub", "n8", "-r", 1).stdout


@pytest.fixture
def dated(tmp_path):
    """Return a table of payments whose times are days, months and years."""
    path = tmp_path / "dated.csv"
    path.write_text("source,target,when\na,b,01/01/2024\nb,c,20/01/2024\nc,d,25/01/2024\na,c,01/02/2024\n")
    return path


DAYS = ("--edge-times", "when", "--directed", "out", "-o", "-")


def test_explore_reads_times_in_a_form_and_names_the_option(run, error_of, dated):
    assert '"times":[' in run("explore", dated, *DAYS, "--time-format", "%d/%m/%Y").stdout
    assert error_of("explore", dated, *DAYS) == (
        "--edge-times must be finite numbers or dates, got '01/01/2024' for the edge ('a', 'b'). For dates in another "
        "form set --time-format to it, such as %d/%m/%Y."
    )


def test_explore_shows_the_two_ends_of_an_event_as_they_were(run, dated):
    page = run(
        *("explore", dated, *DAYS, "--time-format", "%d/%m/%Y"),
        *("--pair", "a", "c", "--as-of", "01/02/2024", "--window", "15d"),
    ).stdout

    assert '"nodes":["a","b","c","d"]' in page
    assert "Shown: edges before 01/02/2024 and at most 15d old." in page


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--as-of", "soon"],
            "--as-of must be a time like those of the edges, which are dates in the form %d/%m/%Y, got",
        ),
        (["--window", "3d"], "--window is how long edges count before --as-of. Give both."),
        (["--as-of", "01/02/2024", "--window", "3x"], "--window must be a duration such as '7d'"),
    ],
)
def test_explore_refuses_times_it_cannot_compare(error_of, dated, options, message):
    assert message in error_of("explore", dated, *DAYS, "--time-format", "%d/%m/%Y", *options)


def test_as_of_needs_edge_times(error_of, dated):
    assert "--as-of needs --edge-times" in error_of("explore", dated, "--as-of", "3", "--simplify")


def test_options_of_columns_that_are_not_there_are_refused(error_of, dated, tmp_path):
    (tmp_path / "kinds.csv").write_text("node,kind\na,x\nb,x\nc,y\nd,y\n")
    columns = ("--columns", tmp_path / "kinds.csv", "-o", tmp_path / "page.html")

    assert error_of("explore", dated, "--simplify", *columns, "--label-column", "kind").startswith(
        "--label-column is about the table of --labels"
    )
    assert error_of("explore", dated, "--edge-weights", "when").startswith(
        "--edge-weights must be finite numbers, got '01/01/2024'"
    )
