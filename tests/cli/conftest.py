"""Ways to run `egonet ...` in a test: in this process, or in a new one."""

import os
import re
import subprocess
import sys
import warnings
from types import SimpleNamespace

import pytest

from contracts.parts import need

need("typer")

from typer.testing import CliRunner  # noqa: E402

from egonet.cli import main as module  # noqa: E402
from egonet.cli.commands import app  # noqa: E402


@pytest.fixture
def attempt(capsys, monkeypatch):
    """Return a function that runs a command in this process, without signal handlers."""
    monkeypatch.setattr(module.signal, "signal", lambda *_: None)
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("NO_COLOR", "1")

    def attempt(*arguments, cwd=None, **environment):
        with monkeypatch.context() as patch, warnings.catch_warnings():
            warnings.simplefilter("always")
            patch.setattr("sys.argv", ["egonet", *map(str, arguments)])
            for name, value in environment.items():
                patch.setenv(name, value)
            if cwd is not None:
                patch.chdir(cwd)
            with pytest.raises(SystemExit) as done:
                module.main()
        printed = capsys.readouterr()
        return SimpleNamespace(returncode=done.value.code, stdout=printed.out, stderr=printed.err)

    return attempt


@pytest.fixture
def run(attempt):
    """Return a function that runs a command and asserts its exit status."""

    def run(*arguments, status=0, **more):
        done = attempt(*arguments, **more)
        assert done.returncode == status, done.stderr
        return done

    return run


#: Lines of progress, which a phase of more than two seconds writes on a busy machine.
PROGRESS = re.compile(r"^[a-z ]+: [^\n]*\d s\n", re.MULTILINE)


@pytest.fixture
def error_of(attempt):
    """Return a function that runs a command and returns its error, which is one sentence with exit status 2."""

    def error_of(*arguments):
        done = attempt(*arguments)
        assert done.returncode == 2, done.stderr
        said = PROGRESS.sub("", done.stderr)
        assert said.startswith("egonet: ")
        return said.removeprefix("egonet: ").rstrip("\n")

    return error_of


@pytest.fixture
def call(tmp_path, monkeypatch):
    """Return a function that runs a command in `tmp_path` and lets exceptions of the library through."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments):
        done = CliRunner().invoke(app, list(map(str, arguments)))
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        return done

    return call


@pytest.fixture
def run_process():
    """Return a function that runs a command in a new process."""

    def run_process(*arguments, check=True, **environment):
        done = subprocess.run(
            [sys.executable, "-m", "egonet", *map(str, arguments)],
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="surrogateescape",
            env={**os.environ, "NO_COLOR": "1", "COLUMNS": "120", **environment},
            timeout=120,
            check=False,
        )
        assert not check or done.returncode == 0, done.stderr
        return done

    return run_process


@pytest.fixture
def piped():
    """Return a function that makes bytes the stdin of this process."""
    before = os.dup(0)

    def piped(content):
        source, target = os.pipe()
        os.write(target, content)
        os.close(target)
        os.dup2(source, 0)
        os.close(source)

    yield piped
    os.dup2(before, 0)
    os.close(before)


@pytest.fixture
def edges(tmp_path):
    """Return a file with a triangle a, b, c and an edge from c to d."""
    path = tmp_path / "edges.csv"
    path.write_text("src,dst\na,b\nb,c\nc,a\nc,d\n")
    return path


@pytest.fixture
def molecules(tmp_path):
    """Return the files of decalin and bicyclopentyl."""
    ring = [(v, (v + 1) % 10) for v in range(10)]
    rings = [(ring + v, ring + (v + 1) % 5) for ring in (0, 5) for v in range(5)]
    paths = []
    for name, edges in (("decalin", [*ring, (0, 5)]), ("bicyclopentyl", [*rings, (0, 5)])):
        paths.append(tmp_path / f"{name}.csv")
        paths[-1].write_text("source,target\n" + "".join(f"{u},{v}\n" for u, v in edges))
    return paths


@pytest.fixture
def triangle(tmp_path):
    """Return a text file with the same edges as `edges`."""
    (tmp_path / "edges.txt").write_text("a b\nb c\nc a\nc d\n")
    return tmp_path / "edges.txt"
