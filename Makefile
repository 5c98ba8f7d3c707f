# `make test` is all that CI runs. Everything installs into .venv; a stamp file there marks what is already done.
PYTHON ?= python3
PYTEST_WORKERS ?= 2
PYTEST_ARGS ?=
FUZZ_SECONDS ?= 3600
ZOO_SAMPLE ?= 16

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
CREATED := $(VENV)/.created
RUNTIME := $(VENV)/.runtime
TOOLS := $(VENV)/.tools

.DEFAULT_GOAL := help
.PHONY: help demo test test-browser fuzz lint format docs zoo clean

help:
	@echo "make demo    catch a real bug in a bundled example, then pass its fixed twin"
	@echo "make test    everything CI runs: lint and the tests"
	@echo "make test-browser  the pages in a real browser; needs Chromium on the machine"
	@echo "make fuzz    damaged input for every reader, FUZZ_SECONDS (an hour) each, another each time"
	@echo "make lint    format, lint, types, import layers, generated pages"
	@echo "make format  rewrite the sources in the house format"
	@echo "make docs    write the generated pages under docs/"
	@echo "make zoo     how many planted faults the tree finds: a sample of the zoo, about ten minutes"
	@echo "make clean   remove $(VENV), caches and build products"

demo: $(RUNTIME)
	$(BIN)/firstlight demo

# A program under observation writes no byte code: without ours, each of the many that the tests start compiles us anew.
test: lint
	$(BIN)/python -m compileall -q src
	$(BIN)/python -m pytest -n $(PYTEST_WORKERS) --dist worksteal $(PYTEST_ARGS)

test-browser: $(TOOLS)
	$(PIP) install --quiet -c constraints.txt -e ".[browser]"
	$(BIN)/python -m pytest tests/report/html/test_browser.py tests/dashboard/test_browser.py $(PYTEST_ARGS)

fuzz: $(TOOLS)
	FUZZ_SECONDS=$(FUZZ_SECONDS) FUZZ_SEED=$$(date +%s) $(BIN)/python -m pytest tests/fuzz -n $(PYTEST_WORKERS) \
		--timeout 0 $(PYTEST_ARGS)

lint: $(TOOLS)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/firstlight docs --check

format: $(TOOLS)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs: $(RUNTIME)
	$(BIN)/firstlight docs

# The tune half: the report half is scored when a change is done, and not looked at before.
zoo: $(TOOLS)
	$(BIN)/python -m zoo score --half tune --sample $(ZOO_SAMPLE)

clean:
	rm -rf $(VENV) build dist .coverage .coverage.* .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find src tests examples bench zoo -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

$(CREATED):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "firstlight needs Python 3.11 or later; choose one with: make PYTHON=python3.11"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

# torch goes first and by itself, so that no later step chooses another build of it.
$(RUNTIME): $(CREATED) pyproject.toml constraints.txt
	$(PIP) install --quiet -c constraints.txt torch==2.13.0 numpy
	$(PIP) install --quiet -c constraints.txt -e .
	@touch $@

$(TOOLS): $(RUNTIME)
	$(PIP) install --quiet -c constraints.txt -e ".[test]"
	@touch $@
