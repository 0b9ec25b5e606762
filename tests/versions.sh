#!/usr/bin/env bash
# The notebooks and numbers under other Pythons, and under the oldest and the newest releases that
# pyproject.toml allows. A Python that is not there is skipped, and said so.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=.venv-versions
mkdir -p "$folder"
export OMP_NUM_THREADS=1

# The lowest version that each range in pyproject.toml admits, as pip constraints.
lowest() {
  "$1" - <<'PY'
import re, tomllib
project = tomllib.load(open("pyproject.toml", "rb"))["project"]
for requirement in project["dependencies"]:
    name, version = re.fullmatch(r"([\w-]+)>=([\d.]+)", requirement).groups()
    print(f"{name}=={version}.*" if version.count(".") < 2 else f"{name}=={version}")
PY
}

check() { # python, name, pip arguments...
  local python=$1 name=$2
  shift 2
  # A name may stand for a version manager that has no such Python.
  if ! "$python" --version >/dev/null 2>&1; then
    echo "SKIPPED $name: $python is not on this machine"
    return
  fi
  local env="$folder/$name"
  if [ ! -f "$env/stamp" ]; then
    "$python" -m venv "$env"
    "$env/bin/python" -m pip install --quiet "$@"
    touch "$env/stamp"
  fi
  echo "== $name: $("$env/bin/python" -c 'import sys, sklearn, numpy, pandas; print("Python", sys.version.split()[0], "scikit-learn", sklearn.__version__, "numpy", numpy.__version__, "pandas", pandas.__version__)')"
  "$env/bin/labkit" data verify
  "$env/bin/labkit" numbers >/dev/null
  "$env/bin/labkit" figures --check
  "$env/bin/python" -m pytest -c tests/notebooks/nbval.ini --rootdir . --quiet notebooks
}

lowest "${PYTHON:-python3}" >"$folder/lowest.txt"
check python3.11 py311-lowest --constraint "$folder/lowest.txt" --editable .
check python3.12 py312-newest --editable .
check python3.13 py313-newest --editable .
