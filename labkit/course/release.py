"""What a student gets: the course without its solutions, as a folder and as one zip.

A release is a mapping of paths to bytes, computed in one go; writing, zipping and comparing are
done on that. Nothing of the moment or the machine enters it: the same input gives the same bytes.
"""

import ast
import copy
import hashlib
import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from labkit.atomic import atomic_write
from labkit.course.cells import exercise_cells, exercise_problems, without_solutions
from labkit.course.exercises import exercise
from labkit.course.notebooks import course_notebooks, read_notebook
from labkit.errors import InputError

ROOT = Path(__file__).resolve().parents[2]
NAME = "labkit-course"
MANIFEST = "release.json"
NOTICE = "notice"
"""The id of the cell that says whose traffic a notebook is on; the course's own has none."""
# What a student needs besides the notebooks: the package, the records, and what sets them up.
CONTENTS = (
    "labkit/**/*.py",
    "labkit/py.typed",
    "labkit/grading/templates/*",
    "labkit/lab2/lesson.csv",
    "data/README.md",
    "data/flows.csv.gz",
    "data/checksums.txt",
    "data/other-seeds.csv",
    "data/sample-luflow/*.gz",
    "docs/edges.md",
    "docs/glossary.md",
    "docs/importing.md",
    "docs/real-traffic.md",
    "CITATION.cff",
    "LICENSE",
    "environment.yml",
    "pyproject.toml",
    "requirements.lock",
)
README = """\
# A lab course: judging and operating a rare-event detector

You need Python 3.11 or later (on Debian and Ubuntu also `apt install python3-venv`). Unpack this
folder where you want to work, open a terminal in it, and set up once, with the network on. It takes
a few minutes and about 1 GB.

On Linux and macOS:

    python3 -m venv .venv
    .venv/bin/python -m pip install --require-hashes --requirement requirements.lock
    .venv/bin/python -m pip install --no-deps --no-build-isolation --editable .

On Windows:

    py -m venv .venv
    .venv\\Scripts\\python -m pip install --require-hashes --requirement requirements.lock
    .venv\\Scripts\\python -m pip install --no-deps --no-build-isolation --editable .

With conda, on any of them:

    conda env create --file environment.yml
    conda activate labkit

From then on no network is needed. Start with

    .venv/bin/labkit lab            (Linux, macOS)
    .venv\\Scripts\\labkit lab        (Windows)
    labkit lab                      (conda)

The first notebook opens in your browser. If no browser opens, copy the address that begins with
http://localhost from the terminal. Ctrl-C in the terminal stops it.

In an exercise, put your answer where `...` stands and run the check below it: it says right, or
gives a hint. When you are done, hand in the files in `notebooks/`, with their names unchanged.

Keep the zip: what you changed or lost, unpack it again somewhere else and copy it from there. That
holds for `data/` too, which `labkit data make` overwrites with traffic that may not be yours.
"""


def student_notebook(notebook: NotebookNode) -> NotebookNode:
    """Return a notebook as a student gets it, with nbgrader's metadata on its exercises.

    Solutions are dropped, outputs and counts cleared; blanks are the cells that nbgrader lets a
    student fill, and checks are locked and worth the exercise's points.
    """
    blank = without_solutions(notebook)
    for name, cells in exercise_cells(blank).items():
        points = exercise(name).points
        for role, cell in cells.items():
            cell.metadata["nbgrader"] = {
                "grade": role == "check",
                "grade_id": cell.id,
                "locked": role != "stub",
                "schema_version": 3,
                "solution": role == "stub",
                "task": False,
            } | ({"points": points} if role == "check" else {})
            # Shown in JupyterLab as what may be edited and what may not.
            cell.metadata["editable"] = role == "stub"
            cell.metadata["deletable"] = False
    return blank


def asked_for(check_source: str) -> str:
    """Return the expression that a check cell hands over: "share" for `check("03-1", share)`."""
    return ast.unparse(ast.parse(check_source).body[0].value.args[1])


def release_files(root: Path = ROOT) -> dict[str, bytes]:
    """Return everything that a release holds: path with slashes -> bytes.

    Raises
    ------
    InputError
        When a notebook's exercises are not whole, so that a blank would promise what no solution
        keeps, there are two of one number, or a file is missing.
    """
    files = {"README.md": README.encode()}
    numbered: dict[str, str] = {}
    for path in course_notebooks(root / "notebooks"):
        # Such as the copy that JupyterLab makes when asked to duplicate.
        if (other := numbered.setdefault(path.name[:2], path.name)) != path.name:
            raise InputError(f"{path.name} and {other} have one number: move one away")
        notebook = read_notebook(path)
        if problems := exercise_problems(notebook):
            raise InputError(f"{path.name}: {problems[0]}")
        files[f"notebooks/{path.name}"] = notebook_bytes(student_notebook(notebook))
    for pattern in CONTENTS:
        # What an editor keeps beside a file, such as .ipynb_checkpoints, is nobody's course.
        paths = sorted(path for path in root.glob(pattern) if not _is_hidden(path, root))
        if not paths:
            raise InputError(f"{root / pattern} is missing: a release needs it")
        for path in paths:
            # No line end of this platform's, so that every platform releases the same.
            content = path.read_bytes()
            if path.suffix != ".gz":
                content = content.replace(b"\r\n", b"\n")
            files[path.relative_to(root).as_posix()] = content
    return dict(sorted(files.items()))


def _is_hidden(path: Path, root: Path) -> bool:
    return any(part.startswith(".") for part in path.relative_to(root).parts)


def notebook_bytes(notebook: NotebookNode) -> bytes:
    """Return a notebook as the bytes of its file."""
    return (nbformat.writes(notebook).rstrip("\n") + "\n").encode()


def with_notice(files: Mapping[str, bytes], notice: str) -> dict[str, bytes]:
    """Return a release whose notebooks carry a notice below their opening."""
    noticed = dict(files)
    for name, content in files.items():
        if name.endswith(".ipynb"):
            notebook = nbformat.reads(content.decode(), as_version=4)
            cell = nbformat.v4.new_markdown_cell(notice, id=NOTICE)
            notebook = copy.copy(notebook)
            notebook.cells = [*notebook.cells[:1], cell, *notebook.cells[1:]]
            noticed[name] = notebook_bytes(notebook)
    return noticed


def digest(files: Mapping[str, bytes]) -> str:
    """Return a checksum of a whole release."""
    total = hashlib.sha256()
    for name, content in sorted(files.items()):
        total.update(f"{name}\0{hashlib.sha256(content).hexdigest()}\n".encode())
    return total.hexdigest()


def zipped(files: Mapping[str, bytes]) -> bytes:
    """Return a release as a zip, everything in one folder; equal releases give equal bytes."""
    buffer = io.BytesIO()
    # Stored, not deflated: compressors differ between platforms, and the records are packed.
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name, content in sorted(files.items()):
            entry = zipfile.ZipInfo(f"{NAME}/{name}", date_time=(1980, 1, 1, 0, 0, 0))
            entry.external_attr = 0o644 << 16
            entry.create_system = 3
            archive.writestr(entry, content)
    return buffer.getvalue()


def write_release(out: Path, files: Mapping[str, bytes]) -> None:
    """Write a release into a folder: as a folder, as a zip, and its manifest last.

    What an earlier release left in `labkit-course/` and this one has not is removed.

    Raises
    ------
    InputError
        When the folder holds something that no release wrote, or is a part of the package.
    """
    if out.resolve().is_relative_to(ROOT / "labkit"):
        raise InputError(f"{out} lies in the package, and would be released with it: name another")
    if out.exists() and not out.is_dir():
        raise InputError(f"{out} is a file; name a folder to release into")
    if out.is_dir() and any(out.iterdir()) and not (out / MANIFEST).is_file():
        raise InputError(f"{out} is not empty and holds no release: name a new folder")
    stale = set(_released(out)) - set(files)
    # First, so that a release that was stopped half-way is known for one and may be written again.
    _write_manifest(out, dict.fromkeys([*files, *sorted(stale)], ""))
    for name in stale:
        (out / NAME / name).unlink(missing_ok=True)
    for name, content in files.items():
        _write(out / NAME / name, content)
    _write(out / f"{NAME}.zip", zipped(files))
    _write_manifest(
        out, {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
    )


def release_differences(out: Path, files: Mapping[str, bytes]) -> list[str]:
    """Return what differs between a written release and the source, one line each.

    Raises
    ------
    InputError
        When no release lies in the folder.
    """
    if not (out / MANIFEST).is_file():
        raise InputError(f"{out} holds no release: write one with `labkit release {out}`")
    differences = [
        f"{name}: in the release, not in the source"
        for name in _released(out)
        if name not in files and (out / NAME / name).exists()
    ]
    for name, content in files.items():
        path = out / NAME / name
        if not path.is_file():
            differences.append(f"{name}: missing from the release")
        elif path.read_bytes() != content:
            differences.append(f"{name}: differs from the source")
    archive = out / f"{NAME}.zip"
    if not archive.is_file() or archive.read_bytes() != zipped(files):
        differences.append(f"{archive.name}: differs from the source")
    return differences


def _released(out: Path) -> list[str]:
    """Return the names that the manifest of an earlier release holds; none where there is none."""
    folder = (out / NAME).resolve()
    try:
        names = json.loads((out / MANIFEST).read_text(encoding="utf-8"))["files"].keys()
        # Files that it names may be removed.
        if not all((folder / name).resolve().is_relative_to(folder) for name in names):
            raise ValueError
    except FileNotFoundError:
        return []
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise InputError(f"{out / MANIFEST} is damaged: name a new folder") from None
    return list(names)


def _write_manifest(out: Path, files: Mapping[str, str]) -> None:
    _write(out / MANIFEST, (json.dumps({"files": files}, indent=1) + "\n").encode())


def _write(path: Path, content: bytes) -> None:
    with atomic_write(path) as file:
        file.write(content)
