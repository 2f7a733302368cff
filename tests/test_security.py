"""Calls and imports that no module may use on user input, found by a scan of every module."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


#: Calls that run what they are given, or open what they are given without a guard.
FORBIDDEN_CALLS = {
    "eval",
    "exec",
    "compile",
    "os.system",
    "os.popen",
    "tempfile.mktemp",
    "yaml.load",
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
    "src/egonet/cli/system_commands.py": (
        {"subprocess"},
        "asks nvidia-smi and java, with fixed arguments and no shell",
    ),
    "src/egonet/store/spark_driver.py": (
        {"subprocess"},
        "asks java for its version, with fixed arguments and no shell",
    ),
    "research/links/zero_shot_graphs.py": (
        {"subprocess"},
        "asks git for files of a checkout, with fixed arguments and no shell",
    ),
    "research/paper/parallel.py": (
        {"subprocess"},
        "starts and ends NVIDIA's service, with fixed arguments and no shell",
    ),
    "research/paper/results.py": (
        {"subprocess"},
        "asks git for the commit, with fixed arguments and no shell",
    ),
    "research/datasets/torch_pickle.py": (
        {"pickle"},
        "its unpicklers admit four names, all of them stand-ins",
    ),
}


def modules():
    every = (path for folder in ("src/egonet", "research") for path in (ROOT / folder).rglob("*.py"))
    return sorted(path for path in every if ROOT / "research" / "tests" not in path.parents)


def name_of(node):
    """Return the dotted name of a called function."""
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


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(ROOT)))
def test_module_never_runs_or_unpickles_user_input(path):
    allowed = EXCEPTIONS.get(str(path.relative_to(ROOT)), (set(), ""))[0]

    assert set(imports_in(path)) & FORBIDDEN_MODULES <= allowed
    for call in calls_in(path):
        name = name_of(call.func)
        assert name not in FORBIDDEN_CALLS, f"line {call.lineno}: {name}"
        given = {keyword.arg: keyword.value for keyword in call.keywords}
        if name in ("np.load", "numpy.load"):
            assert isinstance(given.get("allow_pickle"), ast.Constant), (
                f"line {call.lineno}: say allow_pickle=False"
            )
        if name == "torch.load":
            weights_only = given.get("weights_only", ast.Constant(None))
            assert ast.literal_eval(weights_only) is True, f"line {call.lineno}: say weights_only=True"
        for option, value in (("allow_pickle", False), ("shell", False)):
            if option in given:
                assert ast.literal_eval(given[option]) is value, f"line {call.lineno}: {option}"
        if name.partition(".")[0] in ("requests", "httpx", "pooch") and "verify" in given:
            assert ast.literal_eval(given["verify"]) is True, f"line {call.lineno}: verify"


def test_every_exception_is_still_needed():
    for name, (modules_needed, reason) in EXCEPTIONS.items():
        assert modules_needed <= set(imports_in(ROOT / name)), f"{name}: {reason}"
