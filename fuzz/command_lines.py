"""Hostile command lines for every command of egonet: python -m fuzz commands.

Every line runs in its own process and in a new folder. It must end with 0, 1, 2 or 130, without a traceback, in time;
if it ends with 2, it has written nothing to stdout and nothing to the folder, and said one line without control
characters on stderr.
"""

import ctypes
import hashlib
import os
import pkgutil
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

import pandas  # noqa: F401
import pyarrow.parquet  # noqa: F401
import sklearn.preprocessing  # noqa: F401

import egonet
import egonet.cli.commands
from egonet.cli.main import main

#: Linux: with these, root reads and writes files whatever their permissions.
DAC_OVERRIDE, DAC_READ_SEARCH, CAPBSET_DROP = 1, 2, 24
SECONDS = 30
MEMORY = 6 * 10**9
ESC = "\x1b[31m\x07"
#: A valid line of every command, below a folder with the inputs that `prepare` writes.
LINES: dict[str, tuple[str, ...]] = {
    "encode": ("encode", "edges.csv", "-r", "1"),
    "embed": ("embed", "edges.csv", "--dim", "2", "--epochs", "1", "--walks", "1"),
    "pairs": ("pairs", "edges.csv", "pairs.csv"),
    "recommend": ("recommend", "edges.csv", "a"),
    "links": ("links", "evaluate", "edges.csv"),
    "temporal": ("temporal", "events.csv", "--queries", "queries.csv"),
    "events": ("events", "events.csv", "--windows", "5,all"),
    "rings": ("rings", "edges.csv", "--edge-values", "amount"),
    "update": ("update", "kept.npz", "--added", "added.csv"),
    "show": ("show", "kept.npz"),
    "verify": ("verify", "store"),
    "similar": ("similar", "edges.csv", "a"),
    "roles": ("roles", "edges.csv"),
    "explain": ("explain", "edges.csv", "a"),
    "explore": ("explore", "edges.csv"),
    "compare": ("compare", "edges.csv", "other.csv"),
    "demo": ("demo",),
    "doctor": ("doctor",),
    "benchmark": ("benchmark", "edges.csv", "--repeats", "1"),
}
#: Commands with --output, and an output that they write.
OUTPUTS = dict.fromkeys(
    ("encode", "embed", "pairs", "temporal", "events", "rings", "roles", "show"), "out.csv"
) | {"update": "out.npz", "explore": "out.html", "demo": "out"}
INPUTS = {name: line[2 if name == "links" else 1] for name, line in LINES.items() if len(line) > 1}


@dataclass
class Line:
    """A command line and its surroundings: arguments, variables, streams, and what it does to the folder before."""

    name: str
    arguments: tuple[str | bytes, ...]
    environment: dict[str, str | None] = field(default_factory=dict)
    stdin: bytes | None = None
    closed: str = ""  # of "stdin", "stdout", "stderr"
    pipe_closes: bool = False
    stdout: str = ""  # a device
    as_user: bool = False
    before: Callable[[Path], None] | None = None
    full_disk: bool = False


def prepare(folder: Path) -> None:
    """Write small inputs."""
    edges = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d"), ("d", "e"), ("e", "f"), ("f", "g"), ("g", "a")]
    text = "source,target,amount\n" + "".join(f"{u},{v},{n}\n" for n, (u, v) in enumerate(edges))
    (folder / "edges.csv").write_text(text)
    (folder / "other.csv").write_text(text.replace("a,b,0", "a,d,0"))
    (folder / "pairs.csv").write_text("first,second\na,c\nb,d\n")
    events = "source,target,time\n" + "".join(f"{u},{v},{n}\n" for n, (u, v) in enumerate(edges))
    (folder / "events.csv").write_text(events)
    (folder / "queries.csv").write_text("node,time\na,3\nb,5\n")
    (folder / "added.csv").write_text("source,target\na,d\n")
    (folder / "labels.csv").write_text("node,label\n" + "".join(f"{n},x\n" for n in "abcdefg"))
    egonet.encode(edges, 1).save(folder / "kept.npz", graph=True)
    egonet.store.encode(edges, folder / "store", 1)


def replace(line: tuple[Any, ...], old: str, new: Any) -> tuple[Any, ...]:
    """Return a line with another argument."""
    return tuple(new if part == old else part for part in line)


def hostile_inputs() -> Iterator[Line]:
    """Return lines with inputs that are missing, no files, or files of something else."""

    def written(data: bytes, name: str = "x.csv") -> Callable[[Path], None]:
        return lambda folder: (folder / name).write_bytes(data) and None

    files = {
        "nul.csv": b"\0" * 5000,
        "empty.csv": b"",
        "line.csv": b"x" * 10**6,
        "esc.csv": f"source,target,amount,time\n{ESC}a,{ESC}b,1,1\n".encode(),
        "html.csv": b'source,target,amount,time\n<script>alert(1)</script>,"&""\'</style>",1,1\n',
        "bell\x1b[31m.csv": b"source,target\n\x07,\n",
        "fake.npz": b"PK\x03\x04" + b"\0" * 50,
        "fake.parquet": b"PAR1" + b"\xff" * 50 + b"PAR1",
        "fake.json": b"[" * 100_000,
        "fake.html": b"<html></html>",
    }
    paths: list[Any] = ["no.csv", "", ".", "/", "/dev/null", "/dev/full", "/dev/zero", "x" * 5000, "~/x.csv"]
    paths += [
        b"\xff\xfe.csv",
        "\u202ex.csv",
        "edges.csv/",
        "a\nb.csv",
        "store",
        "/proc/self/mem",
        "-" * 3,
        "https://x/y.csv",
    ]
    for name, file in INPUTS.items():
        for path in paths:
            yield Line(f"{name}: input {path!r:.30}", replace(LINES[name], file, path))
        for other, data in files.items():
            yield Line(f"{name}: {other!r}", replace(LINES[name], file, other), before=written(data, other))
        yield Line(f"{name}: stdin closed", replace(LINES[name], file, "-"), closed="stdin")
        yield Line(f"{name}: stdin empty", replace(LINES[name], file, "-"), stdin=b"")
        yield Line(f"{name}: stdin binary", replace(LINES[name], file, "-"), stdin=b"\0\xff" * 999)
        yield Line(
            f"{name}: no permission",
            LINES[name],
            as_user=True,
            before=lambda folder, file=file: (folder / file).chmod(0),
        )


def hostile_outputs() -> Iterator[Line]:
    """Return lines with outputs that cannot be written, or that are inputs."""
    for name, output in OUTPUTS.items():
        ending = Path(output).suffix
        for path in (
            "",
            ".",
            "/dev/full",
            f"no/such/{output}",
            INPUTS.get(name, "edges.csv"),
            f"x{ESC}{ending}",
        ):
            yield Line(f"{name}: output {path!r}", (*LINES[name], "-o", path))
        yield Line(f"{name}: output is long", (*LINES[name], "-o", "x" * 300 + ending))
        yield Line(f"{name}: output to stdout", (*LINES[name], "-o", "-"))
        yield Line(f"{name}: full disk", (*LINES[name], "-o", f"disk/{output}"), full_disk=True)
        yield Line(
            f"{name}: folder without permission",
            (*LINES[name], "-o", output),
            as_user=True,
            before=lambda folder: folder.chmod(0o555),
        )
        yield Line(
            f"{name}: output is a link to the input",
            (*LINES[name], "-o", f"link{ending}"),
            before=lambda folder, name=name, ending=ending: (folder / f"link{ending}").symlink_to(
                INPUTS.get(name, "edges.csv")
            ),
        )
        yield Line(
            f"{name}: output is a folder",
            (*LINES[name], "-o", f"folder{ending}"),
            before=lambda folder, ending=ending: (folder / f"folder{ending}").mkdir(),
        )


def hostile_options() -> Iterator[Line]:
    """Return lines with wrong, repeated, long and contradicting options."""
    numbers = ("-1", "", "1.5", "nan", "1e3", "9" * 30, "1,,2", "٣", "0x10", "1_0", "+1", " 1")
    for name, option in (
        *((name, "-r") for name in ("encode", "pairs", "explain", "explore", "rings", "temporal", "roles")),
        ("similar", "-k"),
        ("recommend", "-k"),
        ("roles", "-k"),
        ("encode", "--threads"),
        ("encode", "--memory"),
        ("encode", "--max-degree"),
        ("embed", "--dim"),
        ("embed", "--seed"),
        ("embed", "--rate"),
        ("links", "--test"),
        ("events", "--windows"),
        ("events", "--radius"),
        ("explore", "--max-nodes"),
        ("temporal", "--window"),
        ("encode", "--weight-bins"),
        ("encode", "--cap"),
    ):
        for number in numbers:
            yield Line(f"{name} {option} {number!r:.20}", (*LINES[name], option, number))
    texts = ("", "no such", ESC, "x" * 100_000, "[red]", "\u202e", b"\xff", "-1", "0", "99")
    for name, option in (
        ("encode", "--source"),
        ("encode", "--labels"),
        ("encode", "--vocabulary"),
        ("encode", "--delimiter"),
        ("encode", "--comment"),
        ("encode", "--root"),
        ("encode", "--format"),
        ("events", "--amount"),
        ("events", "--state"),
        ("events", "--time-format"),
        ("events", "--groups"),
        ("rings", "--statistics"),
        ("temporal", "--time"),
        ("compare", "--other-source"),
        ("explore", "--pair"),
        ("explore", "--as-of"),
        ("pairs", "--first"),
        ("embed", "--model"),
        ("update", "--removed"),
    ):
        for text in texts:
            yield Line(f"{name} {option} {text!r:.20}", (*LINES[name], option, text))
    for name, line in LINES.items():
        yield Line(f"{name}: unknown option", (*line, "--no-such-option"))
        yield Line(f"{name}: one argument more", (*line, "x", "y", "z"))
        yield Line(f"{name}: no arguments", (name,))
        yield Line(f"{name}: --json twice", (*line, "--json", "--json"))
        yield Line(f"{name}: --json --quiet", (*line, "--json", "-q"))
    nodes = ("no", "", ESC, "[/red]", "<b>", "\u202e", "x" * 100_000, b"\xff", "a\nb", "-1")
    for name in ("recommend", "similar", "explain", "show"):
        for node in nodes:
            line = LINES[name]
            yield Line(f"{name} node {node!r:.20}", (*(line[:-1] if len(line) > 2 else line), "--", node))
    for arguments in (
        ("encode", "edges.csv", "--header", "--no-header"),
        ("encode", "edges.csv", "--source", "1", "--target", "1"),
        ("encode", "edges.csv", "--directed", "out", "--degrees", "in_out", "--common"),
        ("encode", "edges.csv", "--rooted", "pair", "--count", "edges"),
        ("encode", "edges.csv", "--engine", "no"),
        ("encode", "edges.csv", "-o", "out", "--degree-rank"),
        ("encode", "edges.csv", "-o", "out.mtx", "--form", "sparse"),
        ("encode", "edges.csv", "-o", "out.csv", "--save-graph"),
        ("encode", "edges.csv", "--vocabulary", "kept.npz", "-r", "7"),
        ("embed", "edges.csv", "--model", "kept.npz"),
        ("events", "events.csv", "--state", "x", "--windows", "5"),
        ("events", "events.csv", "--save-state", "events.csv"),
        ("events", "events.csv", "-o", "out.csv", "--save-state", "out.csv"),
        ("temporal", "events.csv", "--queries", "queries.csv", "--save-vocabulary", "events.csv"),
        ("temporal", "events.csv", "--queries", "queries.csv", "--save-vocabulary", "x.json", "-o", "x.json"),
        ("embed", "edges.csv", "-o", "same.npz", "--save", "same.npz"),
        ("update", "kept.npz", "--added", "added.csv", "--removed", "added.csv", "-o", "out.npz"),
        ("update", "kept.npz", "-o", "out.npz"),
        ("update", "store", "--added", "-"),
        ("compare", "-", "-"),
        ("pairs", "-", "-"),
        ("temporal", "-", "--queries", "-"),
        ("encode", "-", "--labels", "-"),
        ("compare", "edges.csv"),
        ("explore", "edges.csv", "edges.csv", "edges.csv"),
        ("links", "train", "edges.csv"),
        ("no-such-command",),
        (),
        (b"\xff",),
        ("encode", *["edges.csv"] * 5000),
        ("--install-completion", "no-such-shell"),
        ("-1",),
    ):
        yield Line(f"egonet {' '.join(map(str, arguments))[:60]}", arguments)


def hostile_surroundings() -> Iterator[Line]:
    """Return valid lines with closed streams, full devices and unusual variables."""
    variables: dict[str, dict[str, str | None]] = {
        "LANG=C": {"LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        "ascii": {"PYTHONIOENCODING": "ascii"},
        "no HOME": {"HOME": None},
        "HOME missing": {"HOME": "/no/such"},
        "TERM=dumb": {"TERM": "dumb", "FORCE_COLOR": "1"},
        "COLUMNS=1": {"COLUMNS": "1", "LINES": "1"},
        "COLUMNS=x": {"COLUMNS": "x"},
        "no PATH": {"PATH": None},
        "TMPDIR missing": {"TMPDIR": "/no/such"},
        "threads": {"EGONET_THREADS": "x"},
        "no threads": {"EGONET_THREADS": "0"},
    }
    for name, line in LINES.items():
        for said, change in variables.items():
            yield Line(f"{name}: {said}", line, environment=change)
        for stream in ("stdin", "stdout", "stderr"):
            yield Line(f"{name}: {stream} closed", line, closed=stream)
        yield Line(f"{name}: stdout full", line, stdout="/dev/full")
        yield Line(f"{name}: pipe closes", line, pipe_closes=True)
    for name in OUTPUTS:
        if name not in ("update", "demo"):
            yield Line(f"{name}: -o - into a full device", (*LINES[name], "-o", "-"), stdout="/dev/full")
            yield Line(f"{name}: -o - into a pipe that closes", (*LINES[name], "-o", "-"), pipe_closes=True)


def all_lines() -> list[Line]:
    """Return every line."""
    return [*hostile_inputs(), *hostile_outputs(), *hostile_options(), *hostile_surroundings()]


def content(folder: Path) -> dict[str, str]:
    """Return the digest of every file below a folder."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = os.fsencode(path.relative_to(folder)).decode("utf-8", "backslashreplace")
        found[name] = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "no file"
    return found


def start_as(line: Line) -> None:
    """Prepare a process: limits, closed streams, permissions."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    if line.closed:
        os.close({"stdin": 0, "stdout": 1, "stderr": 2}[line.closed])
    if line.as_user:
        for capability in (DAC_OVERRIDE, DAC_READ_SEARCH):
            ctypes.CDLL(None).prctl(CAPBSET_DROP, capability, 0, 0, 0)


def run_line(line: Line, inputs: Path, place: Path) -> list[str]:
    """Run one line in a copy of the inputs and return what is wrong."""
    folder = place / "work"
    shutil.copytree(inputs, folder)
    folder.chmod(0o755)
    if line.before:
        line.before(folder)
    if line.full_disk:
        (folder / "disk").mkdir()
        options = "size=4k,nr_inodes=3"
        subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder / "disk"], check=True)
    before = content(folder)
    try:
        # A new interpreter where it matters how one starts; otherwise a copy of this one, which starts at once.
        is_new = line.environment or line.closed or line.as_user
        status, out, said = (run_new if is_new else run_copy)(line, folder)
        return judge(line, status, out, said, before, folder)
    except (OSError, ValueError) as error:
        if "Argument list too long" in str(error) or "embedded null" in str(error):
            return []
        return [f"not started: {error}"]
    finally:
        folder.chmod(0o755)
        if line.full_disk:
            subprocess.run(["umount", folder / "disk"], check=True)
        shutil.rmtree(folder)


def run_new(line: Line, folder: Path) -> tuple[int, bytes, bytes]:
    """Run a line in a new interpreter and return its status and what it wrote."""
    environment = {**os.environ, "COLUMNS": "80", **line.environment}
    with ExitStack() as opened:
        target: Any = opened.enter_context(open(line.stdout, "wb")) if line.stdout else subprocess.PIPE
        process = subprocess.Popen(
            [sys.executable, "-m", "egonet", *line.arguments],
            cwd=folder,
            env={name: value for name, value in environment.items() if value is not None},
            stdin=subprocess.PIPE if line.stdin is not None else subprocess.DEVNULL,
            stdout=target,
            stderr=subprocess.PIPE,
            preexec_fn=partial(start_as, line),
        )
        if line.pipe_closes and process.stdout:
            process.stdout.close()
            process.stdout = None
        out, said = process.communicate(line.stdin)
    return process.returncode, out or b"", said or b""


def run_copy(line: Line, folder: Path) -> tuple[int, bytes, bytes]:
    """Run a line in a copy of this process and return its status and what it wrote."""
    with (
        tempfile.TemporaryFile() as given,
        tempfile.TemporaryFile() as out,
        tempfile.TemporaryFile() as said,
    ):
        given.write(line.stdin or b"")
        given.seek(0)
        child = os.fork()
        if not child:
            with suppress(BaseException):
                be_command(line, folder, given.fileno(), out.fileno(), said.fileno())
            os._exit(99)
        _, status = os.waitpid(child, 0)
        out.seek(0)
        said.seek(0)
        return os.waitstatus_to_exitcode(status), out.read(), said.read()


def be_command(line: Line, folder: Path, given: int, out: int, said: int) -> None:
    """Run a line in this process, and end it."""
    os.chdir(folder)
    if line.stdout:
        out = os.open(line.stdout, os.O_WRONLY)
    if line.pipe_closes:
        reading, out = os.pipe()
        os.close(reading)
    for number, stream in enumerate((given, out, said)):
        os.dup2(stream, number)
    sys.stdin, sys.stdout, sys.stderr = (
        os.fdopen(number, mode, closefd=False, encoding="utf-8", errors=errors)
        for number, mode, errors in ((0, "r", "strict"), (1, "w", "strict"), (2, "w", "backslashreplace"))
    )
    start_as(line)
    sys.argv = ["egonet", *(os.fsdecode(part) for part in line.arguments)]
    os.environ["COLUMNS"] = "80"
    status = 97
    try:
        main()
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 1
    except BaseException:  # noqa: BLE001 - a traceback is what this program looks for
        traceback.print_exc()
        status = 1
    try:
        if sys.stdout is not None and not sys.stdout.closed:
            sys.stdout.flush()
    except OSError:
        status = 120
    with suppress(OSError):
        sys.stderr.flush()
    os._exit(status)


def judge(
    line: Line, status: int, out: bytes, said: bytes, before: dict[str, str], folder: Path
) -> list[str]:
    """Return the rules that a process broke."""
    wrong = []
    text, after = said.decode("utf-8", "backslashreplace"), content(folder)
    if status not in (0, 1, 2, 130):
        wrong.append(f"exit status {status}")
    if "Traceback" in text or ("EGONET_DEBUG" in text and not line.stdout):
        wrong.append("a traceback")
    if any(not (c.isprintable() or c in "\n\r") for c in text) and "FORCE_COLOR" not in line.environment:
        wrong.append("control characters on stderr")
    if any(c in out for c in (b"\x1b", b"\x07")) and "FORCE_COLOR" not in line.environment:
        wrong.append("control characters on stdout")
    if status == 2 and out:
        wrong.append("output and an error")
    changed = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
    if status == 2 and changed:
        wrong.append(f"an error, and changed {sorted(changed)[:3]}")
    if any(before.get(name) != after.get(name) for name in before if not line.full_disk) and line.arguments[
        :1
    ] != ("update",):
        wrong.append("an input changed")
    if status == 0 and not line.closed and "Error" in text:
        wrong.append("an error with status 0")
    if len(text) > 5000:
        wrong.append(f"{len(text):,} characters on stderr")
    return [*wrong, f"status {status}", text[-400:]] if wrong else []


def run(seed: int, lines: int, seconds: float, say: Callable[[str], None]) -> Counter[str]:
    """Run some lines, drawn without repetition, and report each that breaks a rule."""
    chosen = all_lines()
    Random(seed).shuffle(chosen)
    counts: Counter[str] = Counter()
    end = time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        place.chmod(0o755)
        (place / "inputs").mkdir()
        for module in pkgutil.walk_packages(egonet.__path__, "egonet."):
            if "cuda" not in module.name and "__main__" not in module.name:
                import_module(module.name)  # once, instead of in every copy of this process
        child = os.fork()  # threads of this process would not be in its copies
        if not child:
            prepare(place / "inputs")
            os._exit(0)
        os.waitpid(child, 0)
        for line in chosen[:lines]:
            if time.monotonic() > end:
                break
            wrong = run_line(line, place / "inputs", place)
            counts["failed" if wrong else "passed"] += 1
            if wrong:
                say(f"{line.name}: {wrong}")
    return counts
