# make run   set up .venv, reproduce the paper, say where to look
# make test  set up .venv, lint and run every test that fits in minutes
# make docs  set up .venv, build the documentation from the package; a warning is an error
.DEFAULT_GOAL := help
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
EXTRAS := plot,excel,tables,fem,studio,cluster,validate,dev,docs
PEERS := benchmarks/build/peers/.ready
PAGE := $(VENV)/page
SCRIPTS := src/hamex/studio/page

# Tests and tools start Python by the hundred: what it compiles is kept, whatever the shell says.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help setup warm run test test-all before numba torture coverage bench docs lint lint-page hooks lock clean debian

help:
	@echo "make run | test | test-all | before | numba | torture | coverage | bench | docs | lint | hooks | setup | lock | clean"

# The stamp is newer than what it was made from, so set-up runs once.
setup: $(VENV)/.ready
$(VENV)/.ready: pyproject.toml constraints.txt Makefile
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "hamex needs Python 3.11 or newer; run make PYTHON=python3.x")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip -c constraints.txt
	$(BIN)/python -m pip install --quiet -c constraints.txt -e ".[$(EXTRAS)]"
	@$(MAKE) --no-print-directory debian
	@touch $@

# OpenSees needs Debian's BLAS and LAPACK, the tests of the pages a browser, those of `hamex derive --latex` a TeX. Where
# they cannot be installed, `hamex paper` and the tests say so.
DEBIAN := $(shell ldconfig -p 2>/dev/null | grep -q liblapack.so.3 || echo libblas3 liblapack3) \
          $(shell command -v chromium-headless-shell >/dev/null || echo chromium-headless-shell) \
          $(shell kpsewhich pict2e.sty >/dev/null 2>&1 || echo texlive-latex-base texlive-latex-recommended texlive-pictures)
debian:
	@if [ -z "$(strip $(DEBIAN))" ]; then :; \
	elif command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; then \
	  echo "installing Debian's $(strip $(DEBIAN))"; \
	  { apt-get update -qq && { apt-get install -y -qq $(DEBIAN) || \
	    apt-get install -y -qq $(DEBIAN:chromium-headless-shell=chromium); }; } >/dev/null 2>&1 \
	  || echo "note: could not install $(strip $(DEBIAN)); the live OpenSees column, the browser tests or those of LaTeX will be missing"; \
	else echo "note: OpenSees, the browser tests and those of LaTeX need Debian's $(strip $(DEBIAN)) (sudo apt-get install …)"; fi

# Compile what is commonly used; what is there already takes seconds.
warm: setup
	@$(BIN)/hamex warm > /dev/null || echo "note: nothing was compiled"

run: warm
	$(BIN)/hamex paper --out paper-out

lint: setup lint-page
	$(BIN)/ruff check .
	$(BIN)/ruff format --check --quiet . || { echo "run $(BIN)/ruff format ."; exit 1; }
	$(BIN)/mypy

# The scripts of the studio's page: rules, types, layout. Node comes as a Python package, its tools from npm's registry.
lint-page: setup
	@if $(MAKE) --no-print-directory $(PAGE)/.ready; then \
	  export PATH="$(abspath $(BIN)):$(abspath $(PAGE))/node_modules/.bin:$$PATH"; \
	  eslint --config $(PAGE)/eslint.config.js $(SCRIPTS) && tsc --project tools/page && \
	  prettier --log-level warn --config tools/page/prettier.json --check "$(SCRIPTS)/**/*.js" && \
	  echo "the scripts of the page: all checks passed"; \
	else \
	  echo "note: the scripts of the page were not checked: no node or no npm packages (see above)"; \
	  [ "$$CI" != true ]; \
	fi

$(PAGE)/.ready: tools/page/package-lock.json tools/page/eslint.config.js $(VENV)/.ready
	@mkdir -p $(@D) && cp tools/page/package.json tools/page/package-lock.json tools/page/eslint.config.js $(@D)
	@cd $(@D) && PATH="$(abspath $(BIN)):$$PATH" npm ci --loglevel=error --no-audit --no-fund && touch .ready

# Two workers fill two cores: more threads of BLAS would only wait for each other, and burn while they wait.
test: lint warm
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -q -m "not heavy" -n 2 --dist loadfile --no-loadscope-reorder

test-all: lint
	$(BIN)/python -m pytest -q --hypothesis-profile thorough

# The numbers, errors and public tests of an earlier version (tools/before/run.py) against the present one; up to half an
# hour, most of it for setting that version up. make before SECTIONS="problems portal" asks the problems with that word.
before: setup
	$(BIN)/python tools/before/run.py $(SECTIONS)

# The tests of compiled code under the oldest and the newest Numba allowed, and digits without any; make numba VERSIONS="none" asks for one.
numba: setup
	$(BIN)/python tools/versions.py $(VERSIONS)

# Damaged files, kills, full disks, mutated inputs and softening springs by the thousand; make torture SECTIONS="parts kills" runs these only.
torture: setup
	OPENBLAS_NUM_THREADS=1 $(BIN)/python tests/shared/torture.py $(SECTIONS)

# Which lines the tests of `make test` run; below the floor in pyproject.toml it fails. Compiled kernels are seen where
# tests run them uncompiled.
coverage: setup
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -q -m "not heavy" -n 2 --dist loadfile --no-loadscope-reorder --cov --cov-report=term:skip-covered

# Before each commit: the linters of `make test`, on what changed.
hooks: setup
	$(BIN)/pre-commit install

# Every section by default; make bench SECTIONS="batch spectrum" runs these only.
bench: setup $(PEERS)
	$(BIN)/python benchmarks/threshold.py
	$(BIN)/python benchmarks/derive.py
	$(BIN)/python benchmarks/run.py $(SECTIONS)
	$(BIN)/python benchmarks/page.py

$(PEERS): benchmarks/peers.txt | setup
	@$(BIN)/python -m pip install --quiet --no-deps --upgrade --target $(@D) -r $< && touch $@ \
	|| echo "note: could not install the peers of benchmarks/peers.txt; they will be listed as not measured"

# Runs the examples and the audit of the paper: what the pages show is what they print. Nothing is fetched.
docs: setup
	$(BIN)/python -m sphinx -E -n -W --keep-going -q -b html docs build/docs
	@echo "documentation: build/docs/index.html"

# Pin what is installed now, so that every set-up is the same.
lock: setup
	$(BIN)/python -m pip freeze --exclude-editable | grep -v '^hamex' > constraints.txt

clean:
	rm -rf $(VENV) paper-out build dist .pytest_cache .mypy_cache .ruff_cache
