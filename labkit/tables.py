"""The lesson's numbers as tables for the terminal."""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from labkit.lab2.lesson import Comparison, Value, lesson_values
from labkit.terminal import console, table

if TYPE_CHECKING:
    import pandas as pd

# From here on there is room to say what each number measures.
WIDE = 140


def print_comparisons(comparisons: Mapping[str, Comparison], remark: str) -> None:
    """Print the lesson's numbers beside this repository's, and a remark on their intervals."""
    terminal = console()
    headings = ["number", "lesson", "here", "95 %", "ok"]
    is_wide = terminal.width >= WIDE
    numbers = table("Lab 2", *headings, *(["what it measures"] if is_wide else []))
    for column in (2, 3):
        numbers.columns[column].no_wrap = True
    for key, comparison in comparisons.items():
        tolerance = f" ± {comparison.tolerance:g}" if comparison.tolerance else ""
        numbers.add_row(
            key,
            f"{_short(comparison.lesson)}{tolerance}",
            _short(comparison.here),
            _interval(comparison.low, comparison.high),
            "yes" if comparison.within else "[bold red]NO[/]",
            *([comparison.what] if is_wide else []),
        )
    terminal.print(numbers)
    within = sum(comparison.within for comparison in comparisons.values())
    terminal.print(f"{within} of {len(comparisons)} within")
    terminal.print(remark, highlight=False)


def print_seeds(summary: "pd.DataFrame", shares: "pd.Series", count: int) -> None:
    """Print mean and spread over other seeds, and how often the lesson's story held."""
    lesson = {value.key: value.lesson for value in lesson_values() if value.kind != "claim"}
    over_seeds = table(f"Lab 2 on {count} other seeds", "number", "lesson", "mean", "sd", "held")
    for key, row in summary.iterrows():
        held = "" if math.isnan(row["held"]) else f"{row['held']:.2f}"
        numbers = lesson.get(key, ""), row["mean"], row["sd"]
        over_seeds.add_row(str(key), *map(_short, numbers), held)
    story = table("", "the lesson's story", "share of seeds")
    for what, share in shares.items():
        story.add_row(str(what), f"{share:.2f}")
    terminal = console()
    terminal.print(over_seeds)
    terminal.print("held: share of seeds whose own 95 % interval holds the mean over all seeds")
    terminal.print(story)


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
