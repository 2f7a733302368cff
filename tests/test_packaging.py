"""Metadata, workflows and scripts of a release agree with each other; nothing here needs a network or a compiler."""

import hashlib
import importlib.util
import io
import json
import os
import re
import subprocess
import sys
import tarfile
import tomllib
from importlib.machinery import SourceFileLoader
from pathlib import Path

import pytest

import egonet

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
SOURCE = "https://github.com/egonet/egonet"
if not WORKFLOWS or not (ROOT / ".ci").is_dir():
    pytest.skip("The sdist has no workflows and no scripts of CI.", allow_module_level=True)


def script(name):
    """Return a script of .ci as a module."""
    loader = SourceFileLoader(name.replace("-", "_"), str(ROOT / ".ci" / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


def lowest():
    """Return package → version of constraints-lowest.txt."""
    lines = (ROOT / "constraints-lowest.txt").read_text().splitlines()
    return dict(line.split("==") for line in lines if not line.startswith("#"))


def test_the_version_has_one_place_and_copies_that_agree():
    assert "version" in PROJECT["project"]["dynamic"]
    assert PROJECT["tool"]["scikit-build"]["metadata"]["version"]["input"] == "src/egonet/version.py"
    assert f"version: {egonet.__version__}\n" in (ROOT / "CITATION.cff").read_text("utf-8")
    assert f'set version = "{egonet.__version__}"' in (ROOT / "conda" / "meta.yaml").read_text("utf-8")


def test_one_address_is_used_for_the_repository():
    assert PROJECT["project"]["urls"]["Source"] == SOURCE
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob(".github/**/*.*"), *ROOT.glob("paper/*")]
    pages += [ROOT / "CITATION.cff", ROOT / ".zenodo.json", ROOT / "conda" / "meta.yaml"]
    for page in pages:
        found = re.findall(r"https://github\.com/egonet[^\s)\"]*", page.read_text("utf-8"))
        assert all(address.startswith(SOURCE) for address in found), page


def test_supported_pythons_are_the_same_everywhere():
    classifiers = PROJECT["project"]["classifiers"]
    named = [match[1] for text in classifiers if (match := re.search(r":: (3\.[0-9]+)$", text))]
    matrix = json.loads(
        re.search(r"python: (\[.*\])", (ROOT / ".github" / "workflows" / "tests.yml").read_text())[1]
    )

    assert named == matrix
    assert PROJECT["project"]["requires-python"] == f">={named[0]}"
    assert PROJECT["tool"]["mypy"]["python_version"] == named[0]


def test_the_lowest_versions_are_those_that_the_project_allows():
    extras = PROJECT["project"]["optional-dependencies"]
    allowed = dict(
        one.split(">=") for one in PROJECT["project"]["dependencies"] + extras["cli"] + extras["io"]
    )

    assert lowest().keys() == allowed.keys()
    for name, version in lowest().items():
        assert f"{version}.".startswith(f"{allowed[name]}."), name


def test_the_conda_recipe_needs_what_the_package_needs():
    recipe = (ROOT / "conda" / "meta.yaml").read_text("utf-8")
    for requirement in PROJECT["project"]["dependencies"] + PROJECT["build-system"]["requires"]:
        name, _, version = requirement.partition(">=")
        assert f"- {name} >={version}\n" in recipe, requirement


def test_the_conda_recipe_gets_the_checksum_of_the_sdist_of_its_version(tmp_path):
    sdist, info = tmp_path / "egonet-1.2.3.tar.gz", b"Metadata-Version: 2.4\nVersion: 1.2.3\n"
    with tarfile.open(sdist, "w:gz") as files:
        member = tarfile.TarInfo("egonet-1.2.3/PKG-INFO")
        member.size = len(info)
        files.addfile(member, io.BytesIO(info))
    template = (ROOT / "conda" / "meta.yaml").read_text("utf-8")
    recipe = script("conda-recipe").recipe

    made = recipe(template, "1.2.3", sdist)

    assert 'set version = "1.2.3"' in made
    assert f"sha256: {hashlib.sha256(sdist.read_bytes()).hexdigest()}\n" in made
    with pytest.raises(SystemExit, match=r"is version 1\.2\.3, not 1\.2\.4"):
        recipe(template, "1.2.4", sdist)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_pin_actions_and_call_parts_that_exist(path):
    text = path.read_text("utf-8")
    parts = re.findall(r"^    ([a-z-]+)\)", (ROOT / ".ci" / "run").read_text(), re.M)

    for action in re.findall(r"uses: (\S+.*)", text):
        assert action.startswith("./") or re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v[\d.]+", action), action
    for part in re.findall(r"\.ci/run(?: (\S+))?", text):
        assert part in parts
    assert text.count("timeout-minutes:") == text.count("runs-on:")
    assert "permissions:\n  contents: read\n" in text


def test_only_the_release_may_publish_and_it_uses_no_password():
    release = (ROOT / ".github" / "workflows" / "release.yml").read_text("utf-8")
    others = "".join(path.read_text("utf-8") for path in WORKFLOWS if path.stem != "release")

    assert "id-token: write" in release
    assert "attestations: true" in release
    assert "secrets." not in release + others
    assert "write" not in re.sub(r"#.*", "", others)


def test_links_of_the_readme_are_absolute_on_the_package_index():
    text = (ROOT / "README.md").read_text("utf-8")
    page = script("dist").with_absolute_links(text, SOURCE, "1.2.3")

    assert f"]({SOURCE}/blob/v1.2.3/docs/start.md)" in page
    assert "(https://raw.githubusercontent.com/egonet/egonet/v1.2.3/docs/pictures/two_molecules.svg)" in page
    assert all(link.startswith(("https://", "#")) for link in re.findall(r"\]\(([^)\s]+)\)", page))


def test_memory_is_freed_by_the_function_that_windows_needs():
    for path in (ROOT / "native" / "bindings").glob("*.cpp"):
        assert "std::free(" not in path.read_text("utf-8"), f"{path.name}: use egonet::free_memory"


def test_bench_check_fails_above_its_limit_and_passes_below(tmp_path, monkeypatch, capsys):
    bench = script("bench-check")
    monkeypatch.setattr(bench, "cases", lambda _: {"sum": (lambda: bench.counting(), bench.counting)})
    monkeypatch.setattr(bench, "ROUNDS", 1)
    file = tmp_path / "ratios.json"
    monkeypatch.setattr(sys, "argv", ["bench-check", "--file", str(file)])

    file.write_text(json.dumps({"machine": bench.machine(), "ratios": {"sum": 0.01}}))
    with pytest.raises(SystemExit, match="1 of 1 calls are more than 15% slower: sum"):
        bench.main()
    file.write_text(json.dumps({"machine": bench.machine(), "ratios": {"sum": 100.0}}))
    bench.main()
    assert "-99%" in capsys.readouterr().out


@pytest.mark.long
def test_bench_check_fails_if_every_call_is_made_slower(tmp_path, monkeypatch):
    bench = script("bench-check")
    monkeypatch.setattr(bench, "cases", lambda _: {"sum": (bench.counting, bench.counting)})
    file = tmp_path / "ratios.json"
    file.write_text(json.dumps({"machine": bench.machine(), "ratios": {"sum": 1.0}}))
    monkeypatch.setattr(sys, "argv", ["bench-check", "--file", str(file), "--slower", "3"])

    with pytest.raises(SystemExit, match="1 of 1 calls are more than 15% slower: sum"):
        bench.main()


def test_a_call_made_slower_takes_longer_by_that_factor(monkeypatch):
    bench, clock = script("bench-check"), iter(range(1000))
    monkeypatch.setattr(bench.time, "process_time", lambda: next(clock))
    called = []

    bench.slower(lambda: called.append([next(clock) for _ in range(100)]), 1.5)()

    assert 150 <= next(clock) <= 160, "100 ticks of the call and 50 more"
    assert len(called) == 1


def test_ratios_that_differ_too_much_are_not_stored(tmp_path, monkeypatch):
    bench = script("bench-check")
    monkeypatch.setattr(bench, "cases", lambda _: {"sum": (bench.counting, bench.counting)})
    attempts = iter([0.9, 0.8, 1.0, 1.2, 1.1])
    monkeypatch.setattr(bench, "ratio", lambda *_: next(attempts))
    file = tmp_path / "ratios.json"
    monkeypatch.setattr(sys, "argv", ["bench-check", "--file", str(file), "--write"])

    with pytest.raises(SystemExit, match=r"sum: the attempts differ by 40%.*Nothing was written"):
        bench.main()
    assert not file.exists()


def test_another_build_of_the_core_is_imported_in_place_of_an_editable_one(tmp_path):
    (tmp_path / "_native.abi3.so").write_bytes(b"")
    for name in ("compilers", "sanitize"):
        assert '.ci/copy-package "$build"' in (ROOT / ".ci" / name).read_text("utf-8")

    # The script itself fails if an editable install is found before the copy.
    subprocess.run(
        [ROOT / ".ci" / "copy-package", tmp_path], check=True, env=os.environ | {"PYTHON": sys.executable}
    )

    copies = list((tmp_path / "path" / "egonet").glob("_native*.so"))
    assert [(path.name, path.stat().st_size) for path in copies] == [("_native.abi3.so", 0)]


def test_ten_calls_are_compared():
    ratios = json.loads((ROOT / "results" / "speed" / "ratios.json").read_text())["ratios"]

    assert len(ratios) == 10
    assert ratios.keys() == script("bench-check").cases(Path()).keys()


def test_the_paper_cites_what_it_lists_and_lists_what_it_cites():
    cited = set(re.findall(r"@([a-z]+\d{4}\w+)", (ROOT / "paper" / "paper.md").read_text("utf-8")))
    listed = set(re.findall(r"^@\w+\{(\w+),", (ROOT / "paper" / "paper.bib").read_text("utf-8"), re.M))

    assert cited == listed


@pytest.mark.parametrize("path", sorted((ROOT / ".ci").glob("*")), ids=lambda path: path.name)
def test_scripts_can_be_run(path):
    assert path.stat().st_mode & 0o111
    assert path.read_text("utf-8").startswith("#!/usr/bin/env ")
