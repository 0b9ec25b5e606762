"""What the lesson published, with the tolerance that this repository's numbers must keep."""

import csv
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

    from labkit.metrics import Percentiles

# Differences smaller than this are rounding of the arithmetic, not of the lesson.
_ROUNDING = 1e-12

Value = float | bool | list[float]


@dataclass(frozen=True)
class LessonValue:
    """One number or claim of the lesson.

    Parameters
    ----------
    key
        Its name, the same in `labkit.lab2.experiment.numbers`.
    lesson
        The number published, or the claim in words.
    kind
        "exact" (holds by construction), "measured", or "claim" (see `CLAIMS`).
    tolerance
        How far this repository's number may lie from the lesson's; None for a claim.
    what
        What the number measures.
    """

    key: str
    lesson: float | str
    kind: str
    tolerance: float | None
    what: str


@dataclass(frozen=True)
class Comparison:
    """A lesson's number beside this repository's.

    Parameters
    ----------
    lesson, tolerance, what
        As in `LessonValue`.
    here
        What the experiment computed.
    within
        Whether the number is within tolerance, or the claim true.
    low, high
        The ends of its interval; None where it has none, lists for a list of numbers.
    """

    lesson: float | str
    here: Value
    tolerance: float | None
    within: bool
    what: str
    low: float | list[float] | None = None
    high: float | list[float] | None = None

    def to_json(self) -> dict[str, float | str | bool | list[float] | None]:
        """Return the comparison as plain values, None for a number that is not defined."""
        return {name: _json(value) for name, value in asdict(self).items() if name != "what"}


def _json(value: object) -> object:
    # nan is the one value that differs from itself, and JSON does not have it.
    if isinstance(value, list):
        return [_json(one) for one in value]
    return value if value == value else None


# Each claim as a rule on the numbers. The bounds put the lesson's words into figures.
CLAIMS: dict[str, Callable[[Mapping[str, Value]], bool]] = {
    "gb_ap_five_seed_mean": lambda n: 0 < abs(n["gb_ap_five_seed_mean"] - n["gb_ap"]) < 0.02,
    "fixed_threshold_max_day_is_11": lambda n: n["fixed_threshold_max_day_is_11"],
    "calibration_days_base_rate": lambda n: n["calibration_days_base_rate"] < n["test_base_rate"],
    "balanced_lr_mean_prediction": lambda n: (
        1.8 <= n["balanced_lr_mean_prediction"] / n["test_base_rate"] <= 2.2
    ),
    "balanced_lr_brier": lambda n: n["balanced_lr_brier"] > max(n["other_briers"]),
    "platt_isotonic_mean_prediction": lambda n: all(
        abs(mean - n["calibration_days_base_rate"]) <= 0.005
        and mean < n["balanced_lr_mean_prediction"]
        for mean in n["platt_isotonic_mean_prediction"]
    ),
    "platt_ap": lambda n: abs(n["platt_ap"] - n["balanced_ap"]) <= 1e-12,
    "isotonic_ap": lambda n: n["isotonic_ap"] < n["balanced_ap"],
    "beacons_in_lowest_bin": lambda n: n["beacons_in_lowest_bin"] >= 0.95,
}


# The story that must hold whatever traffic is drawn, its numbers aside.
STORY: dict[str, Callable[[Mapping[str, Value]], bool]] = {
    "precision is 1.00 in both budgets": lambda n: (
        n["top80_precision"] == 1 and n["fixed_threshold_precision"] == 1
    ),
    "every test day is over the budget of 20": lambda n: n["fixed_threshold_min_day"] > 20,
    "day 11 has the most alerts": CLAIMS["fixed_threshold_max_day_is_11"],
    "no beacon is flagged": lambda n: (
        n["top80_beacon_share"] == 0 and n["fixed_threshold_beacon_alerts"] == 0
    ),
    "the balanced model's Brier score is the worst": CLAIMS["balanced_lr_brier"],
    "isotonic regression costs average precision": lambda n: n["isotonic_ap"] < n["platt_ap"],
}


def broken_claims(numbers: Mapping[str, Value]) -> list[str]:
    """Return what of the lesson's claims and story the numbers of an experiment break."""
    rules = CLAIMS | STORY
    return [what for what, rule in rules.items() if not rule(numbers)]


@cache
def lesson_values() -> tuple[LessonValue, ...]:
    """Return everything that the lesson reports of Lab 2, in its order."""
    text = files("labkit.lab2").joinpath("lesson.csv").read_text(encoding="utf-8")
    return tuple(
        LessonValue(
            key=row["key"],
            lesson=row["lesson"] if row["kind"] == "claim" else float(row["lesson"]),
            kind=row["kind"],
            tolerance=float(row["tolerance"]) if row["tolerance"] else None,
            what=row["what"],
        )
        for row in csv.DictReader(text.splitlines())
    )


def compare(
    numbers: Mapping[str, Value],
    intervals: Mapping[str, "Percentiles | list[Percentiles]"] | None = None,
) -> dict[str, Comparison]:
    """Set this repository's numbers beside the lesson's, by key.

    Parameters
    ----------
    numbers
        What `labkit.lab2.experiment.numbers` returned.
    intervals
        What `labkit.lab2.uncertainty.intervals` returned; None for no intervals.

    Returns
    -------
    dict
        Key -> `Comparison`, in the lesson's order.
    """
    return {
        value.key: Comparison(
            value.lesson,
            numbers[value.key],
            value.tolerance,
            _is_within(value, numbers),
            value.what,
            *_ends((intervals or {}).get(value.key)),
        )
        for value in lesson_values()
    }


def _ends(
    interval: "Percentiles | list[Percentiles] | None",
) -> tuple[float | list[float] | None, float | list[float] | None]:
    if interval is None:
        return None, None
    if isinstance(interval, list):
        return [one.low for one in interval], [one.high for one in interval]
    return interval.low, interval.high


def beside_lesson(here: Mapping[str, Value]) -> "pd.DataFrame":
    """Return a few of this repository's numbers beside the lesson's, as texts to print.

    Parameters
    ----------
    here
        Key -> number; keys as in `lesson_values`.

    Returns
    -------
    pandas.DataFrame
        Columns lesson and here, one row a key; three decimals, counts without.

    Examples
    --------
    >>> beside_lesson({"gb_auc": 0.90712, "top80_alerts": 80})
                 lesson   here
    gb_auc        0.901  0.907
    top80_alerts     80     80
    """
    import pandas as pd

    lesson = {value.key: value.lesson for value in lesson_values()}
    table = pd.DataFrame({"lesson": {key: lesson[key] for key in here}, "here": dict(here)})
    return table.map(lambda value: f"{value:.3f}" if value % 1 else f"{value:.0f}")


def _is_within(value: LessonValue, numbers: Mapping[str, Value]) -> bool:
    if value.kind == "claim":
        return bool(CLAIMS[value.key](numbers))
    return bool(abs(numbers[value.key] - value.lesson) <= value.tolerance + _ROUNDING)
