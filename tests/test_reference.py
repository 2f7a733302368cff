"""The reference lists every public name, and every signature and docstring says what can be given."""

import importlib.util
import inspect
import re
import sys
from pathlib import Path

import pytest

import egonet

DOCS = Path(__file__).parent.parent / "docs"


def load(name):
    """Return a module of the folder docs, which is no package."""
    sys.path.insert(0, str(DOCS))
    try:
        spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(DOCS))
    return module


reference = load("check_reference")
NAMES = reference.public_names()


def find(name, need):
    """Return a public thing; skip where the package that it is for is not installed."""
    for part, package in {"pyg": "torch_geometric", "Add": "torch_geometric", "EgoInput": "torch"}.items():
        if part in name:
            need(package)
    if name.endswith(("Encoder", "EgoEmbedding", "LinkPredictor")):
        need("sklearn")
    return reference.find(name)


def headings(doc, section="Parameters"):
    """Return the names in the headings of a section of a numpydoc docstring."""
    part = re.search(rf"^{section}\n-+\n(.*?)(?=^\w[^\n]*\n---|\Z)", inspect.cleandoc(doc), re.M | re.S)
    lines = part[1].splitlines() if part else []
    return [
        name.strip() for line in lines if line[:1].strip() for name in line.partition(" : ")[0].split(",")
    ]


def test_headings_are_the_names_of_a_section():
    doc = "Text.\n\nParameters\n----------\na, b\n    Two.\nc : int\n    One.\n\nNotes\n-----\nNo."

    assert headings(doc) == ["a", "b", "c"]


def test_every_public_name_is_on_the_page():
    listed = {name.split(".")[1] for name in NAMES}
    others = {"EgonetError", "named"}  # exceptions, and a module with a section of its own

    assert {name for name in egonet.__all__ if name not in listed} == others


@pytest.mark.parametrize("name", NAMES)
def test_signatures_list_every_keyword_and_docstrings_describe_it(name, need):
    thing = find(name, need)
    parameters = inspect.signature(thing).parameters.values()
    doc = inspect.getdoc(thing)

    assert double_stars(thing) == []
    if name == "egonet.Encoding":  # made by `encode`, not by users
        return
    described = headings(doc) or headings(doc, "Attributes")
    missing = [each.name for each in parameters if each.name not in described]
    assert missing == [] or not described  # a function of one line has no list


def double_stars(thing):
    """Return the parameters `**options` in the signature of a function."""
    return [
        str(each) for each in inspect.signature(thing).parameters.values() if each.kind is each.VAR_KEYWORD
    ]


@pytest.mark.parametrize("name", NAMES)
def test_signatures_of_methods_list_every_keyword(name, need):
    thing = find(name, need)
    if not inspect.isclass(thing):
        return
    methods = {member: getattr(thing, member) for member in reference.members(thing)}
    methods = {member: each for member, each in methods.items() if callable(each)}
    for name_of_sklearn in ("fit_transform", "set_params"):  # which have **fit_params and **params there
        methods.pop(name_of_sklearn, None)

    assert {member: double_stars(each) for member, each in methods.items() if double_stars(each)} == {}


@pytest.mark.parametrize("name", ["encode", "GraphEncoder", "NodeEncoder", "TemporalEncoder", "EgoEmbedding"])
def test_every_setting_is_in_the_signature_and_in_the_list_of_parameters(name, need):
    thing = find(f"egonet.{name}", need)
    settings = set(inspect.signature(egonet.Settings).parameters) - {"labels", "edge_labels"}

    assert settings <= set(inspect.signature(thing).parameters)
    assert settings <= set(headings(inspect.getdoc(thing)))


@pytest.mark.parametrize("name", NAMES)
def test_every_public_member_has_a_docstring(name, need):
    thing = find(name, need)
    if not inspect.isclass(thing):
        return
    bare = [
        member
        for member in reference.members(thing)
        if not inspect.getdoc(inspect.getattr_static(thing, member))
    ]
    assert bare == []


@pytest.mark.parametrize("name", NAMES)
def test_every_public_member_has_an_example(name, need):
    thing = find(name, need)
    if not inspect.isclass(thing):
        return
    docs = {
        member: inspect.getdoc(inspect.getattr_static(thing, member)) for member in reference.members(thing)
    }
    assert [member for member, doc in docs.items() if ">>>" not in doc] == []


def test_the_check_names_what_an_inventory_lacks(tmp_path):
    import zlib

    lines = "".join(f"{name} py:function 1 api/{name}.html -\n" for name in NAMES if name != "egonet.encode")
    (tmp_path / "objects.inv").write_bytes(
        b"# Sphinx\n# Project\n# Version\n# zlib\n" + zlib.compress(lines.encode())
    )

    assert "objects.inv has no egonet.encode\n" in reference.main(str(tmp_path))
    assert "objects.inv has no egonet.Encoding.to_pandas" in reference.main(str(tmp_path))


def test_every_page_has_a_markdown_copy_and_a_line_in_llms_txt(tmp_path, need):
    for package in ("torch_geometric", "sklearn", "duckdb"):
        need(package)
    load("write_markdown").write(tmp_path)

    index = (tmp_path / "llms.txt").read_text()
    copies = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.md")}
    sources = {str(path.relative_to(DOCS)) for path in DOCS.rglob("*.md") if "gallery" not in path.parts}
    assert sources <= copies
    assert set(re.findall(r"\]\(([^)]+)\)", index)) == copies - {"index.md"}
    assert "- [When it helps](when_it_helps.md): " in index
    assert "- [Features of pairs](pairs.md): A link, a payment or a relation is a pair of nodes." in index
    assert "{toctree}" not in (tmp_path / "guide.md").read_text()
    start = (tmp_path / "index.md").read_text()
    assert "](_images/two_molecules.svg)" in start
    assert start.rstrip().endswith("raises an error before it starts.")
    for page in tmp_path.glob("*.md"):
        links = re.findall(r"\]\(([^)#\s]+)[^)]*\)", re.sub(r"```.*?```", "", page.read_text(), flags=re.S))
        inner = [link for link in links if "://" not in link and not link.startswith("_images/")]
        assert [link for link in inner if not (tmp_path / link).exists()] == [], page.name
    assert "egonet.encode(friends, radius=1)" in (tmp_path / "index.md").read_text()
    assert "radius=2, degrees='total'" in (tmp_path / "api" / "egonet.encode.md").read_text()
    assert "```python\nfrom matplotlib" in (tmp_path / "gallery" / "two_molecules.md").read_text()


@pytest.mark.parametrize("name", [name for name in NAMES if name.rpartition(".")[2][0].isupper()])
def test_the_template_leaves_out_no_method_that_a_class_of_egonet_defines(name, need):
    """`make docs` finds it too, but that takes minutes."""
    template = (DOCS / "templates" / "autosummary" / "class.rst").read_text("utf-8")
    left_out = re.findall(r"\w+", re.search(r":exclude-members: (.*)", template)[1])

    assert "set_output" in left_out
    assert set(left_out) & set(reference.members(find(name, need))) == set()
