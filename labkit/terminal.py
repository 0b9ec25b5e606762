"""Tables for the terminal: how they look, and how wide they may be."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

MIN_WIDTH = 80
"""In a narrower terminal lines wrap, but no number is lost."""


def table(title: str, *headings: str) -> Table:
    """Return a table that breaks what is too long for its column, where others cut it off."""
    from rich.box import SIMPLE
    from rich.table import Column, Table

    first, *others = headings
    columns = [Column(first, no_wrap=True), *(Column(name, overflow="fold") for name in others)]
    return Table(*columns, title=title or None, box=SIMPLE, pad_edge=False, collapse_padding=True)


def console() -> Console:
    """Return the terminal; into a pipe or file it writes plain text."""
    from rich.console import Console

    terminal = Console()
    terminal.width = max(terminal.width, MIN_WIDTH)
    return terminal
