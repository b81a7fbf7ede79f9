# Two commands: `make run` serves the app, `make test` proves it. Each installs what it needs.

HOST ?= 127.0.0.1
PORT ?= 8501
PROCESSES ?= 0
PY := .venv/bin/python
INSTALL := -m pip install --quiet --disable-pip-version-check --no-input
COMPILE := $(PY) -m uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
  --no-annotate --no-header

.PHONY: help run serve test check format bench fuzz fit lock browser reference clean

help: ## Say what can be made
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-8s %s\n", $$1, $$2}' Makefile

run: .venv/run.stamp ## Serve the app on http://localhost:8501 (PORT=... for another port)
	@PORT=$(PORT) AISIM_LOG_REQUESTS=false $(PY) -m aisim_ui.serve

serve: .venv/run.stamp ## Serve the app to many, as docs/hosting.md says (HOST=..., PORT=...)
	@HOST=$(HOST) PORT=$(PORT) AISIM_PROCESSES=$(PROCESSES) $(PY) -m aisim_ui.serve

test: check browser reference ## Everything that has to hold: check, then every test
	$(PY) -m pytest -n 2 --dist worksteal -m "not browser" --cov
	$(PY) -m pytest -n 2 --dist worksteal -m browser

check: .venv/test.stamp ## Format, lint, types and the import contract, without running a test
	$(PY) -m ruff format --check .
	$(PY) -m ruff check .
	$(PY) -m mypy
	$(PY) -c "from importlinter.cli import lint_imports_command as check; check()"

format: .venv/test.stamp ## Format the code and mend what lint can mend
	$(PY) -m ruff format .
	$(PY) -m ruff check --fix .

bench: .venv/test.stamp reference ## Every ratio that the project promises, each beside its bound
	@failed=0; for file in $$(grep -l '^if __name__ == "__main__"' tests/benchmarks/*.py); do \
	  echo "== $$file"; $(PY) "$$file" || failed=1; done; exit $$failed

FUZZED := tests/model/traces tests/model/scenario/test_file.py tests/model/calibration/test_reading.py \
  tests/model/models/kv_cache/test_bad_input.py tests/model/test_plain_text.py tests/ui/test_share.py

fuzz: .venv/test.stamp ## Read files and links as nobody writes them, 3,000 new ones a property
	$(PY) -m pytest --hypothesis-profile=fuzz -q $(FUZZED)

fit: .venv/test.stamp ## Fit the roofline to the silicon rows again, and predict them by what takes long
	$(PY) -m aisim_model.evidence.fit_silicon $(ROWS)

lock: .venv/test.stamp ## Lock the newest versions that pyproject.toml allows
	$(PY) $(INSTALL) "uv>=0.9"
	$(COMPILE) --upgrade pyproject.toml --extra app --extra build -o locks/run.lock
	$(COMPILE) --upgrade pyproject.toml --extra app --extra build --extra test -c locks/run.lock -o locks/test.lock
	$(COMPILE) --upgrade tests/reference/reference.in -o tests/reference/reference.lock

clean: ## Remove what the other targets made
	rm -rf .venv .venv-reference .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis .coverage*

.venv/python.stamp:
	@for candidate in $(PYTHON) .venv/bin/python python3.14 python3.13 python3.12 python3.11 python3 python; do \
	  if "$$candidate" -c 'import ensurepip, sys, venv; sys.exit(not (3, 11) <= sys.version_info < (3, 15))' \
	      2>/dev/null; then found=$$candidate; break; fi; done; \
	if [ -z "$$found" ]; then \
	  echo "AISim needs Python 3.11 to 3.14 with venv (on Debian: apt-get install python3 python3-venv)." \
	    "Install one, or name it: make run PYTHON=/path/to/python3"; exit 1; fi; \
	if [ "$$found" != .venv/bin/python ]; then \
	  echo "Making .venv with $$("$$found" --version)"; "$$found" -m venv --clear .venv; fi
	@touch $@

.venv/run.stamp: .venv/python.stamp locks/run.lock pyproject.toml
	@echo "Installing what the app needs"
	@$(PY) $(INSTALL) --require-hashes --only-binary :all: -r locks/run.lock
	@$(PY) $(INSTALL) --no-deps --no-build-isolation --editable .
	@echo "Compiling the app and the replay"
	@$(PY) -m compileall -q aisim_model aisim_ui aisim_cli
	@$(PY) -m aisim_model.replay.warm
	@touch $@

.venv/test.stamp: .venv/run.stamp locks/test.lock
	@echo "Installing what tests need"
	@$(PY) $(INSTALL) --require-hashes --only-binary :all: -r locks/test.lock
	@touch $@

# A browser of the machine is taken as it is; else Debian's own; else the one that Playwright brings. The proxy's
# configuration is tested where nginx is or may be installed.
BROWSERS := chromium chromium-browser google-chrome google-chrome-stable chrome
FIND_BROWSER := for name in $(BROWSERS); do command -v $$name >/dev/null && exit 0; done

browser: .venv/test.stamp
	@command -v nginx >/dev/null || [ -x /usr/sbin/nginx ] || missing=nginx-light; \
	for name in $(BROWSERS); do command -v $$name >/dev/null && found=$$name; done; \
	if [ -z "$$found" ]; then missing="$$missing chromium"; fi; \
	if [ -n "$$missing" ] && command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; then \
	  echo "Installing$$missing for the tests"; \
	  apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq -y install $$missing >/dev/null; fi; \
	$(FIND_BROWSER); \
	$(PY) -m playwright install chromium

# The reference engine wants an older pydantic than ours, so it lives in an environment of its own.
ifeq ($(shell uname -sm),Linux x86_64)
reference: .venv-reference/stamp
else
reference:
	@echo "The reference engine comes for Linux on x86-64 only: the tests against it are left out here"
endif

.venv-reference/stamp: tests/reference/reference.lock | .venv/test.stamp
	@echo "Installing the reference engine"
	@$(PY) -m venv --clear .venv-reference
	@.venv-reference/bin/python $(INSTALL) --require-hashes --only-binary :all: -r tests/reference/reference.lock
	@touch $@
