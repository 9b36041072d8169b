# Everything runs from .venv in this folder; nothing else on the machine is touched.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
UV_VERSION := 0.13.7
CYCLONEDX_VERSION := 7.5.0
PIP_AUDIT_VERSION := 2.10.1
REDOCLY_VERSION := 2.77.0
SPECTRAL_VERSION := 6.16.3
AZURITE_VERSION := 3.37.0
# Many tests wait for other processes more than they work; those of `make quick` seldom do.
TESTERS := $(shell echo $$(( $$(getconf _NPROCESSORS_ONLN) + 3 )))
QUICK_TESTERS := $(shell echo $$(( $$(getconf _NPROCESSORS_ONLN) + 1 )))
QUICK := not slow and not cluster and not browser and not mill and not process
SPREAD := --dist loadfile --no-loadscope-reorder
# What failed beside other tests is tried once more alone: a busy machine is no fault of the code, a second failure is one.
ALONE := echo "Tests that failed are run once more, alone" && $(BIN)/pytest -v --last-failed --last-failed-no-failures none --maxfail 1
TOOLS := .tools
READY := $(VENV)/.ready
READY_DEV := $(VENV)/.ready-dev
CHROMIUM := command -v chromium-headless-shell || command -v chromium || command -v google-chrome || command -v chromium-browser
# Debian has Chromium without windows, which takes less than half of the CPU time; where it is missing, the whole one will do.
BROWSERS := chromium-headless-shell chromium
SETUP := pyproject.toml requirements.lock
LOCK := $(BIN)/uv pip compile pyproject.toml --system-certs --quiet --universal --python-version 3.11 \
  --generate-hashes --no-header --custom-compile-command "make lock"

# Tests and tools start many processes: without cached bytecode each of them would compile the code again.
unexport PYTHONDONTWRITEBYTECODE
# The checks run beside each other (tests/house has the import rules), and each one's output stays together (where make is 4 or later).
TOGETHER := --no-print-directory --jobs $(if $(filter output-sync,$(.FEATURES)),--output-sync=target)

.DEFAULT_GOAL := help
.PHONY: help run test tests quick quick-tests wheel lint web openapi browser scanner format types imports docs sbom audit screenshots example azure-test bench fuzz corpus image-test faults quality train lock clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: $(READY) ## Start the service with its workers (PAGEMILL_HOST, PAGEMILL_PORT and PAGEMILL_DATA_DIR are respected)
	@exec $(BIN)/pagemill serve

test: $(READY_DEV) ## Run lint, types, import rules and all tests
	@$(CHROMIUM) >/dev/null || echo "There is no Chromium, so the tests of the web pages are skipped; make browser installs one"
	@$(MAKE) $(TOGETHER) tests lint web types

# The first run compiles all tests, which every process would do for itself at the same time.
# The plus sign has make pass its output on at once, though that of the other checks is kept together.
tests: $(READY_DEV) ## Run all tests without the other checks
	@[ -d tests/__pycache__ ] || $(BIN)/pytest --collect-only -q >/dev/null || true
	+$(BIN)/pytest -n $(TESTERS) $(SPREAD) $(PYTEST) || { [ $$? = 1 ] && $(ALONE); }

quick: $(READY_DEV) ## Run lint, types, import rules and the tests of single parts: no browser, no cluster, no document service at work, no commands
	@$(MAKE) $(TOGETHER) quick-tests lint types

quick-tests: $(READY_DEV) ## Run the tests of `make quick` without the other checks
	+$(BIN)/pytest -q -n $(QUICK_TESTERS) $(SPREAD) -m '$(QUICK)' $(PYTEST)

lint: $(READY_DEV) ## Check style and formatting
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mdformat --check *.md docs

web: ## Check the scripts and styles of the web pages (needs Node.js 20; without it they are left unchecked)
	@if command -v npm >/dev/null; then cd web && npm install --no-save --no-audit --no-fund --silent && npm run --silent check; \
	elif [ -n "$$CI" ]; then echo "npm is missing: install Node.js 20 or later" >&2; exit 1; \
	else echo "npm is missing, so the scripts of the web pages are not checked"; fi

openapi: $(READY_DEV) ## Check the OpenAPI document with Redocly and Spectral (needs Node.js 20)
	@mkdir -p dist && $(BIN)/python -m tools.openapi > dist/openapi.json
	npm exec --yes --package=@redocly/cli@$(REDOCLY_VERSION) -- redocly lint --config web/redocly.yaml dist/openapi.json
	npm exec --yes --package=@stoplight/spectral-cli@$(SPECTRAL_VERSION) -- spectral lint --display-only-failures --fail-severity=error -r web/spectral.yaml dist/openapi.json

browser: ## Install Chromium, a system package, for the tests of the web pages (Debian and Ubuntu, as root)
	@if command -v $(firstword $(BROWSERS)); then echo "Chromium is installed already"; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update -qq && \
	  for package in $(BROWSERS); do \
	    echo "Installing the system package $$package with apt-get"; \
	    DEBIAN_FRONTEND=noninteractive apt-get install -qq -y $$package >/dev/null && break; \
	  done; then true; \
	elif $(CHROMIUM); then echo "Chromium is installed already"; \
	else echo "Install Chromium with your package manager; as root on Debian: apt-get install $(firstword $(BROWSERS))" >&2; exit 1; fi

scanner: ## Install clamd, a system package, for the tests of malware scanning (Debian and Ubuntu, as root)
	@if command -v clamd || ls /usr/sbin/clamd 2>/dev/null; then echo "clamd is installed already"; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  echo "Installing the system package clamav-daemon with apt-get"; \
	  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends clamav-daemon >/dev/null; \
	else echo "Install clamd with your package manager; as root on Debian and Ubuntu: apt-get install clamav-daemon" >&2; exit 1; fi

wheel: $(READY_DEV) ## Build the wheel into dist/
	$(BIN)/uv build --quiet --wheel --no-build-isolation --python $(BIN)/python --out-dir dist
	@ls dist/*.whl

format: $(READY_DEV) ## Format the code and mend what can be mended
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/mdformat *.md docs

types: $(READY_DEV) ## Check the types
	$(BIN)/mypy

imports: $(READY_DEV) ## Check that imports run downhill
	$(BIN)/lint-imports --no-logo

docs: $(READY_DEV) ## Write the generated pages of docs/ again
	$(BIN)/python -m tools.reference

sbom: $(TOOLS)/.ready ## Write bills of materials (CycloneDX) of what is needed to run to dist/
	@mkdir -p dist
	$(TOOLS)/bin/cyclonedx-py requirements requirements.lock --pyproject pyproject.toml --output-reproducible --output-file dist/sbom.cdx.json
	$(TOOLS)/bin/cyclonedx-py requirements requirements-cluster.lock --pyproject pyproject.toml --output-reproducible --output-file dist/sbom-cluster.cdx.json

audit: $(TOOLS)/.ready ## Look for known weaknesses of what is needed to run (needs the network)
	$(TOOLS)/bin/pip-audit --requirement requirements.lock --require-hashes --disable-pip --progress-spinner off
	$(TOOLS)/bin/pip-audit --requirement requirements-cluster.lock --require-hashes --disable-pip --progress-spinner off

$(TOOLS)/.ready: Makefile
	@$(PYTHON) -m venv $(TOOLS)
	@$(TOOLS)/bin/python -m pip install --quiet --disable-pip-version-check cyclonedx-bom==$(CYCLONEDX_VERSION) pip-audit==$(PIP_AUDIT_VERSION)
	@touch $@

screenshots: $(READY_DEV) ## Take pictures of the web pages for docs/images
	@$(BIN)/python -m tools.screenshots

example: $(READY_DEV) ## Build examples/sveltekit and try it in Chromium (needs Node.js 20.19)
	cd examples/sveltekit && npm install --no-save --no-audit --no-fund --silent && npm run --silent build
	@$(BIN)/python -m pytest -q -p no:cacheprovider examples/sveltekit/test_in_browser.py

azure-test: $(READY_DEV) ## Try az:// against Azurite, the emulator of Azure Blob Storage (needs Node.js 20)
	npm install --prefix .azurite --no-save --no-audit --no-fund --silent azurite@$(AZURITE_VERSION)
	@$(BIN)/python -m pytest -q -p no:cacheprovider tests/contracts/test_blobs.py tests/api/test_by_reference.py -k azure

bench: $(READY_DEV) ## Measure against bare baselines; one line of JSON for each figure
	@$(BIN)/python -m bench $(BENCH)

fuzz: $(READY_DEV) ## Run changed documents and generated requests through a server, long (make fuzz FUZZ="--count 300 --seed 2")
	@$(BIN)/python -m bench.fuzz $(FUZZ)
	@$(BIN)/python -m bench.generated_requests

corpus: $(READY_DEV) ## Run a folder of documents with a manifest through the service (make corpus CORPUS=DIR)
	@test -n "$(CORPUS)" || { echo "Say which folder: make corpus CORPUS=DIR" >&2; exit 2; }
	@$(BIN)/python -m bench.corpus "$(CORPUS)"

image-test: $(READY_DEV) ## Build the image on a base of Debian's packages and run it against PostgreSQL, Redis and S3 (as root, with buildah, podman, crun and mmdebstrap)
	@$(BIN)/python -m tests.deploy.image_trial

faults: $(READY_DEV) ## Cause every fault for real, long, and write the table of docs/reliability.md (make faults FAULTS="-m long -k broker" runs some)
	@$(BIN)/python -m tests.faults $(FAULTS)

quality: $(READY_DEV) ## Score the reading beside other engines (make quality CORPUS=DIR, or QUALITY=--synthetic without one)
	@$(BIN)/python -m quality $(CORPUS) $(QUALITY)

train: $(READY_DEV) browser ## Train the models of the layout again (make train CORPUS=DIR)
	@test -n "$(CORPUS)" || { echo "Say which folder: make train CORPUS=DIR" >&2; exit 2; }
	@$(BIN)/python -m train "$(CORPUS)" $(TRAIN)

lock: $(BIN)/uv ## Write the lock files again, with the newest versions that fit
	$(LOCK) --upgrade --group build --output-file requirements.lock
	$(LOCK) --upgrade --group dev --constraint requirements.lock --output-file requirements-dev.lock
	$(LOCK) --upgrade --extra cluster --extra traces --constraint requirements-dev.lock --output-file requirements-cluster.lock

clean: ## Remove the environment and the caches; the data folder stays
	rm -rf $(VENV) $(TOOLS) .image web/node_modules .quality .train .pytest_cache .mypy_cache .ruff_cache .hypothesis .schemathesis .import_linter_cache dist
	find src tests bench quality tools train -name __pycache__ -type d -prune -exec rm -rf {} +

$(READY): $(SETUP) | $(BIN)/uv
	@$(call install,requirements.lock)
	@touch $@

$(READY_DEV): $(SETUP) requirements-dev.lock | $(BIN)/uv
	@$(call install,requirements-dev.lock)
	@touch $@ $(READY)

# uv is quick but does not read pip's configuration; where only pip knows the way to packages, pip does it.
define install
echo "Installing $(1) into $(VENV); the first time this takes some minutes"; \
{ $(BIN)/uv pip install --quiet --system-certs --compile-bytecode --python $(BIN)/python --require-hashes -r $(1) \
    || $(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r $(1); } && \
$(BIN)/uv pip install --quiet --python $(BIN)/python --offline --no-deps --no-build-isolation --editable . && \
$(BIN)/python -m compileall -q src
endef

$(BIN)/uv:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "pagemill needs Python 3.11 or later; $(PYTHON) is not. Try: make PYTHON=python3.12 ..." >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || \
	  { echo "Python's venv module is missing; on Debian and Ubuntu: apt install python3-venv" >&2; exit 1; }
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION)
