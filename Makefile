# make run   set up, then data, notebooks, figures and the table of numbers
# make test  set up, then lint, tests, and every notebook executed again and compared
# make test-grading, make test-browser  what takes minutes more, and other programs
# On Windows: see the README for the conda way.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# One thread: on tables of this size OpenMP's threads only wait for each other.
export OMP_NUM_THREADS := 1

.PHONY: run test lint tests notebooks-test test-grading test-browser test-versions lab lock seeds bench clean

run: $(VENV)/run.stamp
	$(BIN)/labkit data verify || $(BIN)/labkit data make
	$(BIN)/labkit run
	$(BIN)/labkit figures
	$(BIN)/labkit numbers

test: lint tests notebooks-test

lint: $(VENV)/test.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

tests: $(VENV)/test.stamp
	$(BIN)/python -m pytest -n 2 --dist loadfile

notebooks-test: $(VENV)/test.stamp
	$(BIN)/python -m pytest -c tests/notebooks/nbval.ini --rootdir . -n 2 --dist loadfile notebooks

# Hostile and broken submissions, graded in the sandbox; needs bubblewrap, skips without it.
test-grading: $(VENV)/test.stamp
	$(BIN)/python -m pytest -n 2 --dist loadfile tests/grading

# The curves that move, by keyboard in JupyterLab; needs Chromium, skips without it.
test-browser: $(VENV)/test.stamp
	$(BIN)/python -m pytest tests/browser

# The same numbers under other Pythons and under the oldest and newest releases allowed.
test-versions:
	PYTHON=$(PYTHON) tests/versions.sh

lab: $(VENV)/run.stamp
	$(BIN)/labkit lab

# The lesson's story on traffic from seeds that nothing was tuned on; takes minutes.
seeds: $(VENV)/run.stamp
	$(BIN)/labkit numbers --seeds 120 --out data/other-seeds.csv

# A stamp says that a step was finished: one that was killed half-way is done again. The two below
# are remade only when a lock or the package's own description changes.
$(VENV)/venv.stamp:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or later is needed; name one with make PYTHON=...")'
	$(PYTHON) -m venv --clear $(VENV)
	touch $@

$(VENV)/run.stamp: requirements.lock pyproject.toml | $(VENV)/venv.stamp
	$(BIN)/python -m pip install --quiet --require-hashes --requirement requirements.lock
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	touch $@

$(VENV)/test.stamp: requirements-test.lock $(VENV)/run.stamp
	$(BIN)/python -m pip install --quiet --require-hashes --requirement requirements-test.lock
	touch $@

lock:
	$(PYTHON) -m venv .venv-lock
	.venv-lock/bin/python -m pip install --quiet uv
	.venv-lock/bin/uv pip compile pyproject.toml --group build --universal --generate-hashes --no-header --quiet --output-file requirements.lock
	.venv-lock/bin/uv pip compile pyproject.toml --group build --extra parquet --extra scale --extra grading --extra test --extra bench --universal --generate-hashes --no-header --quiet --constraint requirements.lock --output-file requirements-test.lock

# Every promise of speed and memory, measured side by side; takes minutes and a quiet machine.
bench: $(VENV)/test.stamp
	$(BIN)/python benchmarks/run.py
	$(BIN)/python benchmarks/report.py

clean:
	rm -rf $(VENV) .venv-lock .venv-versions
