"""What each frame of a curve that moves shows: tables of one row a frame, with its words.

A frame is one position of a slider: a record admitted, a threshold, a base rate, a budget. The
drawings in `labkit.plots.moving` take a row of these tables and add nothing to it.
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from labkit.data.traffic import FAMILIES
from labkit.decisions import at_daily_budget, fixed_threshold_by_day
from labkit.errors import InputError
from labkit.lab2.experiment import family_recall
from labkit.lab2.figures import alerts_by_day, curve_table
from labkit.metrics import OperatingPoint, ThresholdSweep
from labkit.metrics.inputs import as_scores
from labkit.plots import percent

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

MOST_RECORDS = 60
"""More than this cannot be shown one by one."""
_COUNTS = ("tp", "fp", "fn", "tn")
_RATES = ("recall", "fpr", "precision")
_SHARE = "share of "


def both_classes(y_true: "ArrayLike", y_score: "ArrayLike") -> ThresholdSweep:
    """Return the sweep of records among which there are attacks and normal ones.

    Raises
    ------
    InputError
        When they are of one class only, for then there is no curve, and on what
        `ThresholdSweep.from_scores` refuses.
    """
    sweep = ThresholdSweep.from_scores(y_true, y_score)
    if not (sweep.positives and sweep.negatives):
        raise InputError("y_true holds one class only; both curves need attacks and normal records")
    return sweep


def record_steps(y_true: "ArrayLike", y_score: "ArrayLike") -> pd.DataFrame:
    """Return the steps in which the threshold passes a few records, the highest score first.

    Parameters
    ----------
    y_true, y_score
        Label and score of each record, shape (n,), n at most 60.

    Returns
    -------
    pandas.DataFrame
        One row a distinct score, below a row for the threshold above them all: threshold; attacks
        and normals that have this score; tp, fp, fn, tn, recall, fpr, precision (nan while nothing
        is an alert); area, under the ROC curve so far; ap, the sum of rectangles so far; roc_says
        and pr_says, what happens to either curve. Records that tie are one step.

    Raises
    ------
    InputError
        On one class only, more than 60 records, NaN scores, missing labels, unequal lengths.

    Examples
    --------
    >>> steps = record_steps([1, 0, 1], [0.9, 0.8, 0.7])
    >>> steps["area"].tolist(), steps["roc_says"][1]
    ([0.0, 0.0, 0.5, 0.5], 'An attack: one step up.')
    """
    sweep = both_classes(y_true, y_score)
    records = sweep.positives + sweep.negatives
    if records > MOST_RECORDS:
        raise InputError(
            f"y_true has {records} records; one by one at most {MOST_RECORDS} can be shown, so "
            "pass fewer"
        )
    tp, fp = np.append(0, sweep.tp), np.append(0, sweep.fp)
    recall, fpr = np.append(0.0, sweep.recall), np.append(0.0, sweep.fpr)
    precision = np.append(np.nan, sweep.precision)
    gained = np.diff(recall, prepend=0.0)
    columns = np.diff(fpr, prepend=0.0) * (recall - gained / 2)
    steps = pd.DataFrame(
        {
            "threshold": np.append(sweep.at_budget(0).threshold, sweep.thresholds),
            "attacks": np.diff(tp, prepend=0),
            "normals": np.diff(fp, prepend=0),
            "tp": tp,
            "fp": fp,
            "fn": sweep.positives - tp,
            "tn": sweep.negatives - fp,
            "recall": recall,
            "fpr": fpr,
            "precision": precision,
            "area": np.cumsum(columns),
            "ap": np.cumsum(gained * np.nan_to_num(precision)),
        }
    )
    rows = list(steps.itertuples())
    last = len(rows) - 1
    steps["roc_says"] = [_roc_says(row, is_last=row.Index == last) for row in rows]
    steps["pr_says"] = [_pr_says(row, is_last=row.Index == last) for row in rows]
    return steps


def _roc_says(row: tuple, *, is_last: bool) -> str:
    who = _who(row.attacks, row.normals)
    if not row.attacks + row.normals:
        return "The threshold lies above every score: nothing is an alert yet."
    if row.attacks and row.normals:
        said = f"{who}: they move together, one slanted step, and what lies under it joins the area"
    elif row.attacks:
        said = f"{who}: {_steps(row.attacks)} up"
    else:
        columns = "the column" if row.normals == 1 else "the columns"
        said = f"{who}: {_steps(row.normals)} right, and {columns} under it joins the area"
        if row.normals > 1:
            said = said.replace("under it joins", "under them join")
    return f"{said}. All records are alerts: the area is the AUC." if is_last else f"{said}."


def _pr_says(row: tuple, *, is_last: bool) -> str:
    who = _who(row.attacks, row.normals)
    if not row.attacks + row.normals:
        return "The threshold lies above every score: no alert yet, so no precision."
    if row.attacks:
        gain = f"{row.attacks}/{row.tp + row.fn}"
        said = (
            f"{who}: recall rises by {gain}; a rectangle {gain} wide and as high as the precision, "
            f"{row.precision:.3f}, joins AP"
        )
    else:
        said = f"{who}: recall stays, so no rectangle joins; precision is now {row.precision:.3f}"
    return f"{said}. All records are alerts: the sum is AP." if is_last else f"{said}."


def _who(attacks: int, normals: int) -> str:
    """Return whose turn it is: "An attack", "2 normal records with one score"."""
    if attacks + normals == 1:
        return "An attack" if attacks else "A normal record"
    parts = [_count(attacks, "attack"), _count(normals, "normal record")]
    return f"{' and '.join(part for part in parts if part)} with one score"


def _count(number: float, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}" if number else ""


def _steps(number: int) -> str:
    return "one step" if number == 1 else f"{number} steps"


def threshold_frames(
    y_true: "ArrayLike", y_score: "ArrayLike", day: "ArrayLike", thresholds: Iterable[float]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return what each of some thresholds does to all records, and to each day.

    Parameters
    ----------
    y_true, y_score, day
        Label, score and day of each record, shape (n,).
    thresholds
        A record is an alert when score >= threshold.

    Returns
    -------
    frames : pandas.DataFrame
        One row a threshold: threshold, tp, fp, fn, tn, recall, fpr, precision, says.
    days : pandas.DataFrame
        One row a threshold and day: frame (the row of the threshold), day, attacks (among the
        records), tp, fp.

    Raises
    ------
    InputError
        On one class only, NaN scores, missing labels or days, unequal lengths.

    Examples
    --------
    >>> frames, days = threshold_frames([1, 0, 1], [0.9, 0.8, 0.7], [0, 0, 1], [0.8])
    >>> frames["says"][0]
    'Score >= 0.8: 2 alerts on 2 days. 1 of 2 attacks found (recall 0.50), 1 false alert \
(precision 0.50).'
    >>> days[["day", "tp", "fp"]].to_numpy().tolist()
    [[0, 1, 1], [1, 0, 0]]
    """
    sweep = both_classes(y_true, y_score)
    rows, by_day = [], []
    for frame, threshold in enumerate(thresholds):
        point = sweep.at_threshold(threshold)
        days = fixed_threshold_by_day(y_true, y_score, day, threshold).reset_index()
        row = {"threshold": point.threshold} | _of(point)
        rows.append(row | {"says": _threshold_says(point, len(days))})
        by_day.append(days[["day", "attacks", "tp", "fp"]].assign(frame=frame))
    columns = ["frame", "day", "attacks", "tp", "fp"]
    return pd.DataFrame(rows), pd.concat(by_day, ignore_index=True)[columns]


def _of(point: OperatingPoint) -> dict[str, float]:
    return {name: getattr(point, name) for name in (*_COUNTS, *_RATES)}


def _threshold_says(point: OperatingPoint, days: int) -> str:
    if not point.alerts:
        return f"Score >= {point.threshold:.4g}: no alert, and so no precision."
    return (
        f"Score >= {point.threshold:.4g}: {_count(point.alerts, 'alert')} on "
        f"{_count(days, 'day')}. {point.tp:,} of {_count(point.tp + point.fn, 'attack')} found "
        f"(recall {point.recall:.2f}), {_count(point.fp, 'false alert') or 'no false alert'} "
        f"(precision {point.precision:.2f})."
    )


def base_rate_frames(
    sweep: ThresholdSweep, base_rates: Iterable[float], recall: float = 0.5
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return one ranking at some base rates.

    Parameters
    ----------
    sweep
        With attacks and normal records.
    base_rates
        Shares of attacks, within (0, 1).
    recall
        The recall at which one operating point is followed, within (0, 1].

    Returns
    -------
    frames : pandas.DataFrame
        One row a base rate: base_rate, ap; threshold, recall, fpr and precision of the highest
        threshold that reaches the recall; says.
    curves : pandas.DataFrame
        The corners of both curves: threshold, recall, fpr, and a column of precision for each
        frame, precision_0 the first.

    Raises
    ------
    InputError
        On a base rate or recall that cannot be, and when a class is missing.

    Examples
    --------
    >>> sweep = ThresholdSweep.from_scores([1, 0, 1, 0], [4, 3, 2, 1])
    >>> frames, curves = base_rate_frames(sweep, [0.5, 0.01], recall=1)
    >>> frames["precision"].round(4).tolist(), curves["fpr"].tolist()
    ([0.6667, 0.0198], [0.0, 0.5, 0.5, 1.0])
    """
    rows, precisions = [], {}
    for frame, base_rate in enumerate(base_rates):
        world = sweep.at_base_rate(base_rate)
        point = world.at_recall(recall)
        rows.append(
            {
                "base_rate": base_rate,
                "ap": world.average_precision,
                "threshold": point.threshold,
                **{name: getattr(point, name) for name in _RATES},
                "says": _base_rate_says(base_rate, world.average_precision, point),
            }
        )
        precisions[f"precision_{frame}"] = curve_table({"": world})["precision"]
    corners = curve_table({"": sweep})[["threshold", "recall", "fpr"]]
    return pd.DataFrame(rows), corners.assign(**precisions)


def _base_rate_says(base_rate: float, ap: float, point: OperatingPoint) -> str:
    return (
        f"Attacks are {percent(base_rate)} of the records: the ROC curve is as it was, AP is "
        f"{_small(ap)}. At recall {point.recall:.2f} precision is {_small(point.precision)}, with "
        f"{_false_alerts(point.precision)} for each attack found."
    )


def _small(share: float) -> str:
    return f"{share:.3f}" if share >= 0.01 else f"{share:.2g}"


def _false_alerts(precision: float) -> str:
    """Return the false alerts for each true one, to two digits where there are few."""
    each = (1 - precision) / precision
    text = f"{each:,.0f}" if each >= 10 else f"{float(f'{each:.2g}'):g}"
    return f"{text} false alert{'' if text == '1' else 's'}"


def budget_frames(
    calibrate: pd.DataFrame,
    calibrate_score: "ArrayLike",
    test: pd.DataFrame,
    test_score: "ArrayLike",
    budgets: Sequence[int],
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return what comes of some alert budgets, each fixed as a threshold on past days.

    The threshold is that of `at_daily_budget` on the calibration days; records that tie with it
    are alerts, as they are wherever it is applied.

    Parameters
    ----------
    calibrate, test
        Flow records of the days to fix the threshold on, and of those to apply it on: columns
        label, day and family.
    calibrate_score, test_score
        Their scores.
    budgets
        Alerts a day.

    Returns
    -------
    frames : pandas.DataFrame
        One row a budget: budget, threshold; tp, fp, fn, tn, recall, fpr and precision on the test
        days; days_over, the test days with more alerts than the budget; for each family of the
        test days, the share that are alerts, "share of scan"; says.
    days : pandas.DataFrame
        One row a budget and day: frame, part ("calibrate" or "test"), day, and the alerts of
        each family and of "benign".

    Raises
    ------
    InputError
        On a budget that cannot be, test days that do not come after the calibration days, one
        class only, NaN scores, missing labels or columns, unequal lengths.
    """
    _check_flows(calibrate=calibrate, test=test)
    sweep = both_classes(test["label"], test_score)
    past_score, score = as_scores(calibrate_score, "calibrate_score"), as_scores(test_score)
    rows, by_day = [], []
    for frame, budget in enumerate(budgets):
        threshold = at_daily_budget(
            calibrate["label"], past_score, calibrate["day"], budget, "over"
        ).threshold
        point = sweep.at_threshold(threshold)
        past = alerts_by_day(calibrate, past_score >= threshold)
        days = alerts_by_day(test, score >= threshold)
        alerts = days.sum(axis=1)
        over = int((alerts > budget).sum())
        shares = family_recall(test, score >= threshold)
        rows.append(
            {
                "budget": budget,
                "threshold": threshold,
                **_of(point),
                "days_over": over,
                **{_SHARE + family: shares[family] for family in FAMILIES if family in shares},
                "says": _budget_says(budget, point, alerts, over),
            }
        )
        both = pd.concat({"calibrate": past, "test": days}, names=["part"])
        by_day.append(both.reset_index().assign(frame=frame))
    table = pd.concat(by_day, ignore_index=True)
    first = ["frame", "part", "day"]
    return pd.DataFrame(rows), table[[*first, *table.columns.drop(first)]]


def _check_flows(**parts: pd.DataFrame) -> None:
    """Raise InputError unless the parts have what is needed, the days of the first being past."""
    for name, flows in parts.items():
        if missing := {"label", "day", "family"}.difference(flows.columns):
            raise InputError(f"{name} has no column {', '.join(sorted(missing))}")
    first, last = parts["test"]["day"].min(), parts["calibrate"]["day"].max()
    if not last < first:
        raise InputError(
            f"test begins on day {first}, but calibrate ends on day {last}: a threshold is fixed "
            "on days that are over"
        )


def family_shares(frame: pd.Series) -> pd.Series:
    """Return the shares by family of a row that `budget_frames` returned."""
    names = [name for name in frame.index if name.startswith(_SHARE)]
    return frame[names].rename(lambda name: name.removeprefix(_SHARE)).astype(float)


def _budget_says(budget: int, point: OperatingPoint, alerts: pd.Series, over: int) -> str:
    fewest, most = int(alerts.min()), int(alerts.max())
    span = f"{fewest:,}" if fewest == most else f"{fewest:,} to {most:,}"
    return (
        f"A budget of {budget:,} a day fixes the threshold {point.threshold:.4g}. On the test days "
        f"it makes {span} alerts a day, over budget on {over} of {_count(len(alerts), 'day')}. "
        f"{point.tp:,} of {_count(point.tp + point.fn, 'attack')} found, "
        f"{_count(point.fp, 'false alert') or 'no false alert'}."
    )
