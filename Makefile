# Two commands to know: `make demo` and `make test`. Both need Python, make, git and, to run code, bubblewrap.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
EXTRAS := all,dev

.PHONY: demo test test-agents check cheats cheats-worker bench walk lint types imports self unit wheel docs clean packages

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

# Debian packages the tests use; only root may install them, others are told what is missing
packages:
	@sh scripts/packages

test: packages .make/dev .make/sources .make/agents check wheel

check: lint types imports self unit test-agents

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

unit: .make/dev .make/sources
	$(BIN)/pytest -n 3 --dist worksteal --ignore tests/agents

# the real command-line agents against a scripted model
test-agents: .make/dev .make/agents
	$(BIN)/pytest -n 3 --dist worksteal tests/agents

# the misbehaviours once more, through an agent that acts by itself
cheats-worker: packages .make/dev .make/agents
	$(BIN)/pytest -n 2 --dist worksteal tests/cheats --worker codex

# misbehaving agents, each refused, beside honest ones, each delivered
cheats: packages .make/dev
	$(BIN)/pytest -n 2 --dist worksteal --every-twin tests/cheats

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
