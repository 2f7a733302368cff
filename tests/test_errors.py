"""Messages: marked options, and options that are True or False, for which anything else is an error."""

import ast
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import egonet
from contracts.parts import need
from egonet.errors import FileError, InputError, in_python, option, rename_options, render

for package in ("matplotlib", "pandas", "sklearn", "torch", "torch_geometric"):
    need(package)

EDGES = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")]


def folder_of(tmp_path: Path) -> Path:
    """Return a store."""
    egonet.store.encode(EDGES, tmp_path / "store", radius=1)
    return tmp_path / "store"


def drawn(**flags: Any) -> Any:
    """Draw the classes of a graph."""
    from egonet.viz.plot import draw_classes

    return draw_classes(egonet.as_graph(EDGES), [0, 0, 1, 2], **flags)


def text(tmp_path: Path) -> Path:
    """Return a file of two edges without a header."""
    (tmp_path / "edges.txt").write_text("1 2\n2 3\n")
    return tmp_path / "edges.txt"


FLAGS: dict[str, Callable[[Any, Path], Any]] = {
    "frontier_edges": lambda value, _: egonet.encode(EDGES, 1, frontier_edges=value),
    "common": lambda value, _: egonet.encode(EDGES, 1, common=value),
    "without_edge": lambda value, _: egonet.encode_pairs(EDGES, [("a", "d")], 1, without_edge=value),
    "ordered": lambda value, _: egonet.encode_pairs(EDGES, [("a", "d")], 1, ordered=value),
    "graph": lambda value, path: egonet.encode(EDGES, 1).save(path / "a.npz", graph=value),
    "dense": lambda value, _: egonet.encode(EDGES, 1).to_torch(dense=value),
    "sparse": lambda value, _: egonet.encode(EDGES, 1).to_pandas(sparse=value),
    "names": lambda value, _: drawn(names=value),
    "numbers": lambda value, _: drawn(numbers=value),
    "verify": lambda value, path: egonet.load(folder_of(path), verify=value),
    "verify of an update": lambda value, path: egonet.store.update(
        folder_of(path), [("a", "d")], verify=value
    ),
    "repair": lambda value, path: egonet.store.verify(folder_of(path), repair=value),
    "dry_run": lambda value, path: egonet.store.spark(EDGES, path / "out", radius=1, dry_run=value),
    "refine": lambda value, _: egonet.equivalent(EDGES, EDGES, test="1-wl", refine=value),
    "types": lambda value, _: egonet.AddEgoEncoding(1, max_degree=3, types=value),
    "sparse of PyG": lambda value, _: egonet.AddEgoEncoding(1, "code", max_degree=3, sparse=value),
    "mlp": lambda value, _: egonet.EgoInput(["a"], 2, mlp=value),
    "log": lambda value, _: egonet.EgoInput(["a"], 2, log=value),
    "lazy": lambda value, _: egonet.Walks(lazy=value),
    "decay": lambda value, _: egonet.Training(decay=value),
    "labeled": lambda value, _: egonet.GraphEncoder(labeled=value).fit([EDGES]),
}
WITH_MORE_VALUES: dict[str, Callable[[Any, Path], Any]] = {
    "header": lambda value, path: egonet.read_graph(text(path), header=value),
    "directed": lambda value, _: egonet.as_graph(EDGES, directed=value),
    "progress": lambda value, _: egonet.encode(EDGES, 1, progress=value),
    "sparse_output": lambda value, _: egonet.GraphEncoder(sparse_output=value).fit([EDGES]),
}


@pytest.mark.parametrize("value", ["no", 0, 1, None, np.array([True, False])], ids=repr)
@pytest.mark.parametrize("flag", FLAGS)
def test_flags_must_be_true_or_false(flag, value, tmp_path):
    with pytest.raises(InputError, match=rf"^{flag.split()[0]} must be True or False, got "):
        FLAGS[flag](value, tmp_path)


@pytest.mark.parametrize("value", ["no", 0, 1, np.array([True, False])], ids=repr)
@pytest.mark.parametrize("option", WITH_MORE_VALUES)
def test_options_with_more_values_than_true_and_false_take_no_others(option, value, tmp_path):
    with pytest.raises(InputError, match=rf"^(.*: )?{option} must be "):
        WITH_MORE_VALUES[option](value, tmp_path)


def test_header_0_of_pandas_raises(tmp_path):
    """In pandas 0 is the row of the header; here it would have meant that there is none."""
    with pytest.raises(InputError, match="header must be True, False or None, got 0"):
        egonet.read_graph(text(tmp_path), header=0)


def test_flags_may_be_booleans_of_numpy():
    encoding = egonet.encode(EDGES, 1)

    assert encoding.to_torch(dense=np.False_).is_sparse
    assert not encoding.to_torch(dense=np.True_).is_sparse


def test_a_marked_option_is_a_keyword_in_python():
    error = InputError(
        f"Set {option('source', 0)} and {option('header', True)}, or {option('directed', 'out')}; got 'header=7'."
    )

    assert str(error) == "Set source=0 and header=True, or directed=\"out\"; got 'header=7'."
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_an_error_with_a_longer_message_keeps_the_marks():
    inner = InputError(f"Set {option('source')}.")
    outer = FileError(f"a.csv: {inner.marked}")

    assert str(outer) == "a.csv: Set source=."
    assert render(outer.marked, lambda name, value: f"<{name}{value}>") == "a.csv: Set <source()>."
    assert str(InputError(rename_options(outer.marked, {"source": "first"}))) == "a.csv: Set first=."


def test_a_part_for_python_is_not_shown_elsewhere():
    message = f"It has none{in_python(': give keep= to keep some.', '. Give the file.')}"

    assert render(message) == "It has none: give keep= to keep some."
    assert render(message, lambda name, value: name) == "It has none. Give the file."


def test_text_that_looks_like_a_mark_is_none():
    said = str(InputError("a \ue000 b \ue000source\ue002 \ue001"))

    assert said == r"a \ue000 b \ue000source\ue002 \ue001"


def marked_names() -> set[str]:
    """Return the names of all options that the source marks in messages."""
    names = set()
    for path in Path(egonet.__file__).parent.rglob("*.py"):
        if path.parent.name == "cli":
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "option":
                names |= {node.args[0].value} if isinstance(node.args[0], ast.Constant) else set()
    return names


def test_every_marked_option_is_an_option_of_a_command():
    need("typer")
    import typer

    from egonet.cli.commands import app

    commands = typer.main.get_command(app).commands.values()
    switches = {parameter.name for command in commands for parameter in command.params}

    assert marked_names() - switches == set()


def test_a_message_escapes_control_characters_wherever_they_come_from(tmp_path):
    with pytest.raises(egonet.EgonetError, match=r"\\x1b\[31m") as caught:
        egonet.Vocabulary.load(tmp_path / "a\x1b[31m")

    assert str(caught.value).isprintable()


@pytest.mark.parametrize("value", [10**5000, [[10**5000]]], ids=["a number", "in a list"])
def test_an_option_without_a_repr_is_marked_too(value):
    assert "without a repr" in render(f"Leave {option('header', value)} out.")


def test_an_option_with_long_text_is_short():
    assert len(render(option("header", "x" * 1000))) < 80
