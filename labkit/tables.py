"""Tables for the terminal."""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Column, Table

from labkit.lab2.lesson import Comparison, Value, lesson_values

if TYPE_CHECKING:
    import pandas as pd

# In a narrower terminal lines wrap, but no number is lost.
MIN_WIDTH = 80
# From here on there is room to say what each number measures.
WIDE = 140


def print_comparisons(comparisons: Mapping[str, Comparison], remark: str) -> None:
    """Print the lesson's numbers beside this repository's, and a remark on their intervals."""
    console = _console()
    headings = ["number", "lesson", "here", "95 %", "ok"]
    is_wide = console.width >= WIDE
    table = _table("Lab 2", *headings, *(["what it measures"] if is_wide else []))
    for column in (2, 3):
        table.columns[column].no_wrap = True
    for key, comparison in comparisons.items():
        tolerance = f" ± {comparison.tolerance:g}" if comparison.tolerance else ""
        table.add_row(
            key,
            f"{_short(comparison.lesson)}{tolerance}",
            _short(comparison.here),
            _interval(comparison.low, comparison.high),
            "yes" if comparison.within else "[bold red]NO[/]",
            *([comparison.what] if is_wide else []),
        )
    console.print(table)
    within = sum(comparison.within for comparison in comparisons.values())
    console.print(f"{within} of {len(comparisons)} within")
    console.print(remark, highlight=False)


def print_seeds(summary: "pd.DataFrame", shares: "pd.Series", count: int) -> None:
    """Print mean and spread over other seeds, and how often the lesson's story held."""
    lesson = {value.key: value.lesson for value in lesson_values() if value.kind != "claim"}
    table = _table(f"Lab 2 on {count} other seeds", "number", "lesson", "mean", "sd", "held")
    for key, row in summary.iterrows():
        held = "" if math.isnan(row["held"]) else f"{row['held']:.2f}"
        numbers = lesson.get(key, ""), row["mean"], row["sd"]
        table.add_row(str(key), *map(_short, numbers), held)
    story = _table("", "the lesson's story", "share of seeds")
    for what, share in shares.items():
        story.add_row(str(what), f"{share:.2f}")
    console = _console()
    console.print(table)
    console.print("held: share of seeds whose own 95 % interval holds the mean over all seeds")
    console.print(story)


def _table(title: str, *headings: str) -> Table:
    """Return a table that breaks what is too long for its column, where others cut it off."""
    first, *others = headings
    columns = [Column(first, no_wrap=True), *(Column(name, overflow="fold") for name in others)]
    return Table(*columns, title=title or None, box=SIMPLE, pad_edge=False, collapse_padding=True)


def _console() -> Console:
    console = Console()
    console.width = max(console.width, MIN_WIDTH)
    return console


def _interval(low: float | list[float] | None, high: float | list[float] | None) -> str:
    if low is None or high is None:
        return ""
    lows, highs = (ends if isinstance(ends, list) else [ends] for ends in (low, high))
    form = "{:.0f}-{:.0f}" if max(highs) > 1 else "{:.3f}-{:.3f}"
    return "\n".join(form.format(*ends) for ends in zip(lows, highs, strict=True))


def _short(value: Value | str) -> str:
    if isinstance(value, list):
        return "\n".join(_short(one) for one in value)
    if isinstance(value, bool | str):
        return str(value).lower() if isinstance(value, bool) else value
    return f"{value:.4g}"
