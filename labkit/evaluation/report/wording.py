"""Numbers and what was done, in words that the terminal and the report share."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal

from labkit.evaluation.evaluation import Evaluation
from labkit.evaluation.results import DetectorResult, Measure, ThresholdResult
from labkit.metrics.statistics import average_precision

UNDEFINED = "-"
"""Stands for a number that is undefined or was not measured."""

# An interval is not broken apart at the end of a line.
_TO = "\N{NO-BREAK SPACE}to\N{NO-BREAK SPACE}"
_LEAST = 1e-6
"""What is smaller is written with an exponent."""
_DOWN = Context(prec=6, rounding=ROUND_FLOOR)


def rate(value: float) -> str:
    """Return a share or score with three decimals, or two digits where that would hide it.

    Examples
    --------
    >>> rate(0.12345), rate(0.00123), rate(0.000029), rate(1.0), rate(math.nan)
    ('0.123', '0.0012', '0.000029', '1.000', '-')
    """
    if math.isnan(value):
        return UNDEFINED
    if abs(value) >= 0.01 or not value:
        return f"{value:.3f}"
    # An exponent's sign would look like the dash of an interval, and lines may end at it.
    return f"{Decimal(f'{value:.2g}'):f}" if abs(value) >= _LEAST else f"{value:.2g}"


def count(value: float) -> str:
    """Return a number of records, or their weight to six digits.

    Examples
    --------
    >>> count(12345), count(2.5), count(1e6)
    ('12,345', '2.5', '1,000,000')
    """
    if math.isnan(value):
        return UNDEFINED
    return f"{value:,.0f}" if value == round(value) else f"{value:,.6g}"


def cost(value: float) -> str:
    """Return a cost to four digits, and whole where it is large."""
    return f"{value:,.0f}" if abs(value) >= 1000 or value == round(value) else f"{value:.4g}"


def percent(share: float) -> str:
    """Return a share as a percentage to two digits, or more where two would make it all.

    Examples
    --------
    >>> percent(0.0393), percent(0.001), percent(0.9972), percent(1.0)
    ('3.9 %', '0.1 %', '99.7 %', '100 %')
    """
    if math.isnan(share):
        return UNDEFINED
    for precision in range(2, 7):
        shown = float(f"{100 * share:.{precision}g}")
        if shown < 100 or share >= 1:
            break
    return f"{shown:g} %"


def threshold(of: ThresholdResult) -> str:
    """Return a threshold in digits, or that it allows no alert."""
    return digits(of.threshold) if of.alerts or math.isfinite(of.threshold) else "no alert"


def digits(score: float) -> str:
    """Return a threshold to six digits, rounded down, so that its own record stays an alert.

    Examples
    --------
    >>> digits(2 / 3), digits(-2 / 3), digits(-0.0), digits(math.inf)
    ('0.666666', '-0.666667', '0', 'inf')
    """
    if not math.isfinite(score) or float(f"{score:.6g}") == score:
        return f"{score + 0.0:.6g}"
    return f"{float(_DOWN.create_decimal(Decimal(score))):.6g}"


def bounds(ends: tuple[float, float] | None, decimals: int = 6, between: str = _TO) -> str:
    """Return what a number can be, rounded outwards; nothing where it is known.

    Examples
    --------
    >>> bounds((1 / 3, 2 / 3), 4, "-"), bounds((0.35, 0.355), 4, "-")
    ('[0.3333-0.6667]', '[0.3500-0.3550]')
    """
    if ends is None:
        return ""
    unit = Decimal(1).scaleb(-decimals)
    low, high = (
        Decimal(repr(float(end))).quantize(unit, rounding) if math.isfinite(end) else end
        for end, rounding in zip(ends, (ROUND_FLOOR, ROUND_CEILING), strict=True)
    )
    return f"[{low:,}{between}{high:,}]"


def measured(measure: Measure, *, narrow: bool = False) -> str:
    """Return a number with its interval and what it can be; `narrow` for the terminal's columns.

    Examples
    --------
    >>> measured(Measure(0.85, 0.8, 0.9), narrow=True)
    '0.850 (0.800-0.900)'
    """
    told = [rate(measure.estimate)]
    if not math.isnan(measure.low):
        between = "-" if narrow and measure.low >= 0 else _TO
        told.append(f"({rate(measure.low)}{between}{rate(measure.high)})")
    if measure.bounds:
        between = "-" if narrow and measure.bounds[0] >= 0 else _TO
        told.append(bounds(measure.bounds, 4 if narrow else 6, between))
    return " ".join(told)


def enumerated(names: list[str]) -> str:
    """Return names joined by commas and a last "and"."""
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def subject(evaluation: Evaluation) -> str:
    """Return what was judged, in one line."""
    first = next(iter(evaluation.detectors.values()))
    ends, rates = "", (first.base_rate.low, first.base_rate.high)
    if len({*map(percent, rates), percent(first.base_rate.estimate)}) > 1:
        ends = f", {percent(rates[0])} to {percent(rates[1])}"
    days = "" if first.days is None else f", {len(first.days):,} days"
    weighted = "" if first.sweep.counts_records else " (weights)"
    return (
        f"{count(first.records)} records{weighted}, {count(first.positives)} attacks (base rate "
        f"{percent(first.base_rate.estimate)}{ends}){days}"
    )


def number_names(evaluation: Evaluation) -> dict[str, str]:
    """Return what was compared -> how to call it: base rates as percentages."""
    names = {
        average_precision(share).name: f"AP at {percent(share)}"
        for share in evaluation.options.base_rates
    }
    compared = evaluation.pairs[0].differences if evaluation.pairs else ()
    return {name: names.get(name, name) for name in compared}


def how_intervals_were_made(evaluation: Evaluation) -> str:
    """Return what the intervals are, and what was drawn for them."""
    options, resampling = evaluation.options, evaluation.resampling
    level = f"Intervals ({100 * options.level:g} %)"
    first = next(iter(evaluation.detectors.values()))
    independent = resampling.unit == "records" and first.sweep.counts_records
    if resampling.reason:
        made = "nothing was resampled"
        if independent:
            made = "AUC by DeLong, shares at a threshold by Wilson; all else was not resampled"
        return f"{level}: {made}, since {resampling.reason}."
    draws = f"{resampling.replicates:,} resamples (seed {resampling.seed}) that draw"
    if resampling.unit == "records":
        made = "all by"
        if independent:
            made = "AUC by DeLong, shares at a threshold by Wilson, all else by"
        return (
            f"{level}: {made} {draws} the attacks and the normal records again, one by one and "
            "with replacement, each class from its own."
        )
    ranked = ""
    if first.daily_budgets:
        ranked = " Ranking mode draws whole days, both classes together."
    return (
        f"{level}: {draws} the {resampling.drawn:,} {resampling.unit} again, whole and with "
        f"replacement, for the attacks and for the normal records apart.{ranked}"
    )


def all_notes(evaluation: Evaluation) -> list[tuple[str, str]]:
    """Return what a reader should know: the detector that a note is about, or "", and the note."""
    several = len(evaluation.detectors) > 1
    told = [("", note) for note in evaluation.notes]
    for name, detector in evaluation.detectors.items():
        own = [*detector.notes, *_unusable(detector, evaluation.options.n_replicates)]
        told += [(name if several else "", note) for note in own]
    return told


def _unusable(detector: DetectorResult, n_replicates: int) -> Iterator[str]:
    counts = [measure.unusable for measure in measures_of(detector) if measure.unusable]
    if counts:
        several = len(counts) > 1
        yield (
            f"{len(counts)} of the numbers {'are' if several else 'is'} undefined in some "
            f"resamples (in {'up to ' if several else ''}{max(counts):,} of {n_replicates:,}), "
            f"which {'their intervals leave' if several else 'its interval leaves'} out."
        )


def measures_of(value: object) -> Iterator[Measure]:
    """Yield every number with an interval that a result holds."""
    if isinstance(value, Measure):
        yield value
    elif is_dataclass(value):
        for field in fields(value):
            yield from measures_of(getattr(value, field.name))
    elif isinstance(value, Mapping):
        yield from measures_of(tuple(value.values()))
    elif isinstance(value, tuple):
        for one in value:
            yield from measures_of(one)
