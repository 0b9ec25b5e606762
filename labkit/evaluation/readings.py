"""What each part of a report says, in plain words; the numbers are the evaluation's own.

A sentence comes with the detector that it is about, or with none. Where there is one detector only
it is not named again and again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from itertools import islice

import numpy as np

from labkit.evaluation.calibration import records_or_weight
from labkit.evaluation.evaluation import Evaluation
from labkit.evaluation.results import (
    CostResult,
    DailyBudgetResult,
    DetectorResult,
    Measure,
    PairResult,
    ThresholdResult,
)
from labkit.evaluation.wording import cost, count, interval, percent, rate, threshold

Said = tuple[str, str]
"""Whom a sentence is about ("" for all), and the sentence."""

_MOST = 3
"""Detectors or pairs that sentences are about."""
# The least cost is found in hindsight: a rule must cost this many times as much to be remarked on.
_DEAR = 1.25


def ranking(evaluation: Evaluation) -> list[Said]:
    """Return what AUC and average precision say."""
    said = list(_each(evaluation, _ranked))
    if not said:
        return [("", "With one class there is no ranking to judge.")]
    base_rate = percent(_first(evaluation).base_rate.estimate)
    return [
        *said,
        _all(
            "The AUC is the same whatever the share of attacks; average precision is not: it is "
            "the mean precision over the attacks, and a random ranking would have the base rate, "
            f"{base_rate}."
        ),
    ]


def base_rates(evaluation: Evaluation) -> list[Said]:
    """Return what other base rates would change."""
    rates = evaluation.options.base_rates

    def of(one: DetectorResult) -> str | None:
        if not rates or math.isnan(one.average_precision_at[rates[-1]].estimate):
            return None
        at = ", ".join(
            f"{rate(one.average_precision_at[share].estimate)} where {percent(share)} of records "
            "are attacks"
            for share in rates
        )
        return f"Average precision is {rate(one.average_precision.estimate)} here, and {at}."

    return [
        *_each(evaluation, of),
        _all(
            "This supposes that attacks and normal records keep the scores they have, and only "
            "their shares change. The ROC curve and the AUC then stay; precision does not."
        ),
    ]


def budgets(evaluation: Evaluation) -> list[Said]:
    """Return what the alert budgets find."""
    said = [
        (_shown(evaluation, name), sentence)
        for name, one in islice(evaluation.detectors.items(), _MOST)
        for sentence in _budget_sentences(one)
    ]
    if _first(evaluation).daily_budgets:
        said.append(
            _all(
                "Ranking mode keeps the budget every day. One threshold keeps it on average only, "
                "and here it was read off the days that it is judged on: fixed beforehand it may "
                "do worse."
            )
        )
    return said


def costs(evaluation: Evaluation) -> list[Said]:
    """Return what errors cost, and at which threshold least."""
    fp, fn = evaluation.options.cost_fp, evaluation.options.cost_fn
    ratio = "False alerts cost nothing."
    if fp:
        times = "" if fn == fp else f"{cost(fn / fp)} times "
        ratio = f"A missed attack costs {times}as much as a false alert."
    return [
        _all(ratio),
        *_each(evaluation, lambda one: _cost_said(one.costs)),
        _all(
            "The least cost was found with the labels known: on later records the same threshold "
            "will tend to cost more."
        ),
    ]


def calibration(evaluation: Evaluation) -> list[Said]:
    """Return whether scores behave like probabilities."""

    def of(one: DetectorResult) -> str | None:
        judged = one.calibration
        if judged is None:
            return f"Not judged: {one.missing['calibration']}."
        stated = judged.mean_prediction.estimate
        wrong = ""
        if judged.certain_and_wrong:
            those = records_or_weight(judged.certain_and_wrong)
            wrong = f" {those} were certain and wrong, which makes the log loss infinite."
        return (
            f"The scores foretell {percent(stated)} attacks on average; there are "
            f"{percent(one.base_rate.estimate)}.{wrong}"
        )

    return [
        *_each(evaluation, of),
        _all(
            "Where scores are calibrated the points lie on the line: of records given probability "
            "p, a share p are attacks. Points below the line promise too many attacks."
        ),
    ]


def pairs(evaluation: Evaluation) -> list[Said]:
    """Return which differences the records can tell from none."""
    said = list(map(_compared, evaluation.pairs[:_MOST]))
    if len(evaluation.pairs) > 1:
        said.append(
            _all(
                f"These are {len(evaluation.pairs)} comparisons, which the table lists: the more "
                "there are, the likelier one looks like a difference by luck alone."
            )
        )
    return said


def in_short(evaluation: Evaluation) -> list[Said]:
    """Return the few sentences to read first; of many detectors, those that rank best."""
    best = sorted(
        evaluation.detectors.items(),
        key=lambda item: -np.nan_to_num(item[1].average_precision.estimate),
    )
    chosen = dict(best[:_MOST] if len(best) > _MOST else evaluation.detectors)
    said = [(_shown(evaluation, name), _ranked(one)) for name, one in chosen.items()]
    for name, one in chosen.items():
        said += [(_shown(evaluation, name), first) for first in _budget_sentences(one)[:1]]
    if len(best) > _MOST:
        said.append(_all(f"These are the {_MOST} of {len(best)} with the highest AP."))
    else:
        said += map(_compared, evaluation.pairs)
    return [(who, sentence) for who, sentence in said if sentence]


def _first(evaluation: Evaluation) -> DetectorResult:
    return next(iter(evaluation.detectors.values()))


def _all(sentence: str) -> Said:
    return "", sentence


def _shown(evaluation: Evaluation, name: str) -> str:
    return name if len(evaluation.detectors) > 1 else ""


def _each(evaluation: Evaluation, say: Callable[[DetectorResult], str | None]) -> Iterator[Said]:
    """Yield a sentence about each detector, or about the first ones; tables have all."""
    for name, one in islice(evaluation.detectors.items(), _MOST):
        sentence = say(one)
        if sentence:
            yield _shown(evaluation, name), sentence


def _budget_sentences(one: DetectorResult) -> list[str]:
    """Return a sentence for each budget: a day where days are known, else for all records."""
    if one.daily_budgets:
        return list(map(_daily, one.daily_budgets))
    return [
        f"The top {count(budget.budget)} records hold {_found(budget.recall.estimate)}; "
        f"{_right(budget.precision.estimate)} of the alerts are right."
        f"{_all_tied(budget.budget, budget.at_threshold)}"
        for budget in one.budgets
    ]


def _ranked(one: DetectorResult) -> str | None:
    if math.isnan(one.auc.estimate):
        return None
    return (
        f"A random attack outscores a random normal record in {_of_pairs(one.auc)} of pairs; "
        f"average precision is {_with_interval(one.average_precision)}."
    )


def _of_pairs(auc: Measure) -> str:
    ends = "" if math.isnan(auc.low) else f" ({100 * auc.low:.1f} to {100 * auc.high:.1f} %)"
    return f"{100 * auc.estimate:.1f} %{ends}"


def _with_interval(measure: Measure) -> str:
    return f"{rate(measure.estimate)} {interval(measure)}".strip()


def _found(recall: float) -> str:
    return (
        "no attack, since there is none"
        if math.isnan(recall)
        else f"{percent(recall)} of the attacks"
    )


def _right(precision: float) -> str:
    return "none" if math.isnan(precision) else percent(precision)


def _daily(daily: DailyBudgetResult) -> str:
    ranked, fixed = daily.ranking, daily.one_threshold
    at = fixed.at_threshold
    return (
        f"With {count(daily.per_day)} alerts a day, ranking mode finds "
        f"{_found(ranked.recall.estimate)}, and {_right(ranked.precision.estimate)} of the alerts "
        f"are right; one threshold ({threshold(at)}) finds {_found(at.recall.estimate)} "
        f"with {count(fixed.fewest)} to {count(fixed.most)} alerts a day."
        f"{_all_tied(daily.per_day, at)}"
    )


def _all_tied(budget: float, at: ThresholdResult) -> str:
    """Return a remark where more records share the highest score than a budget pays for."""
    if not budget or at.alerts:
        return ""
    return " More records share the highest score than that: no threshold keeps the budget."


def _cost_said(of: CostResult | None) -> str | None:
    if of is None:
        return None
    trivial = min(
        (of.on_nothing, "alerting on nothing"), (of.on_everything, "alerting on everything")
    )
    said = (
        f"Least cost {cost(of.least.cost)} at threshold {threshold(of.least)} "
        f"({count(of.least.alerts)} alerts); {trivial[1]} would cost {cost(trivial[0])}."
    )
    if of.rule is None:
        return said
    dear = ""
    if of.rule.cost > _DEAR * of.least.cost > 0:
        dear = f", {of.rule.cost / of.least.cost:.2g} times the least: see how calibrated it is"
    return (
        f"{said} The cost threshold {threshold(of.rule)}, right for calibrated "
        f"probabilities, costs {cost(of.rule.cost)}{dear}."
    )


def _compared(pair: PairResult) -> Said:
    """Return what the intervals of two detectors' differences say."""
    verdicts: Mapping[str, list[str]] = {"above": [], "below": [], "open": []}
    for number in ("AUC", "AP"):
        difference = pair.differences[number]
        if math.isnan(difference.low):
            continue
        side = "above" if difference.low > 0 else "below" if difference.high < 0 else "open"
        verdicts[side].append(f"{number} ({rate(difference.low)} to {rate(difference.high)})")
    said = [
        f"{what} in {' and '.join(numbers)}"
        for what, numbers in (
            ("higher", verdicts["above"]),
            ("lower", verdicts["below"]),
            ("not told apart", verdicts["open"]),
        )
        if numbers
    ]
    name = f"{pair.detector} against {pair.baseline}"
    return name, f"{'; '.join(said) or 'no interval, and so no verdict'}."
