"""What no code of the package may do with what a user gives it, held by a scan of every module."""

import ast
import os
import stat
from pathlib import Path

import pytest

from egonet.io.atomic import atomic_path, temporary_name

SOURCE = Path(__file__).parent.parent / "src" / "egonet"
#: Calls that run what they are given, or open what they are given without a guard.
FORBIDDEN_CALLS = {
    "eval",
    "exec",
    "compile",
    "os.system",
    "os.popen",
    "tempfile.mktemp",
    "yaml.load",
    "torch.load",
}
FORBIDDEN_MODULES = {
    "pickle",
    "cPickle",
    "dill",
    "cloudpickle",
    "shelve",
    "marshal",
    "yaml",
    "subprocess",
    "xmlrpc",
}
#: Module → what it may import nevertheless, and why.
EXCEPTIONS = {
    "experiments/torch_pickle.py": (
        {"pickle"},
        "its unpicklers admit four names, all of them stand-ins of its own",
    ),
    "experiments/beside.py": (
        {"subprocess"},
        "starts and ends NVIDIA's service, with fixed words and no shell",
    ),
    "experiments/results.py": ({"subprocess"}, "asks git for the commit, with fixed words and no shell"),
}


def modules():
    return sorted(SOURCE.rglob("*.py"))


def name_of(node):
    """Return a call's function as dotted words."""
    if isinstance(node, ast.Attribute):
        return f"{name_of(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def calls_in(path):
    return [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]


def imports_in(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.split(".")[0]


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(SOURCE)))
def test_nothing_runs_or_unpickles_what_a_user_gives(path):
    allowed = EXCEPTIONS.get(str(path.relative_to(SOURCE)), (set(), ""))[0]

    assert set(imports_in(path)) & FORBIDDEN_MODULES <= allowed
    for call in calls_in(path):
        name = name_of(call.func)
        assert name not in FORBIDDEN_CALLS, f"line {call.lineno}: {name}"
        words = {word.arg: word.value for word in call.keywords}
        if name in ("np.load", "numpy.load"):
            assert isinstance(words.get("allow_pickle"), ast.Constant), (
                f"line {call.lineno}: say allow_pickle=False"
            )
        for word, value in (("allow_pickle", False), ("shell", False), ("verify", True)):
            if word in words:
                assert ast.literal_eval(words[word]) is value, f"line {call.lineno}: {word}"


def test_every_exception_is_still_needed():
    for name, (modules_needed, reason) in EXCEPTIONS.items():
        assert modules_needed <= set(imports_in(SOURCE / name)), f"{name}: {reason}"


def test_temporary_names_cannot_be_foreseen_and_stay_in_the_folder(tmp_path):
    names = {temporary_name(tmp_path / "out.csv") for _ in range(100)}

    assert len(names) == 100
    assert {name.parent for name in names} == {tmp_path}
    assert all(name.suffix == ".csv" for name in names)


def test_a_file_is_created_for_its_writer_alone_if_the_mask_says_so(tmp_path):
    before = os.umask(0o077)
    try:
        with atomic_path(tmp_path / "out.csv") as temporary:
            during = stat.S_IMODE(temporary.stat().st_mode)
            temporary.write_text("x")
    finally:
        os.umask(before)

    assert during == 0o600
    assert stat.S_IMODE((tmp_path / "out.csv").stat().st_mode) == 0o600


def test_a_temporary_file_is_never_written_through_a_link(tmp_path, monkeypatch):
    victim = tmp_path / "victim"
    victim.write_text("mine")
    monkeypatch.setattr("secrets.token_hex", lambda _: "0" * 16)
    (tmp_path / (".out." + "0" * 16 + ".part.csv")).symlink_to(victim)

    with (
        pytest.raises(OSError, match=r"out\.csv could not be written: File exists"),
        atomic_path(tmp_path / "out.csv"),
    ):
        pass
    assert victim.read_text() == "mine"


def test_what_a_killed_writer_left_is_removed_and_what_a_living_one_holds_is_not(tmp_path):
    leftover = tmp_path / (".out." + "a" * 16 + ".part.csv")
    leftover.write_text("half")
    with atomic_path(tmp_path / "out.csv") as held:
        assert not leftover.exists()
        with atomic_path(tmp_path / "out.csv") as other:
            other.write_text("second")
        held.write_text("first")

    assert (tmp_path / "out.csv").read_text() == "first"
    assert [path.name for path in tmp_path.iterdir()] == ["out.csv"]
