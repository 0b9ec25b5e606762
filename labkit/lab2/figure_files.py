"""The files in figures/: written from the figures, and compared with them.

A drawing is made from the CSV beside it and from nothing else, so whoever has the CSV has checked
the figure.
"""

import hashlib
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import sklearn

from labkit.atomic import atomic_write
from labkit.data import load_flows
from labkit.data.files import flows_as_csv
from labkit.errors import InputError
from labkit.lab2.experiment import run
from labkit.lab2.figures import FIGURES, Figure
from labkit.plots import STYLE

FIGURES_FOLDER = Path(__file__).resolve().parents[2] / "figures"
MANIFEST = "manifest.json"
# The CSV keeps ten digits; what differs by less than this is another release's arithmetic.
TOLERANCE = 1e-6
# What each format would record of the moment and the machine.
_LEFT_OUT = {"svg": "Date", "png": "Software"}


def write_figures(folder: Path, progress: Callable[[str], None] = lambda name: None) -> None:
    """Compute and draw every figure; write SVG, PNG and CSV, and the manifest last.

    Parameters
    ----------
    folder
        Where to write; made if missing.
    progress
        Called with a figure's name when it is written.
    """
    flows = load_flows()
    tables = figure_tables(flows)
    checksums = {}
    for figure in FIGURES:
        csv = _as_csv(tables[figure.name])
        contents = {"csv": csv} | _render(figure, pd.read_csv(io.BytesIO(csv)))
        for ending, content in contents.items():
            with atomic_write(folder / f"{figure.name}.{ending}") as file:
                file.write(content)
            checksums[f"{figure.name}.{ending}"] = hashlib.sha256(content).hexdigest()
        progress(figure.name)
    manifest = _manifest(flows) | {"files": checksums}
    with atomic_write(folder / MANIFEST) as file:
        file.write((json.dumps(manifest, indent=2) + "\n").encode())


def figure_tables(flows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the table behind each figure, by the figure's name."""
    experiment = run(flows, booster_seeds=(0,))
    return {figure.name: figure.data(experiment) for figure in FIGURES}


def check_figures(folder: Path) -> list[str]:
    """Compare the files of a folder with the figures as computed now.

    The tables are compared number by number. The pictures are drawn again from the stored tables
    and compared byte by byte where matplotlib is the release that the manifest names; another may
    draw differently, and then they must be the files that the manifest names.

    Parameters
    ----------
    folder
        What `write_figures` wrote.

    Returns
    -------
    list of str
        One line a difference, saying which figure differs and by how much; empty when all agree.
    """
    flows = load_flows()
    manifest = read_manifest(folder)
    now = _manifest(flows)
    differences = []
    if manifest["flows"] != now["flows"]:
        differences.append("manifest.json was written from other flow records than data/ holds")
    checksums = None if manifest["matplotlib"] == now["matplotlib"] else manifest["files"]
    for figure, table in zip(FIGURES, figure_tables(flows).values(), strict=True):
        difference = _compare_table(folder / f"{figure.name}.csv", table)
        if not difference:
            difference = _compare_pictures(folder, figure, checksums)
        if difference:
            differences.append(f"{figure.name}: {difference}")
    return differences


def read_manifest(folder: Path) -> dict[str, Any]:
    """Return which records, matplotlib and files (with their checksums) a folder was made with."""
    path = folder / MANIFEST
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
        return {name: manifest[name] for name in ("flows", "matplotlib", "files")}
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        raise InputError(f"{path} is missing or damaged: run `labkit figures`") from None


def _manifest(flows: pd.DataFrame) -> dict[str, str]:
    return {
        "flows": hashlib.sha256(flows_as_csv(flows)).hexdigest(),
        "matplotlib": mpl.__version__,
        "numpy": np.__version__,
        "pandas": pd.__version__,
        "scikit-learn": sklearn.__version__,
    }


def _render(figure: Figure, table: pd.DataFrame) -> dict[str, bytes]:
    drawing = figure.draw(table)
    contents = {}
    with plt.style.context(STYLE):
        for ending, left_out in _LEFT_OUT.items():
            buffer = io.BytesIO()
            drawing.savefig(buffer, format=ending, metadata={left_out: None, "Title": figure.title})
            contents[ending] = buffer.getvalue()
    plt.close(drawing)
    return contents


def _as_csv(table: pd.DataFrame) -> bytes:
    return table.to_csv(index=False, float_format="%.10g", lineterminator="\n").encode()


def _compare_table(path: Path, table: pd.DataFrame) -> str:
    if not path.is_file():
        return f"{path.name} is missing"
    try:
        stored = pd.read_csv(path)
    except ValueError as error:
        return f"{path.name} is damaged ({str(error).strip()})"
    if list(stored.columns) != list(table.columns) or len(stored) != len(table):
        return (
            f"{path.name} has {len(stored)} rows of {', '.join(stored.columns)}; "
            f"now {len(table)} rows of {', '.join(table.columns)}"
        )
    for name in table.columns:
        if pd.api.types.is_numeric_dtype(table[name]):
            numbers = pd.to_numeric(stored[name], errors="coerce")
            off = (numbers - table[name]).abs()
            unequal = (off > TOLERANCE) | (numbers.isna() != table[name].isna())
        else:
            unequal = stored[name] != table[name]
            off = unequal.astype(float)
        if unequal.any():
            row = int(unequal.to_numpy().argmax())
            return (
                f"column {name} differs in {int(unequal.sum())} of {len(table)} rows, by up to "
                f"{off.max():.3g} (row {row}: {stored[name][row]}, now {table[name][row]})"
            )
    return ""


def _compare_pictures(folder: Path, figure: Figure, checksums: dict[str, str] | None) -> str:
    """Compare with checksums where there are any, else with what is drawn from the CSV now."""
    paths = {ending: folder / f"{figure.name}.{ending}" for ending in _LEFT_OUT}
    for path in paths.values():
        if not path.is_file():
            return f"{path.name} is missing"
    if checksums is not None:
        for path in paths.values():
            if hashlib.sha256(path.read_bytes()).hexdigest() != checksums.get(path.name):
                return f"{path.name} is not the file that {MANIFEST} names"
        return ""
    drawn = _render(figure, pd.read_csv(folder / f"{figure.name}.csv"))
    for ending, path in paths.items():
        stored, now = (np.frombuffer(data, np.uint8) for data in (path.read_bytes(), drawn[ending]))
        if not np.array_equal(stored, now):
            size = min(len(stored), len(now))
            unequal = np.count_nonzero(stored[:size] != now[:size]) + abs(len(stored) - len(now))
            return f"{path.name} differs in {unequal} of {len(now)} bytes"
    return ""
