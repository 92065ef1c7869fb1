# Two commands to know: `make demo` and `make test`. Both need Python, make, git and, to run code, bubblewrap.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
EXTRAS := all,dev
# one test more at once than there are cores: now and then one of them waits
CORES := $(shell nproc 2>/dev/null || sysctl -n hw.ncpu 2>/dev/null || echo 2)
WORKERS ?= $(shell expr $(CORES) + 1)
PYTEST = $(BIN)/pytest -n $(WORKERS) --dist worksteal --durations=10

# every event is synced to its disk, and most of a whole run is waiting for that: its files lie in memory if there is room
ifeq ($(shell [ -w /dev/shm ] && df -Pk /dev/shm | awk 'NR == 2 { print ($$4 > 6000000) }'),1)
whole-runs flows trials every-boundary cheats: export PYTEST_DEBUG_TEMPROOT ?= /dev/shm
endif

# compiled modules are kept: every worker and every group imports the same tests
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test test-all check static tests on-disk whole-runs unit flows trials test-agents cheats cheats-worker every-boundary \
  bench walk lint types imports self wheel docs clean packages

demo: packages .make/run
	$(BIN)/thoughtforge demo

# what people need to run it, and no more
.make/run: pyproject.toml
	@mkdir -p .make
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[code]'
	@touch $@

.make/dev: pyproject.toml
	@mkdir -p .make
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[$(EXTRAS)]'
	@touch .make/run $@

# projects of other people, as source, for whole runs on real code; the tests themselves reach no network
SOURCES := inflection==0.5.1 boltons==26.2.0
.make/sources: .make/dev
	@mkdir -p $@
	@for each in $(SOURCES); do \
	  $(BIN)/python -m pip download --quiet --disable-pip-version-check --no-deps --no-binary :all: --dest $@ $$each || exit 1; done
	@touch $@

# command-line agents at pinned versions, run against a scripted model server; without npm their tests are left out
.make/agents: tests/agents/package.json
	@mkdir -p $@ && cp tests/agents/package.json $@/
	@if command -v npm >/dev/null 2>&1; then npm install --prefix $@ --no-audit --no-fund --loglevel=error; \
	  else echo "npm is missing: the tests with real agents are left out"; fi
	@touch $@

# JavaScript test runners at pinned versions; without npm or a registry their tests are left out
.make/javascript/complete: tests/unit/languages/javascript/package.json
	@mkdir -p $(@D) && cp $< $(@D)/
	@if command -v npm >/dev/null 2>&1 && npm install --prefix $(@D) --no-audit --no-fund --ignore-scripts --loglevel=error; \
	  then touch $@; else echo "no npm or no registry: the tests with jest and vitest are left out"; fi

# Debian packages the tests use; only root may install them, others are told what is missing
packages:
	@sh scripts/packages

# everything a change must pass, at its normal depth; what waits for the network or for one core runs side by side
test: packages
	@$(MAKE) --no-print-directory -j $(WORKERS) .make/agents .make/javascript/complete .make/sources static wheel
	@$(MAKE) --no-print-directory tests

# the same in full: every boundary, the installed command in place of forks, every misbehaviour from beginning to end
test-all: test every-boundary cheats

check: static tests

static: lint types imports self

lint: .make/dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: .make/dev
	$(BIN)/mypy

imports: .make/dev
	$(BIN)/lint-imports --no-logo

# the gate on this repository itself
self: .make/dev
	$(BIN)/thoughtforge check

# the four parts below, two and two: while one test waits, others work
tests: on-disk whole-runs

on-disk: .make/dev .make/agents .make/javascript/complete
	$(PYTEST) tests --ignore tests/cheats --ignore tests/flows --ignore tests/stories --ignore tests/harness

whole-runs: .make/dev .make/sources
	$(PYTEST) tests/flows tests/stories tests/harness tests/cheats

# what one module or one extension does; no whole run
unit: .make/dev .make/javascript/complete
	$(PYTEST) tests --ignore tests/agents --ignore tests/cheats --ignore tests/flows --ignore tests/stories --ignore tests/harness

# whole runs, most of them forked from a process that has everything imported; those that die do so once per kind of event
flows: .make/dev .make/sources
	$(PYTEST) tests/flows tests/stories tests/harness

# whole runs of the installed command alone, killed at every single event
every-boundary: packages .make/dev .make/sources
	$(PYTEST) --installed --every-boundary tests/flows

# misbehaving agents, each refused; most go on from one honest session
trials: .make/dev
	$(PYTEST) tests/cheats

# the same from beginning to end, each beside an honest one, which is delivered
cheats: packages .make/dev
	$(PYTEST) --end-to-end tests/cheats

# the misbehaviours once more, through an agent that acts by itself
cheats-worker: packages .make/dev .make/agents
	$(PYTEST) tests/cheats --worker codex

# the real command-line agents against a scripted model
test-agents: .make/dev .make/agents
	$(PYTEST) tests/agents

# the built wheel in a clean environment outside the checkout runs the same demonstration
wheel: .make/dev
	sh scripts/try-wheel "$(BIN)/python"

bench: .make/dev .make/agents
	$(BIN)/python -m bench --out bench.json

# how many files and git processes one edit takes, and how often commands read the whole log; FILES=--files names the files
walk: .make/dev
	$(BIN)/python -m bench.walk $(FILES)

docs: .make/dev
	$(BIN)/python scripts/write-docs.py

clean:
	rm -rf $(VENV) .make dist build bench.json
