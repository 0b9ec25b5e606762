"""Tables for the terminal."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Column, Table

from labkit.lab2.lesson import Comparison, Value, lesson_values

if TYPE_CHECKING:
    import pandas as pd

# In a narrower terminal lines wrap, but no number is lost.
MIN_WIDTH = 72


def print_comparisons(comparisons: Mapping[str, Comparison]) -> None:
    """Print the lesson's numbers beside this repository's."""
    table = _table("Lab 2", "number", "lesson", "here", "within", "what it measures")
    for key, comparison in comparisons.items():
        tolerance = f" ± {comparison.tolerance:g}" if comparison.tolerance else ""
        table.add_row(
            key,
            f"{_short(comparison.lesson)}{tolerance}",
            _short(comparison.here),
            "yes" if comparison.within else "[bold red]NO[/]",
            comparison.what,
        )
    console = _console()
    console.print(table)
    within = sum(comparison.within for comparison in comparisons.values())
    console.print(f"{within} of {len(comparisons)} within")


def print_seeds(summary: "pd.DataFrame", shares: "pd.Series", count: int) -> None:
    """Print mean and spread over other seeds, and how often the lesson's story held."""
    lesson = {value.key: value.lesson for value in lesson_values() if value.kind != "claim"}
    table = _table(f"Lab 2 on {count} other seeds", "number", "lesson", "mean", "sd")
    for key, row in summary.iterrows():
        table.add_row(str(key), _short(lesson.get(key, "")), _short(row["mean"]), _short(row["sd"]))
    story = _table("", "the lesson's story", "share of seeds")
    for what, share in shares.items():
        story.add_row(str(what), f"{share:.2f}")
    console = _console()
    console.print(table)
    console.print(story)


def _table(title: str, *headings: str) -> Table:
    """Return a table that breaks what is too long for its column, where others cut it off."""
    columns = [Column(heading, overflow="fold") for heading in headings]
    return Table(*columns, title=title or None)


def _console() -> Console:
    console = Console()
    console.width = max(console.width, MIN_WIDTH)
    return console


def _short(value: Value | str) -> str:
    if isinstance(value, list):
        return ", ".join(_short(one) for one in value)
    if isinstance(value, bool | str):
        return str(value).lower() if isinstance(value, bool) else value
    return f"{value:.4g}"
