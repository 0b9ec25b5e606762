"""A notebook's reported numbers beside those of a reference, cell by cell.

A number is known by what stands before it: on a line by the words on its left, in a table by its
row and column. Two numbers agree when they differ by no more than the lesson's tolerance, where the
row is a key of the lesson's, and else by no more than one step of the last decimal: a number just
between two steps may be rounded either way. Whole numbers agree when they are equal.
"""

import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from nbformat import NotebookNode

from labkit.course.notebooks import NOTEBOOKS, read_notebook
from labkit.errors import InputError
from labkit.lab2.lesson import lesson_values

# As long as a number that anybody reports; what is longer cannot be reckoned with.
_NUMBER = re.compile(
    r"(?<![\w.])-?(?:\d{1,3}(?:,\d{3}){1,12}|\d{1,40})(?:\.\d{1,40})?(?:e[+-]?\d{1,3})?(?![\w])"
)
_LONGEST_NAME = 80


@dataclass(frozen=True)
class Reported:
    """One number that a cell printed.

    Parameters
    ----------
    name
        What it is called, such as "gb_auc, here".
    text
        As printed.
    """

    name: str
    text: str

    @property
    def value(self) -> Decimal:
        """The number."""
        return Decimal(self.text.replace(",", ""))

    @property
    def last_digit(self) -> Decimal:
        """What one step of the last printed decimal is worth; 0 for a whole number."""
        exponent = self.value.as_tuple().exponent
        return Decimal(1).scaleb(exponent) if exponent < 0 else Decimal(0)


def compare_files(path: Path, reference: Path | None = None) -> list[str]:
    """Compare a notebook file with its reference.

    Parameters
    ----------
    path
        A notebook with the outputs that are to be checked.
    reference
        None for the course's notebook of the same name.

    Returns
    -------
    list of str
        As `compare`.

    Raises
    ------
    InputError
        When either is missing or no notebook, or the course has none of that name.
    """
    if reference is None:
        reference = NOTEBOOKS / path.name
        if not reference.is_file():
            raise InputError(f"the course has no notebook {path.name}; name one with --reference")
    return compare(_read(path), _read(reference))


def _read(path: Path) -> NotebookNode:
    if path.exists() and not path.is_file():
        raise InputError(f"{path} is not a file")
    with warnings.catch_warnings():
        # Of ids that are missing or stand twice: what comes of that is told cell by cell.
        warnings.simplefilter("ignore")
        return read_notebook(path)


def compare(notebook: NotebookNode, reference: NotebookNode) -> list[str]:
    """Return what differs, one line each; cells are numbered as a reader of the notebook sees them.

    What was not run, what ran out of order, numbers that differ or are missing, and cells of the
    reference that are gone. What the notebook has besides is its own.
    """
    found = list(_order(notebook))
    numbered = {cell.get("id"): (n, cell) for n, cell in enumerate(notebook.cells, start=1)}
    for n, expected in enumerate(reference.cells, start=1):
        numbers = reported(expected)
        if expected.cell_type != "code" or not numbers:
            continue
        if expected.get("id") not in numbered:
            found.append(f"cell {n} of the reference is missing: it reports {numbers[0].name}")
            continue
        place, cell = numbered[expected.get("id")]
        if cell.cell_type == "code" and cell.get("execution_count") is not None:
            found += [f"cell {place}: {text}" for text in _differences(reported(cell), numbers)]
    return found


def reported(cell: NotebookNode) -> list[Reported]:
    r"""Return the numbers that a cell printed, by name; checks and solutions report none.

    Examples
    --------
    >>> from nbformat.v4 import new_code_cell, new_output
    >>> table = "        lesson   here\ngb_auc   0.901  0.897\n"
    >>> cell = new_code_cell("", outputs=[new_output("stream", text=table)])
    >>> [(number.name, number.text) for number in reported(cell)]
    [('gb_auc, lesson', '0.901'), ('gb_auc, here', '0.897')]
    """
    if cell.cell_type != "code" or set(cell.metadata.get("tags", [])) & {"solution", "check"}:
        return []
    texts = [output.text for output in cell.outputs if output.get("name") == "stdout"]
    texts += [
        str(output.data.get("text/plain", ""))
        for output in cell.outputs
        if "data" in output and "image/png" not in output.data
    ]
    return [number for text in texts for number in _numbers(text)]


def _order(notebook: NotebookNode) -> Iterator[str]:
    before = 0
    for n, cell in enumerate(notebook.cells, start=1):
        if cell.cell_type != "code" or not cell.source.strip():
            continue
        count = cell.get("execution_count")
        if count is None:
            yield f"cell {n} was not run"
        elif count <= before:
            yield f"cell {n} was run out of order: as number {count}, after number {before}"
        else:
            before = count
        if any(output.output_type == "error" for output in cell.outputs):
            yield f"cell {n} ends in an error"


def _numbers(text: str) -> Iterator[Reported]:
    header: list[tuple[int, str]] = []
    follows_header = False
    for line in text.splitlines():
        matches = list(_NUMBER.finditer(line))
        if not matches:
            # Words of a table's head, with where each ends: columns are set flush right. The name
            # of the rows may stand on a line of its own.
            words = [(match.end(), match.group()) for match in re.finditer(r"\S+(?: \S+)*", line)]
            header = [*header, *words] if follows_header else words
            follows_header = bool(words)
            continue
        follows_header = False
        columns = dict(header)
        label = " ".join(line[: matches[0].start()].split()).rstrip(":")
        if not label and len(matches) > 1 and matches[0].end() not in columns and columns:
            label = matches.pop(0).group()
        before = matches[0].start()
        for match in matches:
            words = " ".join(line[before : match.start()].split()).strip(" :,;()")
            name = ", ".join(part for part in (label, columns.get(match.end(), words)) if part)
            yield Reported(_shown(name) or "the number", match.group())
            before = match.end()


def _shown(name: str) -> str:
    """Return a name to be printed on a terminal, which takes some signs for orders."""
    name = "".join(sign for sign in name if sign.isprintable())
    return name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}…"


def _differences(here: list[Reported], expected: list[Reported]) -> Iterator[str]:
    tolerances = {value.key: value.tolerance for value in lesson_values() if value.tolerance}
    for one, wanted in zip(here, expected, strict=False):
        if one.name != wanted.name:
            yield f"reports {one.name} where the reference has {wanted.name}"
            return
        key = wanted.name.partition(",")[0]
        tolerance = max(Decimal(str(tolerances.get(key, 0))), wanted.last_digit)
        if abs(one.value - wanted.value) > tolerance:
            yield f"{wanted.name} is {one.text}, the reference has {wanted.text}"
    if len(here) < len(expected):
        yield f"{expected[len(here)].name} is missing, the reference has {expected[len(here)].text}"
    elif len(here) > len(expected):
        yield f"reports {here[len(expected)].name}, which the reference does not"
