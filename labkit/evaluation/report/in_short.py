"""The few sentences of a report to read first; the numbers are the evaluation's own."""

from __future__ import annotations

import math

import numpy as np

from labkit.evaluation.evaluation import Evaluation
from labkit.evaluation.report.wording import count, measured, percent, rate, threshold
from labkit.evaluation.results import DetectorResult, PairResult, ThresholdResult

Said = tuple[str, str]
"""Whom a sentence is about ("" for all), and the sentence."""

_MOST = 3
"""Detectors that sentences are about."""


def in_short(evaluation: Evaluation) -> list[Said]:
    """Return what there is to say; of many detectors, of those that rank best."""
    detectors = evaluation.detectors
    many = len(detectors) > _MOST
    if many:
        by_rank = sorted(
            detectors.items(), key=lambda item: -np.nan_to_num(item[1].average_precision.estimate)
        )
        detectors = dict(by_rank[:_MOST])
    said = [
        (name if len(detectors) > 1 else "", sentence)
        for say in (_ranked, _budget)
        for name, one in detectors.items()
        if (sentence := say(one))
    ]
    if many:
        count_of_all = len(evaluation.detectors)
        return [*said, ("", f"These are the {_MOST} of {count_of_all} with the highest AP.")]
    return [*said, *map(_compared, evaluation.pairs)]


def _ranked(one: DetectorResult) -> str | None:
    auc = one.auc
    if math.isnan(auc.estimate):
        return None
    ends = "" if math.isnan(auc.low) else f" ({100 * auc.low:.1f} to {100 * auc.high:.1f} %)"
    return (
        f"A random attack outscores a random normal record in {100 * auc.estimate:.1f} %{ends} of "
        f"pairs; average precision is {measured(one.average_precision)}."
    )


def _budget(one: DetectorResult) -> str | None:
    """Return what the first budget finds: a day where days are known, else in all."""
    if one.daily_budgets:
        daily = one.daily_budgets[0]
        ranked, fixed = daily.ranking, daily.one_threshold
        at = fixed.at_threshold
        return (
            f"With {count(daily.per_day)} alerts a day, ranking mode finds "
            f"{_found(ranked.recall.estimate)}, and {_right(ranked.precision.estimate)} of the "
            f"alerts are right; one threshold ({threshold(at)}) finds {_found(at.recall.estimate)} "
            f"with {count(fixed.fewest)} to {count(fixed.most)} alerts a day."
            f"{_all_tied(daily.per_day, at)}"
        )
    if one.budgets:
        budget = one.budgets[0]
        return (
            f"The top {count(budget.budget)} records hold {_found(budget.recall.estimate)}; "
            f"{_right(budget.precision.estimate)} of the alerts are right."
            f"{_all_tied(budget.budget, budget.at_threshold)}"
        )
    return None


def _found(recall: float) -> str:
    if math.isnan(recall):
        return "no attack, since there is none"
    return f"{percent(recall)} of the attacks"


def _right(precision: float) -> str:
    return "none" if math.isnan(precision) else percent(precision)


def _all_tied(budget: float, at: ThresholdResult) -> str:
    """Return a remark where more records share the highest score than a budget pays for."""
    if not budget or at.alerts:
        return ""
    return " More records share the highest score than that: no threshold keeps the budget."


def _compared(pair: PairResult) -> Said:
    """Return what the intervals of two detectors' differences say."""
    said: dict[str, list[str]] = {"higher": [], "lower": [], "not told apart": []}
    for number in ("AUC", "AP"):
        low, high = pair.differences[number].low, pair.differences[number].high
        if not math.isnan(low):
            verdict = "higher" if low > 0 else "lower" if high < 0 else "not told apart"
            said[verdict].append(f"{number} ({rate(low)} to {rate(high)})")
    verdicts = [f"{what} in {' and '.join(numbers)}" for what, numbers in said.items() if numbers]
    name = f"{pair.detector} against {pair.baseline}"
    return name, f"{'; '.join(verdicts) or 'no interval, and so no verdict'}."
