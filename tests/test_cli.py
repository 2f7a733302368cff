"""The command line as a user meets it: words in, tables and one-sentence errors out."""

import gzip
import json
import os
import signal
import subprocess
import sys
import time

import pytest

import egonet


def run(*words, check=True, cwd=None, **environment):
    """Run `egonet ...` in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "egonet", *map(str, words)],
        capture_output=True,
        text=True,
        env={**os.environ, "NO_COLOR": "1", "COLUMNS": "120", **environment},
        timeout=120,
        cwd=cwd,
        check=False,
    )
    assert not check or done.returncode == 0, done.stderr
    return done


@pytest.fixture
def edges(tmp_path):
    path = tmp_path / "edges.csv"
    path.write_text("src,dst\na,b\nb,c\nc,a\nc,d\n")
    return path


def test_encode_writes_what_the_library_computes(edges, tmp_path, need):
    parquet = need("pyarrow.parquet", "pyarrow")

    done = run("encode", edges, "-r", "1", "-o", tmp_path / "features.parquet")

    assert done.stdout == ""
    assert "4 nodes, 4 edges; nothing changed." in done.stderr
    assert "features.parquet: 4 rows, 5 columns, 9 entries" in done.stderr
    table = parquet.read_table(tmp_path / "features.parquet")
    assert table["r1_d1_deg2"].to_pylist() == [2, 2, 2, 0]


def test_encode_prints_csv_to_stdout(edges):
    done = run("encode", edges, "-r", "1", "-o", "-")

    assert done.stdout.splitlines()[0] == "node,r1_d0_deg1,r1_d0_deg2,r1_d0_deg3,r1_d1_deg1,r1_d1_deg2"
    assert done.stdout.splitlines()[3] == "c,0,0,1,1,2"


def test_encode_without_output_shows_the_first_nodes(edges):
    done = run("encode", edges, "-r", "1")

    assert "1×1  2×2" in done.stdout
    assert "Add -o features.parquet to write them." in done.stderr


def test_encode_prints_one_json_object(edges):
    said = json.loads(run("encode", edges, "-r", "1,2", "--json").stdout)

    assert said["graph"] == {"num_nodes": 4, "num_edges": 4, "changes": "nothing changed"}
    assert said["encoding"]["num_rows"] == 4
    assert said["encoding"]["num_classes"] == 3
    assert said["encoding"]["radius"] == [1, 2]


def test_encode_takes_the_columns_of_an_earlier_encoding(edges, tmp_path):
    run("encode", edges, "-r", "1", "-o", tmp_path / "known.npz")
    (tmp_path / "star.csv").write_text("src,dst\n" + "".join(f"hub,leaf{i}\n" for i in range(5)))

    done = run(
        "encode", tmp_path / "star.csv", "--vocabulary", tmp_path / "known.npz", "-o", tmp_path / "star.npz"
    )

    assert (
        "1 rows met keys without a column, first at node 'hub': (0, 5); 1 nodes clipped, 0 dropped"
        in done.stderr
    )
    assert egonet.load(tmp_path / "star.npz")["hub"] == {(0, 3): 1, (1, 1): 5}


def test_explain_draws_rings_as_bars(edges):
    assert run("explain", edges, "c", "-r", "1").stdout == (
        "node 'c', radius 1: 4 nodes in its ego-network\n"
        "distance 0: 1 node\n"
        "  degree 3  ████████████████████ 1\n"
        "distance 1: 3 nodes\n"
        "  degree 1  ████████████████████ 1\n"
        "  degree 2  ████████████████████████████████████████ 2\n"
    )


def test_explain_finds_numeric_ids(tmp_path):
    (tmp_path / "numbers.txt").write_text("10 20\n20 30\n")

    assert json.loads(run("explain", tmp_path / "numbers.txt", "20", "--json").stdout)["rings"] == [
        {"distance": 0, "num_nodes": 1, "degrees": {"degree 2": 1}},
        {"distance": 1, "num_nodes": 2, "degrees": {"degree 1": 2}},
    ]


def test_doctor_knows_the_kernel_and_the_optional_parts():
    said = json.loads(run("doctor", "--json").stdout)

    assert said["egonet"]["version"] == egonet.__version__
    assert said["egonet"]["kernel"] in {"baseline", "avx2", "avx512"}
    assert "typer" in said["optional parts"]
    assert "kernel" in run("doctor").stdout


def test_demo_shows_the_karate_club_and_writes_its_features(tmp_path, need):
    parquet = need("pyarrow.parquet", "pyarrow")

    done = run("demo", "-o", tmp_path / "demo")

    assert "34 members, 78 friendships" in done.stdout
    assert parquet.read_table(tmp_path / "demo" / "karate.parquet").num_rows == 34


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ["encode", "EDGES", "-r", "2.5"],
            "radius must be a whole number >= 0, or several as in 1,2, got '2.5'.",
        ),
        (["encode", "EDGES", "-r", "-1"], "radius must be a whole number >= 0, got -1."),
        (
            ["encode", "EDGES", "-o", "FOLDER/none/f.csv"],
            "f.csv could not be written: the folder does not exist; create it first.",
        ),
        (
            ["encode", "EDGES", "-o", "f.xls"],
            "an encoding is written as .parquet, .arrow, .csv, .npz, .mtx, got 'f.xls'.",
        ),
        (
            ["encode", "EDGES", "--degrees", "ful"],
            "degrees must be one of 'total', 'layered', 'full', got 'ful'. Did you mean 'full'?",
        ),
        (["encode", "EDGES", "--source", "sr", "--target", "dst"], "Did you mean 'src'?"),
        (["encode", "FOLDER/edgs.csv"], "edges.csv'?"),
        (["encode", "RAGGED"], "line 3"),
        (["encode", "TRUNCATED"], "truncated.txt.gz"),
        (["encode", "PARQUET"], "false.parquet"),
        (["explain", "EDGES", "e"], "the graph has no node 'e'."),
    ],
)
def test_errors_are_one_sentence_and_exit_two(edges, tmp_path, words, sentence):
    (tmp_path / "ragged.csv").write_text("src,dst\na,b\nc\n")
    (tmp_path / "truncated.txt.gz").write_bytes(gzip.compress(b"1 2\n3 4\n" * 1000)[:-10])
    (tmp_path / "false.parquet").write_text("not parquet")
    names = {
        "EDGES": edges,
        "RAGGED": tmp_path / "ragged.csv",
        "TRUNCATED": tmp_path / "truncated.txt.gz",
        "PARQUET": tmp_path / "false.parquet",
    }

    done = run(*[names.get(word, word.replace("FOLDER", str(tmp_path))) for word in words], check=False)

    assert done.returncode == 2
    assert done.stdout == ""
    assert sentence in done.stderr
    assert done.stderr.startswith("egonet: ")
    assert len(done.stderr.splitlines()) == 1
    assert "Traceback" not in done.stderr


def test_a_missing_argument_is_explained_and_exits_two():
    done = run("encode", check=False)

    assert done.returncode == 2
    assert "Missing argument" in done.stderr


def test_a_traceback_is_shown_only_when_asked_for(edges):
    assert "Traceback" in run("explain", edges, "e", check=False, EGONET_DEBUG="1").stderr


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_stopped_run_leaves_nothing_behind(tmp_path, number, status):
    side = 700
    rows = (
        f"{x * side + y} {x * side + y + step}\n"
        for x in range(side - 1)
        for y in range(side - 1)
        for step in (1, side)
    )
    (tmp_path / "grid.txt").write_text("".join(rows))
    running = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "egonet",
            "encode",
            tmp_path / "grid.txt",
            "-r",
            "600",
            "-o",
            tmp_path / "out.npz",
        ],
        stderr=subprocess.PIPE,
        text=True,
    )
    time.sleep(4)
    running.send_signal(number)
    _, said = running.communicate(timeout=20)

    assert running.returncode == status
    assert "Traceback" not in said
    assert [path.name for path in tmp_path.iterdir()] == ["grid.txt"]


def test_a_reader_that_leaves_early_causes_no_complaint(tmp_path):
    (tmp_path / "path.txt").write_text("".join(f"{i} {i + 1}\n" for i in range(20_000)))
    shell = (
        f"{sys.executable} -m egonet encode {tmp_path}/path.txt -r 1 -o - | head -1; echo ${{PIPESTATUS[@]}}"
    )

    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, timeout=60, check=False)

    assert done.stdout.startswith("node,")
    assert done.stdout.endswith("0 0\n")
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr


def test_the_version_is_told():
    assert run("--version").stdout == f"egonet {egonet.__version__}\n"


@pytest.mark.parametrize(
    "command",
    [["encode", "-o", "-"], ["explain"], ["compare"], ["explore"], ["embed", "-o", "v.csv"], ["benchmark"]],
)
def test_every_command_that_reads_a_graph_can_be_told_how(tmp_path, command):
    """An ending that says nothing, an odd delimiter, comments, and names above names."""
    path = tmp_path / "edges.data"
    path.write_text("!made up\nwho;whom\nann;bob\nbob;cid\n")
    name, *words = command
    files = [path, path] if name == "compare" else [path, "ann"] if name == "explain" else [path]
    words += ["--epochs", "1", "--walks", "1"] if name == "embed" else []
    words += ["--format", "csv", "--delimiter", ";", "--comment", "!"]

    done = run(
        name, *files, *words, "--header", "--source", "who", "--target", "whom", check=False, cwd=tmp_path
    )
    bare = run(name, *files, *words, "--no-header", check=False, cwd=tmp_path)

    assert done.returncode == bare.returncode == 0, done.stderr + bare.stderr
    if name == "encode":
        assert [line.split(",")[0] for line in done.stdout.splitlines()] == ["node", "ann", "bob", "cid"]
        assert "who" in bare.stdout


def test_explain_follows_arcs(edges):
    done = run("explain", edges, "c", "-r", "1", "--directed", "out", "--json")

    assert json.loads(done.stdout)["num_nodes"] == 3  # c, a and d; b only points at c


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("a;b\nb;c\n", "Should it be read with --delimiter ';'?"),
        ("day,who,whom\n1,2,3\n", "Say --source and --target; the columns are 'day', 'who', 'whom'."),
        ("#a,b\n", 'Say --comment "#" to skip such lines, --comment "" to read them.'),
    ],
)
def test_ways_out_are_options_of_the_command(tmp_path, content, said):
    (tmp_path / "edges.csv").write_text(content)

    done = run("explain", tmp_path / "edges.csv", "a", check=False)

    assert done.returncode == 2
    assert done.stderr.endswith(f"{said}\n")
