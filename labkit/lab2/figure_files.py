"""The files in figures/: written from the figures and animations, and compared with them.

A drawing is made from the CSV beside it and from nothing else, so whoever has the CSV has checked
the figure. An animation may have several: what its frames show, and what stays in all of them.
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
import PIL
import sklearn

from labkit.atomic import atomic_write
from labkit.data import load_flows
from labkit.data.files import flows_as_csv
from labkit.errors import InputError
from labkit.lab2 import animations, figures
from labkit.lab2.animations import Animation
from labkit.lab2.experiment import Experiment, run
from labkit.lab2.figures import Figure
from labkit.plots import STYLE
from labkit.plots.pictures import gif

FIGURES = (*figures.FIGURES, *animations.ANIMATIONS)
FIGURES_FOLDER = Path(__file__).resolve().parents[2] / "figures"
MANIFEST = "manifest.json"
# The CSV keeps ten digits; what differs by less than this is another release's arithmetic.
TOLERANCE = 1e-6
# What each format would record of the moment and the machine.
_LEFT_OUT = {"svg": "Date", "png": "Software"}
# Whose release decides on the bytes of a picture.
_DRAWN_BY = ("matplotlib", "pillow")

Tables = dict[str, pd.DataFrame]
"""The tables behind a figure, by the names of their files without ending."""


def write_figures(folder: Path, progress: Callable[[str], None] = lambda name: None) -> None:
    """Compute and draw every figure; write SVG, PNG or GIF, and CSV, and the manifest last.

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
        contents = {f"{name}.csv": _as_csv(table) for name, table in tables[figure.name].items()}
        stored = {
            name.removesuffix(".csv"): pd.read_csv(io.BytesIO(csv))
            for name, csv in contents.items()
        }
        for name, content in (contents | _render(figure, stored)).items():
            with atomic_write(folder / name) as file:
                file.write(content)
            checksums[name] = hashlib.sha256(content).hexdigest()
        progress(figure.name)
    manifest = _manifest(flows) | {"files": checksums}
    with atomic_write(folder / MANIFEST) as file:
        file.write((json.dumps(manifest, indent=2) + "\n").encode())


def figure_tables(flows: pd.DataFrame) -> dict[str, Tables]:
    """Return the tables behind each figure, by the figure's name and by their own."""
    experiment = run(flows, booster_seeds=(0,))
    return {figure.name: _tables(figure, experiment) for figure in FIGURES}


def _tables(figure: Figure | Animation, experiment: Experiment) -> Tables:
    data = figure.data(experiment)
    if isinstance(figure, Figure):
        return {figure.name: data}
    return {f"{figure.name}-{part}": table for part, table in data.items()}


def check_figures(folder: Path) -> list[str]:
    """Compare the files of a folder with the figures as computed now.

    The tables are compared number by number. The pictures are drawn again from the stored tables
    and compared byte by byte where matplotlib and Pillow are the releases that the manifest names;
    others may draw differently, and then they must be the files that the manifest names.

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
    is_same = all(manifest[tool] == now[tool] for tool in _DRAWN_BY)
    checksums = None if is_same else manifest["files"]
    for figure, tables in zip(FIGURES, figure_tables(flows).values(), strict=True):
        compared = (_compare_table(folder / f"{name}.csv", tables[name]) for name in tables)
        difference = next(filter(None, compared), "")
        if not difference:
            difference = _compare_pictures(folder, figure, list(tables), checksums)
        if difference:
            differences.append(f"{figure.name}: {difference}")
    return differences


def read_manifest(folder: Path) -> dict[str, Any]:
    """Return which records, tools and files (with their checksums) a folder was made with."""
    path = folder / MANIFEST
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
        return {name: manifest[name] for name in ("flows", *_DRAWN_BY, "files")}
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        raise InputError(f"{path} is missing or damaged: run `labkit figures`") from None


def _manifest(flows: pd.DataFrame) -> dict[str, str]:
    return {
        "flows": hashlib.sha256(flows_as_csv(flows)).hexdigest(),
        "matplotlib": mpl.__version__,
        "numpy": np.__version__,
        "pandas": pd.__version__,
        "pillow": PIL.__version__,
        "scikit-learn": sklearn.__version__,
    }


def _render(figure: Figure | Animation, tables: Tables) -> dict[str, bytes]:
    """Return the pictures of a figure by their file names, drawn from its tables."""
    if isinstance(figure, Animation):
        parts = {name.removeprefix(f"{figure.name}-"): table for name, table in tables.items()}
        moving = gif(figure.drawings(parts), figure.title, figure.milliseconds)
        return {f"{figure.name}.gif": moving}
    drawing = figure.draw(tables[figure.name])
    contents = {}
    with plt.style.context(STYLE):
        for ending, left_out in _LEFT_OUT.items():
            buffer = io.BytesIO()
            drawing.savefig(buffer, format=ending, metadata={left_out: None, "Title": figure.title})
            contents[f"{figure.name}.{ending}"] = buffer.getvalue()
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


def _compare_pictures(
    folder: Path, figure: Figure | Animation, tables: list[str], checksums: dict[str, str] | None
) -> str:
    """Compare with checksums where there are any, else with what is drawn from the CSV now."""
    endings = ("gif",) if isinstance(figure, Animation) else tuple(_LEFT_OUT)
    paths = [folder / f"{figure.name}.{ending}" for ending in endings]
    for path in paths:
        if not path.is_file():
            return f"{path.name} is missing"
    if checksums is not None:
        for path in paths:
            if hashlib.sha256(path.read_bytes()).hexdigest() != checksums.get(path.name):
                return f"{path.name} is not the file that {MANIFEST} names"
        return ""
    drawn = _render(figure, {name: pd.read_csv(folder / f"{name}.csv") for name in tables})
    for path in paths:
        stored, now = (
            np.frombuffer(data, np.uint8) for data in (path.read_bytes(), drawn[path.name])
        )
        if not np.array_equal(stored, now):
            size = min(len(stored), len(now))
            unequal = np.count_nonzero(stored[:size] != now[:size]) + abs(len(stored) - len(now))
            return f"{path.name} differs in {unequal} of {len(now)} bytes"
    return ""
