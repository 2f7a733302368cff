# The commands of this project; each builds what it needs. `make help` lists them.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
NATIVE := CMakeLists.txt pyproject.toml $(shell find native -type f)

.PHONY: help demo test check fuzz coverage bench sanitize faults format pictures docs clean
help:
	@echo "make demo      encode an embedded graph, print it, write its features to demo/"
	@echo "make test      every test"
	@echo "make check     format, lint, types, layers"
	@echo "make fuzz      damaged files for every reader, random graphs for every kernel; SECONDS= each (60)"
	@echo "make coverage  every test, with the lines and branches that none of them reaches"
	@echo "make bench     the kernel beside the others, into results/speed (an hour); AUTHORS= a checkout of their code"
	@echo "make sanitize  the kernel's tests and damaged files under ASan, UBSan and TSan (minutes)"
	@echo "make faults    kill -9, full disks and other faults, for every command that writes (an hour)"
	@echo "make format    rewrite the source in the house format"
	@echo "make pictures  draw the pictures of the README and documentation again"
	@echo "make docs      build the documentation into build/docs; warnings are errors"
	@echo "make clean     remove the virtual environment and everything built"

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

# Two stamps, so that the demo needs no test packages; both follow the C++ sources.
$(VENV)/demo.stamp: $(BIN)/python $(NATIVE)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt ".[cli,io]"
	touch $@

$(VENV)/test.stamp: $(BIN)/python $(NATIVE) constraints.txt
	$(BIN)/python -m pip install --quiet --constraint constraints.txt scikit-build-core nanobind ninja
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --no-build-isolation --editable ".[test,check]"
	touch $@

demo: $(VENV)/demo.stamp
	$(BIN)/egonet demo --output demo

test: $(VENV)/test.stamp
	$(BIN)/python -m pytest -n auto

check: $(VENV)/test.stamp
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -q tests/test_layers.py

SECONDS ?= 60
fuzz: $(VENV)/test.stamp
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m fuzz replay
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m fuzz inputs --seconds $(SECONDS)
	$(BIN)/python -m fuzz kernel --seconds $(SECONDS)

coverage: $(VENV)/test.stamp
	$(BIN)/python -m coverage erase
	EGONET_EXAMPLES=100 $(BIN)/python -m coverage run -m pytest -q
	$(BIN)/python -m coverage combine -q
	$(BIN)/python -m coverage report --fail-under=94  # lines and branches together

bench: $(VENV)/test.stamp
	$(BIN)/python -m pip install --quiet --constraint constraints.txt networkit
	$(BIN)/python -W ignore -m benchmarks.compare $(if $(AUTHORS),--authors $(AUTHORS))
	$(BIN)/python -m benchmarks.growth

sanitize: $(VENV)/test.stamp
	PYTHON=$(BIN)/python .ci/sanitize

faults: $(VENV)/test.stamp
	PYTHONPATH=src:tests $(BIN)/python -m faults.kill --moments 50
	PYTHONPATH=src:tests $(BIN)/python -m faults.stress

format: $(VENV)/test.stamp
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

pictures: $(VENV)/test.stamp
	MPLBACKEND=agg $(BIN)/python docs/draw.py
	MPLBACKEND=agg $(BIN)/python docs/draw_theory.py

docs: $(VENV)/test.stamp
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --no-build-isolation --editable ".[docs]"
	MPLBACKEND=agg $(BIN)/python -m sphinx -W --keep-going -q -b html docs build/docs

clean:
	rm -rf $(VENV) build dist demo
