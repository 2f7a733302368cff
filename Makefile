# The commands of this project; each builds what it needs. `make help` lists them.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
NATIVE := CMakeLists.txt pyproject.toml $(shell find native -type f)
SOURCES = $(shell find native src tests -name '*.[ch]pp' -o -name '*.cu' -o -name '*.cuh')
INSTALL = $(BIN)/python -m pip install --quiet --constraint constraints.txt

.DELETE_ON_ERROR:
.PHONY: help demo test test-all check fuzz coverage bench bench-check dist conda-recipe release-check sanitize faults format pictures docs docs-links docs-version clean
help:
	@echo "make demo      encode an embedded graph, print it, write its features to demo/"
	@echo "make test      the tests of the library (five minutes on two cores)"
	@echo "make test-all  these, those of research, and those with a browser, Spark, notebooks and killed processes (twelve minutes)"
	@echo "make check     format, lint, types, layers"
	@echo "make fuzz      damaged files for every reader, random graphs for every kernel and kind of row; SECONDS= each (60), CASES=, GRAPHS=, ROWS=, SEED="
	@echo "make coverage  every test, with the lines and branches that none of them reaches"
	@echo "make bench     the kernel and its competitors, into results/speed (an hour); AUTHORS= a checkout of their code"
	@echo "make bench-check  ten calls against stored ratios; fails if one is 15 % slower (a minute)"
	@echo "make dist      the sdist and a wheel from it, into dist/"
	@echo "make conda-recipe VERSION=X.Y.Z  the recipe for conda-forge with the checksum of dist/egonet-X.Y.Z.tar.gz"
	@echo "make release-check  everything a release needs that runs without the network (half an hour)"
	@echo "make sanitize  the kernel's tests and damaged files under ASan, UBSan and TSan (minutes)"
	@echo "make faults    kill -9, full disks and other faults, for every command that writes (an hour)"
	@echo "make format    rewrite Python, C++, CUDA, JavaScript and CSS in the format that make check compares"
	@echo "make pictures  draw the pictures of the README and documentation again"
	@echo "make docs      build the documentation into build/docs; warnings, misspellings and broken links within it are errors"
	@echo "make docs-links  follow the links to other sites; needs the network"
	@echo "make docs-version  build the documentation as VERSION= (development) of the site in build/site, with a switch of versions"
	@echo "make clean     remove the virtual environment and everything built"

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=26.3"  # for --only-deps

# Every command uses one editable build, in any order. It needs no isolation, so it stays in build/ and follows a
# change of a C++ file in seconds.
$(VENV)/core.stamp: $(BIN)/python $(NATIVE) constraints.txt
	$(INSTALL) scikit-build-core nanobind cmake ninja
	$(INSTALL) --no-deps --no-build-isolation --editable .
	touch $@

# The packages of extras are installed apart from the project, with build isolation: pip fetches the build tools of a
# package that has no wheel (pyspark). The constraints hold for all of them, so that none brings gigabytes of torch.
# The demo has another stamp, since it needs no test packages.
$(VENV)/demo.stamp: EXTRAS := cli,io
$(VENV)/test.stamp: EXTRAS := test,check
$(VENV)/test.stamp: MORE := --group research/pyproject.toml:test
$(VENV)/docs.stamp: EXTRAS := docs
$(VENV)/demo.stamp $(VENV)/test.stamp $(VENV)/docs.stamp: pyproject.toml constraints.txt research/pyproject.toml | $(VENV)/core.stamp
	$(INSTALL) --only-deps ".[$(EXTRAS)]"
	$(if $(MORE),$(INSTALL) $(MORE))
	touch $@

demo: $(VENV)/demo.stamp
	$(BIN)/egonet demo --output demo

# Runs of neighboring tests stay together: one Spark, one browser.
PYTEST = $(BIN)/python -m pytest -n auto --dist worksteal
# What pytest runs by itself is in pyproject.toml; this is all of it, and research.
EVERYTHING = src tests docs README.md research
test: $(VENV)/test.stamp
	$(PYTEST) -m "not long"

test-all: $(VENV)/test.stamp
	$(PYTEST) --durations=30 $(EVERYTHING)

check: $(VENV)/test.stamp
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/clang-format --dry-run --Werror $(SOURCES)
	$(BIN)/biome format
	$(BIN)/biome lint
	$(BIN)/lint-imports --no-cache
	$(BIN)/mypy
	$(BIN)/mypy --config-file research/pyproject.toml
	$(BIN)/python -m pytest -q tests/test_layers.py

SECONDS ?= 60
CASES ?= 1000000000
GRAPHS ?= 1000000000
ROWS ?= 20000
SEED ?= 0
fuzz: $(VENV)/test.stamp
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m fuzz replay
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m fuzz inputs --seconds $(SECONDS) --cases $(CASES) --seed $(SEED)
	$(BIN)/python -m fuzz kernel --seconds $(SECONDS) --graphs $(GRAPHS) --seed $(SEED)
	$(BIN)/python -m fuzz rows --rows $(ROWS) --seed $(SEED)

coverage: $(VENV)/test.stamp
	$(BIN)/python -m coverage erase
	EGONET_EXAMPLES=100 $(BIN)/python -m coverage run -m pytest -q $(EVERYTHING)
	$(BIN)/python -m coverage combine -q
	$(BIN)/python -m coverage report --fail-under=94  # lines and branches together

bench: $(VENV)/test.stamp
	$(INSTALL) networkit
	$(BIN)/python -W ignore -m benchmarks.compare $(if $(AUTHORS),--authors $(AUTHORS))
	$(BIN)/python -m benchmarks.scaling --growth

bench-check: $(VENV)/test.stamp
	$(BIN)/python .ci/bench-check

# The wheel is built from the sdist. The environment has the build tools already, so nothing is fetched for it.
dist: $(VENV)/test.stamp
	rm -rf dist
	$(BIN)/python .ci/dist dist --no-isolation
	$(BIN)/python -m twine check --strict dist/*

conda-recipe:
	$(PYTHON) .ci/conda-recipe $(VERSION)

release-check: check test-all docs bench-check dist
	$(BIN)/python -m pytest -q tests/viz/test_structure.py -k landing  # the page that make docs has built
	$(BIN)/python -m pytest -q tests/test_packaging.py tests/test_formats.py tests/test_public.py
	PYTHON=$(BIN)/python PACKAGES=$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))') .ci/try-wheel dist/*.whl
	@echo "Ready for the tag; CONTRIBUTING.md has the steps that need the network."

sanitize: $(VENV)/test.stamp
	PYTHON=$(BIN)/python .ci/sanitize

faults: $(VENV)/test.stamp
	PYTHONPATH=src:tests $(BIN)/python -m faults.kill --moments 50
	PYTHONPATH=src:tests $(BIN)/python -m faults.stress

format: $(VENV)/test.stamp
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	$(BIN)/clang-format -i $(SOURCES)
	$(BIN)/biome format --write

pictures: $(VENV)/test.stamp
	MPLBACKEND=agg $(BIN)/python docs/draw.py
	MPLBACKEND=agg $(BIN)/python docs/draw_gallery.py
	MPLBACKEND=agg PYTHONPATH=. $(BIN)/python docs/draw_reproduce.py
	MPLBACKEND=agg PYTHONPATH=. $(BIN)/python docs/draw_theory.py

docs: $(VENV)/docs.stamp
	$(BIN)/codespell --ignore-words-list nd --skip "*.svg,*.py,gallery,api" README.md CHANGELOG.md CONTRIBUTING.md docs examples
	MPLBACKEND=agg $(BIN)/python -m sphinx -W --keep-going -q -b html docs build/docs
	$(BIN)/python docs/check_links.py build/docs
	$(BIN)/python docs/check_reference.py build/docs
	$(BIN)/python docs/write_markdown.py build/docs

docs-links: $(VENV)/docs.stamp
	MPLBACKEND=agg $(BIN)/python -m sphinx -W --keep-going -q -b linkcheck docs build/links

docs-version: $(VENV)/docs.stamp
	MPLBACKEND=agg $(BIN)/python docs/version.py $(or $(VERSION),development) build/site
	$(BIN)/python docs/write_markdown.py build/site/$(or $(VERSION),development)
	$(BIN)/python docs/check_links.py build/site

clean:
	rm -rf $(VENV) build dist demo
