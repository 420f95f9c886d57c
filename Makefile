# Every target sets up what it needs in .venv and is quick when nothing changed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
export PIP_DISABLE_PIP_VERSION_CHECK := 1

# The package itself knows only PULINK_DATA and the user's cache.
ifneq ($(wildcard ../shared/data),)
export PULINK_DATA ?= $(abspath ../shared/data)
endif

.PHONY: find test test-all check format bench reproduction torture setup setup-hashed lock sbom clean

setup: $(READY)

$(READY): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	# PyTorch first and alone: asked for by another package's range, pip may take a build with gigabytes of GPU parts.
	$(BIN)/python -m pip install --quiet --constraint constraints.txt torch==2.13.0
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	touch $(READY)

# The same, with the hash of every file checked, into a new environment. GPU=1 takes PyTorch's GPU build for Linux,
# which is the one that pip finds unless it is told of PyTorch's own index of CPU builds.
LOCKS := requirements.lock requirements-$(if $(GPU),gpu,cpu).lock
setup-hashed:
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python -m pip install --quiet --require-hashes --only-binary :all: $(addprefix --requirement ,$(LOCKS))
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --no-index --editable .
	$(BIN)/python -m pip check
	touch $(READY)

lock: $(READY)
	$(BIN)/python -m tools.lock

sbom: $(READY)
	$(BIN)/python -m tools.sbom sbom.cdx.json

find: $(READY)
	$(BIN)/pulink find sample --out found

# Two processes: a file's tests stay together, as they share what was fitted.
test: $(READY)
	$(BIN)/python -m pytest --numprocesses 2 --dist loadfile

test-all: $(READY)
	$(BIN)/python -m pytest -m ''

check: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(READY)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(READY)
	$(BIN)/python -m benchmarks

torture: $(READY)
	$(BIN)/python -m torture

reproduction: $(READY)
	$(BIN)/python tools/reproduction_page.py

clean:
	rm -rf $(VENV) found build dist sbom.cdx.json .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
