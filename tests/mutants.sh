#!/usr/bin/env bash
# Mutation testing by cosmic-ray: every operator, number and comparison of the sweep, the budgets and
# the intervals is changed in turn, and the tests must notice. Works on a copy of the last commit;
# takes about an hour. Survivors are printed as differences, to be read by a person.
set -euo pipefail
cd "$(dirname "$0")/.."
PYTHON=${PYTHON:-python3}
env=$PWD/.venv-mutants
if [ ! -f "$env/stamp" ]; then
  "$PYTHON" -m venv --clear "$env"
  "$env/bin/python" -m pip install --quiet --require-hashes --requirement requirements-test.lock
  "$env/bin/python" -m pip install --quiet "cosmic-ray>=8.3,<9"
  touch "$env/stamp"
fi
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
git archive HEAD | tar --extract --directory "$copy"
cd "$copy"
export OMP_NUM_THREADS=1 PYTHONPATH=$copy PYTHONDONTWRITEBYTECODE=1 PATH="$env/bin:$PATH"
modules=(
  labkit/metrics/sweep.py labkit/metrics/ranking.py labkit/metrics/choice.py
  labkit/metrics/intervals.py labkit/decisions/budgets.py
)
for module in "${@:-${modules[@]}}"; do
  name=$(basename "$module" .py)
  cat >"$name.toml" <<TOML
[cosmic-ray]
module-path = "$module"
timeout = 120.0
excluded-modules = []
test-command = "python -m pytest -x -q -p no:cacheprovider tests/metrics tests/decisions --deselect tests/metrics/test_resampling.py"
[cosmic-ray.distributor]
name = "local"
TOML
  cosmic-ray init "$name.toml" "$name.sqlite" >/dev/null
  cosmic-ray exec "$name.toml" "$name.sqlite"
  echo "== $module"
  cr-report --surviving-only --show-diff "$name.sqlite" || cr-report "$name.sqlite"
done
