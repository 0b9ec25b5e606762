"""What a notebook must keep to, beyond what executing it again shows."""

import re
from collections.abc import Iterable
from decimal import Decimal

from nbformat import NotebookNode

MAX_BYTES = 300_000

# Parts of prose whose digits report nothing: code, addresses, references to figures and lessons,
# confidence levels.
_NOT_PROSE = re.compile(
    r"```.*?```|`(?:(?!\n\n)[^`])*`|https?://\S+|\]\([^)]*\)"
    r"|\b(?:figure|figures|lesson|section|equation|chapter|table)\s+\d+(?:\.\d+)*(?:\([a-z]\))?"
    r"|\d+\s?% (?=(?:\w+ )?interval)|\b\d+ minutes"
    r"|\bexercise \d\d-\d+"
    r"|\b(?:day|days|notebook)\s+\d+(?:(?:,| to| and|, and|-)\s?\d+)*",
    re.IGNORECASE | re.DOTALL,
)
# "_0.65_" is a number in italics; "x0.65" and "10.65" are not the number 0.65.
_NUMBER = re.compile(
    r"(?<![^\W_])(?<!\.)(?P<digits>(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?)(?P<percent>\s?\\?%|\s?per\s?cent\b)?"
)
_PRINTED = re.compile(
    r"(?<![\w.])(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:e[+-]?\d+)?(?P<percent>\s?%)?"
)
_DRAWS = re.compile(
    r"\bplots\.(?!percent\b)\w+\(|\bdraw_\w+\(|\.(?:plot|step|bar|barh|hist|scatter)\("
)
_ADDRESS = re.compile(r"\b0x[0-9a-f]{6,}\b", re.IGNORECASE)


def problems(notebook: NotebookNode, known_numbers: Iterable[float] = ()) -> list[str]:
    """Return everything that is wrong with a stored notebook, one line each.

    Cells are numbered as a reader counts them: from 1, prose included.

    Parameters
    ----------
    notebook
        A notebook with its stored outputs.
    known_numbers
        Numbers that its prose may state without an output: those of the lesson.
    """
    return [
        *_not_executed(notebook),
        *_unclean_outputs(notebook),
        *_unsupported_numbers(notebook, known_numbers),
    ]


def _code_cells(notebook: NotebookNode) -> list[tuple[int, NotebookNode]]:
    return [
        (number, cell)
        for number, cell in enumerate(notebook.cells, start=1)
        if cell.cell_type == "code" and cell.source.strip()
    ]


def _not_executed(notebook: NotebookNode) -> list[str]:
    cells = _code_cells(notebook)
    if not cells:
        return ["the notebook has no code cell: nothing would be checked"]
    found = []
    for expected, (number, cell) in enumerate(cells, start=1):
        if cell.execution_count is None:
            found.append(f"cell {number} was not executed")
        elif cell.execution_count != expected:
            found.append(
                f"cell {number} was executed out of order "
                f"(count {cell.execution_count}, in order it is {expected})"
            )
    return found


def _unclean_outputs(notebook: NotebookNode) -> list[str]:
    found = []
    for number, cell in _code_cells(notebook):
        for output in cell.outputs:
            if output.output_type == "error":
                found.append(f"cell {number} ends in {output.ename}")
            elif output.get("name") == "stderr":
                last_line = output.text.rstrip().rpartition("\n")[2]
                found.append(f"cell {number} writes to stderr: {last_line}")
        if _DRAWS.search(cell.source) and not any(
            "image/png" in output.get("data", {}) for output in cell.outputs
        ):
            found.append(f"cell {number} draws a figure, but none is stored")
        text = _printed(cell)
        if address := _ADDRESS.search(text):
            found.append(f"cell {number} prints a memory address, {address.group()}")
        if "" in _alternative_texts(cell):
            found.append(f"cell {number} shows a figure without an alternative text")
    return found


def _unsupported_numbers(notebook: NotebookNode, known_numbers: Iterable[float]) -> list[str]:
    printed = [Decimal(repr(float(number))) for number in known_numbers]
    for _, cell in _code_cells(notebook):
        printed += _values(_printed(cell))
    found = []
    for number, cell in enumerate(notebook.cells, start=1):
        if cell.cell_type == "markdown" and not cell.source.strip():
            found.append(f"cell {number} is prose without a word")
        prose = cell.source if cell.cell_type == "markdown" else _typed_alternatives(cell)
        for text, value in prose_numbers(prose):
            if not any(_rounds_to(candidate, value) for candidate in printed):
                found.append(f"cell {number} says {text}, which no output and no lesson says")
    return found


def prose_numbers(markdown: str) -> list[tuple[str, Decimal]]:
    """Return the numbers that a text reports, as written and as shares.

    Decimal numbers, percentages, and whole numbers of two digits or more; not code, addresses,
    references such as "Figure 2.8" and "days 8 and 9", minutes, years, and powers of ten.

    Examples
    --------
    >>> text = "Figure 2.8: AP 0.65, recall 18.5 %, 432 attacks on days 10 to 13 (Fawcett, 2006)"
    >>> prose_numbers(text)
    [('0.65', Decimal('0.65')), ('18.5 %', Decimal('0.185')), ('432', Decimal('432'))]
    """
    found = []
    for match in _NUMBER.finditer(_NOT_PROSE.sub(" ", markdown)):
        digits = match["digits"].replace(",", "")
        value = Decimal(digits)
        if match["percent"]:
            # Not value / 100, which would make "20 %" a 0.2 that 0.24 rounds to.
            found.append((match.group().replace("\\", ""), value.scaleb(-2)))
        elif "." in digits or (value >= 10 and not _is_round_or_year(match["digits"])):
            found.append((match.group(), value))
    return found


def _is_round_or_year(digits: str) -> bool:
    is_year = len(digits) == 4 and digits[:2] in ("19", "20")
    return digits.replace(",", "").rstrip("0") == "1" or is_year


def _rounds_to(candidate: Decimal, value: Decimal) -> bool:
    """Whether a printed number, rounded to the digits of the one in prose, is that one.

    A printed half, such as 0.655, may be rounded up or down: its own digits may be rounded.
    """
    return abs(candidate - value) <= Decimal(5).scaleb(value.as_tuple().exponent - 1)


def _values(text: str) -> list[Decimal]:
    found = []
    for match in _PRINTED.finditer(text):
        value = Decimal(re.sub(r"[,%\s]", "", match.group()))
        found.append(value / 100 if match["percent"] else value)
    return found


def _typed_alternatives(cell: NotebookNode) -> str:
    """Return the words for a cell's pictures; those that an explorer computes need no support."""
    return "" if "explorers." in cell.source else " ".join(_alternative_texts(cell))


def _alternative_texts(cell: NotebookNode) -> list[str]:
    """Return the words that stand for each picture of a cell, empty where it has none."""
    return [
        output.metadata.get("image/png", {}).get("alt", "").strip()
        for output in cell.get("outputs", [])
        if "image/png" in output.get("data", {})
    ]


def _printed(cell: NotebookNode) -> str:
    """Return all text among a cell's outputs, the tags of HTML and pictures' words left out."""
    parts = []
    for output in cell.outputs:
        if output.output_type == "stream":
            parts.append(output.text)
        elif "data" in output and "image/png" not in output.data:
            parts.append(str(output.data.get("text/plain", "")))
            parts.append(
                re.sub(
                    r"<style.*?</style>|<[^>]+>",
                    " ",
                    str(output.data.get("text/html", "")),
                    flags=re.DOTALL,
                )
            )
    return "\n".join(parts)
