PYTHON ?= python3
ARGS ?=
BIN := .venv/bin
READY := .venv/ready

.PHONY: help lab explore dashboard test test-full check bench data clean
.DEFAULT_GOAL := help

help: ## this list
	@grep -E '^[a-z-]+:.*## ' $(firstword $(MAKEFILE_LIST)) | sed -E 's/^([a-z-]+):.*## /make \1\t/' | expand -t 18
	@echo "PYTHON=python3.12 chooses the Python (3.11 or newer), ARGS='...' goes to the command: a study, pytest's options, ..."

lab: $(READY) ## build the environment, open JupyterLab on the example
	[ -d sandbox ] || cp -R notebooks sandbox # running a notebook changes its file, and these are tracked
	cd sandbox && ../$(BIN)/workbench lab $(ARGS)

explore: $(READY) ## the same as a page, without JupyterLab
	[ -d sandbox ] || cp -R notebooks sandbox
	cd sandbox && ../$(BIN)/workbench explore $(ARGS)

dashboard: $(READY) ## the page for decision makers, on the example; ARGS='study.yaml' for a study
	$(BIN)/workbench dashboard $(ARGS)

test test-full: export PYTHONDONTWRITEBYTECODE :=# hundreds of processes start and share compiled code
test: $(READY) ## build the environment, run the fast tests
	$(BIN)/python -m pytest -n 4 --dist worksteal --hypothesis-profile=quick $(ARGS)

test-full: $(READY) ## all tests, with more examples of the properties
	$(BIN)/python -m pytest -n 4 --dist worksteal -m 'not exhaustive' $(ARGS)

check: $(READY) ## style, types, imports; JavaScript, if Node.js is installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	@if command -v npm >/dev/null; then cd tests/javascript && npm ci --silent && npm run --silent check && npm test --silent; \
	  else echo "SKIPPED: the checks and unit tests of JavaScript need Node.js, which is not installed" >&2; fi

bench: $(READY) ## speed and quality, compared with other tools
	$(BIN)/python benchmarks/run.py $(ARGS)

data: $(READY) ## rebuild data/adult.csv.gz from its source
	$(BIN)/python scripts/build_adult.py

clean: ## remove the environment
	rm -rf .venv

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "make: the workbench needs Python 3.11 or newer, but PYTHON=$(PYTHON) is $$($(PYTHON) --version 2>&1)." \
	    "Name a newer one: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	$(PYTHON) -m venv --clear .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable ".[dev]"
	$(BIN)/jupyter labextension disable --level=sys_prefix "@jupyterlab/apputils-extension:announcements" # it requests news from the network
	@touch $@
