# `make help` lists what there is. Needs only Python 3.11 to 3.13, git and make; everything else goes into .venv.

VENV := .venv
BIN := $(VENV)/bin
BENCH := .venv-bench
BROWSER := .venv-browser
PIP_QUIETLY := python -m pip --disable-pip-version-check --no-input --quiet
PIP := $(BIN)/$(PIP_QUIETLY)
UV := uv==0.13.9
COMPILE := $(BIN)/uv pip compile --quiet $(if $(UPGRADE),--upgrade) --universal --python-version 3.11 --generate-hashes \
	--no-header --no-emit-index-url --no-emit-find-links
# A module's tests stay together, for what they share; four workers, as each takes a gigabyte.
IN_PARALLEL := -n logical --maxprocesses 4 --dist loadfile
# Two gates at once, each telling what it found in one piece; an older make lets them talk at the same time.
TWO_AT_ONCE := $(MAKE) --no-print-directory -j2 $(if $(filter output-sync,$(.FEATURES)),--output-sync=target)
FIND_PYTHON := for python in "$(PYTHON)" python3 python3.13 python3.12 python3.11 python; do \
	"$$python" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' 2>/dev/null && break; \
	python=; done; \
	test -n "$$python" || { echo "Gapseek needs Python 3.11, 3.12 or 3.13; name one with: make PYTHON=/path/to/python" >&2; exit 1; }

unexport PYTHONPATH PYTHONHOME
.DEFAULT_GOAL := help
.PHONY: help demo serve test slow-test check format-check lint types gate wheel fix browser-test soak container-check bench lock clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(VENV)/.runtime ## Ask the elevator question over HTTP, show every step, replay it from the middle
	@$(BIN)/gapseek demo

serve: $(VENV)/.runtime ## Leave the server running on the loopback interface
	@$(BIN)/gapseek serve

test: $(VENV)/.dev ## Run every test
	@$(BIN)/pytest $(IN_PARALLEL)

slow-test: $(VENV)/.dev ## Run the tests that wait for as long as people do: minutes
	@$(BIN)/pytest -m slow -s

check: format-check lint ## Run every gate, as CI does
	@$(TWO_AT_ONCE) gate wheel types
	@$(MAKE) --no-print-directory test

format-check: $(VENV)/.dev ## Is everything formatted?
	@$(BIN)/ruff format --check .

lint: $(VENV)/.dev ## ruff
	@$(BIN)/ruff check .

types: $(VENV)/.dev ## mypy --strict
	@$(BIN)/mypy

gate: $(VENV)/.dev ## Ask the carried sets in every mode, and hold the figures to their limits
	@$(BIN)/python -m evals.gate

wheel: $(VENV)/.dev ## Build the wheel, install it in a clean environment, ask it a question from another folder
	@.ci/wheel-check $(BIN)/python

fix: $(VENV)/.dev ## Format, and repair what ruff can
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

browser-test: $(VENV)/.runtime $(BROWSER)/.installed ## Use the page in a real Chromium; pictures of it go into browser-results/
	@GAPSEEK_SERVER_PYTHON=$(CURDIR)/$(BIN)/python $(BROWSER)/bin/pytest -c tests/browser/pytest.ini tests/browser

container-check: ## Build the image, run it as compose.yaml does, ask it, stop it; needs docker or podman
	@.ci/container-check

soak: $(VENV)/.runtime ## Ask over 50 streams while the server is killed, then watch its memory, into docs/reliability.md; SECONDS, STREAMS, SEED, EVERY, WARM_UP, MEMORY_SECONDS as its page says
	@$(BIN)/python -m evals.soak --page docs/reliability.md $(if $(SECONDS),--seconds $(SECONDS)) $(if $(STREAMS),--streams $(STREAMS)) \
		$(if $(SEED),--seed $(SEED)) $(if $(EVERY),--every $(EVERY)) $(if $(WARM_UP),--warm-up $(WARM_UP)) \
		$(if $(MEMORY_SECONDS),--memory-seconds $(MEMORY_SECONDS))

bench: $(BENCH)/.installed ## Measure speed, size and growth beside others; DATA=folder of question sets, QUICK=1 to stop at 10,000 chunks, WHOLE=1 for pieces of the product's own size alone, OVERHEAD=1 for calls to a model alone
	@$(BENCH)/bin/python -m evals.bench $(if $(DATA),--data "$(DATA)") $(if $(QUICK),--quick) $(if $(FRESH),--fresh) \
		$(if $(VECTORS),--vectors "$(VECTORS)") $(if $(EMBED),--embed) $(if $(WHOLE),--whole) $(if $(OVERHEAD),--overhead)

lock: $(VENV)/.created ## Resolve pyproject.toml into the pinned requirements; UPGRADE=1 takes the newest of each
	@$(PIP) install $(UV)
	@$(COMPILE) --group pyproject.toml:build --output-file requirements-build.lock
	@$(COMPILE) pyproject.toml --constraint requirements-build.lock --output-file requirements.lock
	@$(COMPILE) pyproject.toml --group dev --constraint requirements.lock --constraint requirements-build.lock \
		--output-file requirements-dev.lock
	@$(COMPILE) --group pyproject.toml:browser --constraint requirements-dev.lock \
		--output-file requirements-browser.lock
	@$(COMPILE) pyproject.toml evals/bench/requirements.in --constraint requirements.lock \
		--constraint requirements-build.lock --output-file requirements-bench.lock

clean: ## Remove the environments and everything derived; the data folder stays
	@rm -rf $(VENV) $(BENCH) $(BROWSER) browser-results dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis

$(VENV)/.created:
	@$(FIND_PYTHON); "$$python" -m venv --clear $(VENV)
	@touch $@

$(VENV)/.runtime: $(VENV)/.created requirements-build.lock requirements.lock pyproject.toml
	@echo "Installing the pinned requirements into $(VENV); the first time takes a few minutes."
	@$(PIP) install --require-hashes -r requirements-build.lock
	@$(PIP) install --require-hashes --no-build-isolation -r requirements.lock
	@$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.runtime requirements-dev.lock
	@$(PIP) install --require-hashes --no-build-isolation -r requirements-dev.lock
	@touch $@

$(BROWSER)/.installed: requirements-browser.lock
	@$(FIND_PYTHON); "$$python" -m venv --clear $(BROWSER)
	@$(BROWSER)/bin/$(PIP_QUIETLY) install --require-hashes -r requirements-browser.lock
	@touch $@

$(BENCH)/.installed: requirements-build.lock requirements.lock requirements-bench.lock pyproject.toml
	@$(FIND_PYTHON); "$$python" -m venv --clear $(BENCH)
	@echo "Installing into $(BENCH), apart from the product's own environment."
	@$(BENCH)/bin/$(PIP_QUIETLY) install --require-hashes -r requirements-build.lock
	@$(BENCH)/bin/$(PIP_QUIETLY) install --require-hashes --no-build-isolation -r requirements.lock
	@$(BENCH)/bin/$(PIP_QUIETLY) install --require-hashes --no-build-isolation -r requirements-bench.lock || \
		echo "What stands beside Gapseek cannot be installed here: the bench measures Gapseek alone."
	@$(BENCH)/bin/$(PIP_QUIETLY) install --no-deps --no-build-isolation --editable .
	@touch $@
