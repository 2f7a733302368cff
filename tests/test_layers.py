"""The layout of the package: imports point one way, no cycles, small functions, unique names, a light import."""

import ast
import subprocess
import sys
import tomllib
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

import egonet

SOURCE = Path(__file__).parent.parent / "src" / "egonet"
NATIVE = SOURCE.parent.parent / "native"
#: What a build leaves in folders of sources.
IGNORED = {".pyc", ".so", ".pyd"}

#: Packages and top-level modules from the bottom up; imports, lazy ones included, point to lower layers only.
LAYERS = [
    {"errors", "notebook", "typing", "version"},
    {"_native"},
    {"graph", "kernel", "io"},
    {"attributes"},
    {"encoding"},
    {"explanation", "duckdb", "accessors", "sklearn", "pyg", "nn", "wl", "store"},
    {"embeddings"},
    {"pairs", "temporal"},
    {"viz"},
    {"__init__"},
    {"cli"},
    {"__main__"},
]
LAYER = {package: number for number, packages in enumerate(LAYERS) for package in packages}
#: The base layers may import each other as long as no two files form a cycle.
BASE = {"graph", "kernel", "io"}
USES_NATIVE = {"attributes", "graph", "kernel", "wl", "io", "store"}
#: Methods that draw: `encoding.plot()`, `encoding.explore()` and `explanation.plot()` import the drawing code on use.
DRAWING_METHODS = {("encoding.encoding", "viz"), ("explanation.explain", "viz")}
#: Methods whose parameters scikit-learn reads from the signature: every setting is one.
ESTIMATORS = {
    f"{name}.__init__"
    for name in (
        "embeddings.transformer.EgoEmbedding",
        "pairs.pair_encoder.PairEncoder",
        "sklearn.graph_encoder.GraphEncoder",
        "sklearn.node_encoder.NodeEncoder",
        "temporal.temporal_encoder.TemporalEncoder",
    )
}
#: Functions with many options. Kernels take arrays and plain values, because they know neither `Graph` nor `Settings`.
LONG = {
    "kernel.cuda.backend.encode_rows": 12,
    "kernel.native_pairs.encode_pair_rows": 13,
    "kernel.native.encode_rows": 13,
    "kernel.native.in_out_rows": 11,
    "kernel.native.pair_rows": 8,
    "kernel.native.refined_rows": 8,
    "kernel.reference_pairs.encode_pair_rows": 11,
    "kernel.reference.encode_rows": 9,
    "kernel.reference_pairs.window_rows": 9,
    "store.spark_driver.spark": 12,
}
#: The most parameters of a function that users call, options included, and of any other function.
MAX_PUBLIC = 12
# Features of edges, pairs and time, estimators in production, explanations and data frames have their own modules.
MAX_PARAMETERS, MAX_LINES, MAX_FILES, MAX_MODULES = 7, 60, 15, 140


def modules():
    return sorted(SOURCE.rglob("*.py"))


def name_of(path):
    """Return the dotted name of a module inside the package, such as "encoding.update"."""
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1]) or "__init__" if parts[-1] == "__init__" else ".".join(parts)


NAMES = {name_of(path): path for path in modules()}


@cache
def tree_of(path):
    return ast.parse(path.read_text())


@cache
def imports_of(path):
    """Return {imported module: line} for every import of egonet, also inside functions, but not for type checkers."""
    found = {}
    tree = tree_of(path)
    skipped = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for part in node.body
        for inner in ast.walk(part)
    }
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "egonet":
            package = node.module.removeprefix("egonet").removeprefix(".")
            for alias in node.names:
                inner = f"{package}.{alias.name}".removeprefix(".")
                found[inner if inner in NAMES or inner == "_native" else package or "__init__"] = node.lineno
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "egonet":
                    found[alias.name.removeprefix("egonet").removeprefix(".") or "__init__"] = node.lineno
    return found


IMPORTS = {name: imports_of(path) for name, path in NAMES.items()}


@pytest.mark.parametrize("name", NAMES)
def test_imports_point_to_lower_layers(name):
    package = name.split(".")[0]
    assert package in LAYER, f"{name} belongs to no layer: add it to LAYERS"

    for imported, line in IMPORTS[name].items():
        other = imported.split(".")[0]
        if imported == "_native":
            assert package in USES_NATIVE, f"{name}, line {line}: only {USES_NATIVE} call the C++ core"
        elif other != package and (name, other) not in DRAWING_METHODS and not {package, other} <= BASE:
            assert LAYER[other] < LAYER[package], f"{name}, line {line}: {package} must not import {other}"


def test_no_import_cycle_between_files():
    graph = {
        name: [
            other for other in found if other in NAMES and (name, other.split(".")[0]) not in DRAWING_METHODS
        ]
        for name, found in IMPORTS.items()
    }
    done = set()

    def visit(name, path):
        assert name not in path, f"import cycle: {' → '.join([*path[path.index(name) :], name])}"
        if name not in done:
            for other in graph[name]:
                visit(other, [*path, name])
            done.add(name)

    for name in graph:
        visit(name, [])


def functions():
    """Yield (name, node) of every function of the package."""
    for module, path in NAMES.items():
        tree = tree_of(path)
        owners = {
            id(inner): f"{node.name}."
            for node in ast.walk(tree)
            if isinstance(node, ast.ClassDef)
            for inner in node.body
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                yield f"{module}.{owners.get(id(node), '')}{node.name}", node


def lines_of(node):
    """Return how many lines of code a function has, its docstring left out."""
    body = node.body[1:] if ast.get_docstring(node) is not None else node.body
    return body[-1].end_lineno - body[0].lineno + 1 if body else 0


def parameters_of(node):
    names = [argument.arg for argument in [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]]
    return len([name for name in names if name not in ("self", "cls")])


def test_functions_are_short():
    long = {name: lines_of(node) for name, node in functions() if lines_of(node) > MAX_LINES}

    assert long == {}


def test_functions_have_few_parameters():
    found = {name: parameters_of(node) for name, node in functions() if name not in ESTIMATORS}
    public = {name for name in found if not {*name.split(".")[1:]}.isdisjoint(egonet.__all__)}
    most = {name: MAX_PUBLIC if name in public else MAX_PARAMETERS for name in found} | LONG

    assert {name: count for name, count in found.items() if count > most[name]} == {}
    assert {name for name, count in LONG.items() if found[name] != count} == set()


def test_encode_has_at_most_twelve_parameters():
    (count,) = [parameters_of(node) for name, node in functions() if name == "encoding.encode.encode"]

    assert count <= 12


def test_no_file_stem_and_no_class_name_is_used_twice():
    stems = Counter(path.stem for path in modules() if not path.stem.startswith("__"))
    classes = Counter(
        node.name for path in modules() for node in ast.walk(tree_of(path)) if isinstance(node, ast.ClassDef)
    )

    assert [stem for stem, count in stems.items() if count > 1] == []
    assert [name for name, count in classes.items() if count > 1] == []


def test_folders_and_the_package_are_small():
    files = [path for top in (SOURCE, NATIVE) for path in top.rglob("*.*") if path.suffix not in IGNORED]
    folders = Counter(path.parent for path in files if not path.name.startswith("__"))

    assert {str(folder): count for folder, count in folders.items() if count > MAX_FILES} == {}
    assert len(modules()) <= MAX_MODULES


def test_files_have_at_most_400_lines():
    tests = Path(__file__).parent.rglob("*.py")
    native = [*NATIVE.rglob("*.hpp"), *NATIVE.rglob("*.cpp")]
    files = [*modules(), *tests, *native]

    assert [str(path) for path in files if len(path.read_text("utf-8").splitlines()) > 400] == []


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(SOURCE)))
def test_every_module_says_in_one_sentence_what_it_is(path):
    docstring = ast.get_docstring(tree_of(path))

    assert docstring, f"{path} has no docstring"
    assert docstring.splitlines()[0].endswith(".")


def test_the_package_knows_nothing_of_the_experiments():
    for path in modules():
        for node in ast.walk(tree_of(path)):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else names
            assert all(name.split(".")[0] != "experiments" for name in names), f"{path} imports experiments"


def test_the_package_trains_nothing_with_torch():
    training = ("torch.optim", "torch.autograd", ".backward(", "import triton")

    found = [(path.name, word) for path in modules() for word in training if word in path.read_text()]

    assert found == []


def test_the_wheel_is_made_of_the_package_alone():
    project = tomllib.loads((SOURCE.parent.parent / "pyproject.toml").read_text())

    assert project["tool"]["scikit-build"]["wheel"]["packages"] == ["src/egonet"]
    assert not any((SOURCE / name).exists() for name in ("experiments", "nets"))


def test_importing_egonet_loads_nothing_heavier_than_scipy():
    heavy = "torch pandas polars pyarrow networkx igraph sklearn matplotlib typer rich pyspark cupy torch_geometric "
    heavy += "scipy.spatial"
    program = f"import egonet, sys; print([name for name in {heavy.split()!r} if name in sys.modules])"

    printed = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout

    assert printed.strip() == "[]"
