"""Tables for the terminal: how they look, and how wide they may be."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

# Controls; what only orders other signs, such as U+202E; and bytes of a name that are no UTF-8.
_STEERS = {"Cc", "Cf", "Cs"}

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

MIN_WIDTH = 80
"""In a narrower terminal lines wrap, but no number is lost."""
_UNBOUNDED = 10_000
"""Columns in which any table has room."""


def table(title: str, *headings: str) -> Table:
    """Return a table that breaks what is too long for its column, where others cut it off."""
    from rich.box import SIMPLE
    from rich.table import Column, Table

    first, *others = headings
    columns = [Column(first, no_wrap=True), *(Column(name, overflow="fold") for name in others)]
    return Table(*columns, title=title or None, box=SIMPLE, pad_edge=False, collapse_padding=True)


def natural_width(made: Table, terminal: Console) -> int:
    """Return the width of a table of which no line is broken."""
    return terminal.measure(made, options=terminal.options.update(max_width=_UNBOUNDED)).maximum


def console() -> Console:
    """Return the terminal; into a pipe or file it writes plain text."""
    from rich.console import Console

    terminal = Console()
    terminal.width = max(terminal.width, MIN_WIDTH)
    return terminal


def printable(text: str) -> str:
    r"""Return a text with what would steer a terminal written out; line ends stay.

    Examples
    --------
    >>> print(printable("\x1b[2Jhost"))
    \x1b[2Jhost
    """
    return "".join(
        ascii(sign)[1:-1] if sign != "\n" and unicodedata.category(sign) in _STEERS else sign
        for sign in text
    )
