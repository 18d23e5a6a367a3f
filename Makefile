# Everything runs in $(VENV), made on first use from pyproject.toml. Needs Python >= 3.11 and make.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
DEMO   := build/demo
SAMPLE := samples/integer_divide/integer_divide
ARCH   ?= sm_90

.PHONY: help setup demo test check format unit oracle golden bench gpu gpu-bundle samples wheel clean
.DEFAULT_GOAL := help

help:  ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "ptxtool needs Python 3.11 or newer; name one with make PYTHON=...")'
	$(PYTHON) -m venv $(VENV)

$(STAMP): pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[toolchain,prove,gpu,dev]'
	@touch $@

setup: $(STAMP)  ## make the virtual environment with the tool, the CUDA tools and the test tools

demo: $(STAMP)  ## run the main job on a real kernel: analyze, optimize, assemble, diff, bench
	@mkdir -p $(DEMO)
	$(BIN)/ptxtool analyze $(SAMPLE).ptx --arch $(ARCH)
	$(BIN)/ptxtool optimize $(SAMPLE).ptx --arch $(ARCH) --diff --report -o $(DEMO)/optimized.ptx
	$(BIN)/ptxtool assemble $(DEMO)/optimized.ptx --arch $(ARCH) -o $(DEMO)/optimized.cubin
	$(BIN)/ptxtool diff $(SAMPLE).ptx $(DEMO)/optimized.ptx --arch $(ARCH) --summary || test $$? -eq 1
	$(BIN)/ptxtool bench $(SAMPLE).launch.toml --candidate $(SAMPLE).ptx --candidate $(DEMO)/optimized.ptx --arch $(ARCH) || test $$? -eq 3

test: $(STAMP)  ## all tests that need no GPU
	$(BIN)/ruff check --quiet .
	$(BIN)/ruff format --check --quiet .
	$(BIN)/mypy
	$(BIN)/python -m pytest -q -m "not gpu"

check: $(STAMP)  ## format, lint, types, architecture, unit: under a minute
	$(BIN)/ruff format --check --quiet .
	$(BIN)/ruff check --quiet .
	$(BIN)/mypy
	$(BIN)/python -m pytest -q -m "not gpu and not oracle and not slow" tests/unit tests/test_architecture.py

format: $(STAMP)  ## format and fix what can be fixed
	$(BIN)/ruff check --quiet --fix .
	$(BIN)/ruff format --quiet .

golden: $(STAMP)  ## write the golden files again; look at the change before committing it
	PTXTOOL_UPDATE_GOLDEN=1 $(BIN)/python -m pytest -q tests/golden

oracle: $(STAMP)  ## the long oracle runs: the whole corpus named by PTXTOOL_CORPUS
	PTXTOOL_ORACLE_FULL=1 $(BIN)/python -m pytest -q -m "oracle or slow"

bench: $(STAMP)  ## measure ptxtool itself, beside ptxas in the same run
	@for script in tests/bench/*.py; do echo "== $$script"; $(BIN)/python $$script || exit 1; done

gpu: $(STAMP)  ## all checks that need a CUDA device
	$(BIN)/python -m pytest -q -m gpu tests/gpu

gpu-bundle: $(STAMP)  ## everything a GPU machine needs to run the checks, in build/gpu-bundle
	$(BIN)/python tests/gpu/make_bundle.py build/gpu-bundle --arch $(ARCH)a

samples: $(STAMP)  ## compile the samples again from their sources
	$(BIN)/python samples/build.py

wheel: $(STAMP)  ## build the wheel into dist/
	$(BIN)/python -m build --wheel --outdir dist .

clean:  ## remove what the other targets made
	rm -rf build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
