"""Small inputs, each of which once gave a wrong number or a fault of the program's own."""

import decimal
import itertools
import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from labkit.decisions import alert_probability, prior_shift
from labkit.errors import InputError
from labkit.metrics import (
    ConfusionMatrix,
    ThresholdSweep,
    bootstrap,
    delong_test,
    percentiles,
    reliability_table,
    wilson,
)
from labkit.metrics.inputs import as_codes, as_labels, as_scores
from labkit.metrics.statistics import (
    auc,
    average_precision,
    brier,
    family_recall_at_budget,
    mean_score,
    precision_at_budget,
    recall_at,
    recall_at_budget,
)

sweep_of = ThresholdSweep.from_scores


@pytest.mark.parametrize("attacks", range(1, 40))
def test_a_perfect_ranking_has_an_average_precision_of_1(attacks):
    sweep = sweep_of([1] * attacks + [0] * 3, np.arange(attacks + 3)[::-1])
    assert sweep.average_precision == 1


def test_weighted_areas_stay_within_1():
    assert sweep_of([1, 1, 1, 0], [4, 3, 2, 1], sample_weight=[0.1] * 4).roc_auc <= 1
    weights = [0.2, 0.7, 0.1, 0.1]
    assert sweep_of([1, 1, 1, 0], [4, 3, 2, 1], sample_weight=weights).average_precision <= 1


def test_weights_near_the_end_of_the_range():
    assert sweep_of([1, 0], [2, 1], sample_weight=[1, 1e308]).roc_auc == 1


def test_a_difference_that_does_not_vary_has_no_test():
    result = delong_test([1, 1, 1, 0, 0, 0], [0, 0, 2, 1, 4, 3], [1, 1, 3, 0, 1, 1])
    assert result.variance == 0
    assert math.isnan(result.z)
    assert math.isnan(result.p_value)


@pytest.mark.parametrize(
    ("labels", "weights", "k"), [([0, 1], [0.1, 0.2], 0.3), ([1, 1], [0.1, 0.7], 0.1)]
)
def test_expected_budget_of_weights(labels, weights, k):
    point = sweep_of(labels, [1, 1], sample_weight=weights).at_budget(k, "expected")
    assert min(point.fp, point.tn) >= 0


def test_expected_budget_at_another_base_rate():
    sweep = sweep_of([0, 1, 1], [2, 1, 3]).at_base_rate(0.9)
    assert sweep.at_budget(2, "expected").tn == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("kind", [np.uint8, np.int8])
def test_a_budget_in_eight_bits(kind):
    sweep = sweep_of([1] + [0] * 299, [1] * 300)
    point = sweep.at_budget(kind(1), "expected")
    assert (point.tp, point.tp_low, point.tp_high) == (1 / 300, 0, 1)


def test_costs_in_eight_bits():
    point = sweep_of([1] * 100 + [0] * 100, range(200)).at_cost(fp=np.int8(100), fn=np.int8(100))
    assert point.alerts == sweep_of([1] * 100 + [0] * 100, range(200)).at_cost(fp=1, fn=1).alerts


@pytest.mark.parametrize("k", [2.0, np.float64(2), np.uint8(2)])
def test_alert_probability_takes_the_budgets_that_at_budget_takes(k):
    assert alert_probability([0.9, 0.8, 0.8, 0.1], k).tolist() == [1, 0.5, 0.5, 0]


def test_bins_counted_in_eight_bits():
    assert len(reliability_table([1, 0], [0.5, 0.6], n_bins=np.uint8(255))) == 255


@pytest.mark.parametrize("labels", [["yes", math.nan, "no"], ["yes", np.float64("nan"), "no"]])
def test_a_missing_label_among_texts_in_a_list(labels):
    with pytest.raises(InputError, match="missing in 1 of 3"):
        as_labels(labels, "yes")


def test_a_missing_day_among_texts_in_a_list():
    with pytest.raises(InputError, match="day is missing in 1 of 2"):
        as_codes(["mon", math.nan], "day")


def test_a_number_and_the_text_of_it_are_two_labels():
    for labels in ([1, "1"], np.array([1, "1"], dtype=object), pd.Series([True, "True"])):
        with pytest.raises(InputError, match="y_true mixes texts with other values"):
            as_labels(labels, labels[1])


def test_missing_dates_are_missing_labels():
    days = np.array(["2020-01-01", "NaT"], dtype="datetime64[D]")
    with pytest.raises(InputError, match="missing"):
        as_labels(days, np.datetime64("2020-01-01"))


def test_numpy_s_strings_of_any_length():
    labels = np.array(["n", "y"], dtype=np.dtypes.StringDType())
    assert as_labels(labels, "y").tolist() == [False, True]


def test_rows_within_a_column_are_refused():
    for column in (pd.Series([[1], [0]]), pd.Series([np.array([1, 0]), np.array([0, 1])])):
        with pytest.raises(InputError):
            as_labels(column)
        with pytest.raises(InputError):
            as_scores(column)
    with pytest.raises(InputError):
        as_labels(np.array([{1: 2}, {}], dtype=object))
    with pytest.raises(InputError):
        as_scores(np.array([[1], [2, 3]], dtype=object))


@pytest.mark.parametrize(
    "scores",
    [
        [2**53 + 1, 2**53, 0.5],
        [2**64, 2**64 + 1],
        np.array([2**53 + 1, 2**53, 0.5], dtype=object),
        [decimal.Decimal(2**53 + 1), decimal.Decimal(2**53)],
        np.array([1, 1 + np.longdouble(2) ** -60]),
        np.array([np.longdouble("1e-4000"), np.longdouble("1e-4001")]),
        np.array([np.longdouble("1e4000"), np.longdouble("1e4001")]),
    ],
    ids=str,
)
def test_scores_that_float64_merges_are_refused_in_every_type(scores):
    with pytest.raises(InputError):
        as_scores(scores)


@pytest.mark.parametrize(
    "act",
    [
        lambda s: s.at_threshold("2"),
        lambda s: s.at_base_rate("0.1"),
        lambda s: s.at_cost(fp="1", fn=2),
        lambda s: s.choose(max_alerts="3"),
        lambda s: s.at_recall("1"),
        lambda s: s.at_budget(np.complex128(1)),
        lambda s: reliability_table([1, 0], [0.5, 0.6], n_bins=True),
        lambda s: s.choose(max_alerts=True),
        lambda s: wilson("1", 10),
        lambda s: ConfusionMatrix("1", 2, 3, 4),
    ],
)
def test_what_is_no_number_is_an_input_error(act):
    with pytest.raises(InputError):
        act(sweep_of([1, 0], [2, 1]))


def test_matthews_of_extreme_counts():
    assert ConfusionMatrix(1e200, 1e200, 1e200, 3e200).mcc == pytest.approx(0.25)
    assert ConfusionMatrix(1e-200, 1e-200, 1e-200, 3e-200).mcc == pytest.approx(0.25)


def test_a_mean_prediction_lies_within_its_bin():
    table = reliability_table([0] * 10, [0.1] * 10)
    assert table["lower"][1] <= table["mean_predicted"][1]


def test_a_base_rate_next_to_nothing():
    with pytest.raises(InputError, match="base_rate is 1e-320"):
        sweep_of([1, 0], [2, 1]).at_base_rate(1e-320)


def test_what_is_a_family_is_said_by_booleans():
    with pytest.raises(InputError, match="of_family holds 'dos', 'scan'"):
        family_recall_at_budget(1, "dos", ["dos", "scan"])


@pytest.mark.parametrize(
    "change",
    [
        {"n_replicates": True},
        {"seed": -1},
        {"seed": 1.5},
        {"statistics": [auc]},
    ],
)
def test_a_bootstrap_s_arguments_are_checked(change):
    arguments = {"y_true": [1, 0], "y_scores": {"d": [2, 1]}, "statistics": [auc()]} | change
    with pytest.raises(InputError):
        bootstrap(**arguments)


def test_percentiles_are_of_one_statistic():
    with pytest.raises(InputError, match="shape"):
        percentiles(np.ones((3, 2)))


def test_a_threshold_in_single_precision_has_a_plain_name():
    assert recall_at(np.float32(0.5)).name == "recall at score 0.5"


def test_draws_of_one_group_are_refused():
    with pytest.raises(InputError, match="in one group only"):
        bootstrap([1, 0, 1, 0], {"d": [4, 3, 2, 1]}, [auc()], groups=[0, 0, 0, 1])


def test_a_bootstrap_is_shown_by_its_sizes_and_asked_by_name():
    result = bootstrap([1, 0], {"d": [2, 1]}, [auc()], n_replicates=3)
    assert repr(result) == "Bootstrap(3 replicates, 1 detectors, 1 statistics)"
    with pytest.raises(InputError, match="'AP' was not measured; choose from AUC"):
        result.of("d", "AP")


def test_whole_costs_do_not_overflow():
    sweep = sweep_of([1] + [0] * 99, range(100))
    assert sweep.at_cost(fp=10**18, fn=1).alerts == 0
    assert sweep.at_cost(fp=10**20, fn=1).alerts == 0


def test_a_budget_of_decimal_weights_does_not_hang_on_the_order_of_records():
    found = {
        sweep_of([1, 1, 1], [1, 1, 1], sample_weight=list(weights)).at_budget(0.6).alerts
        for weights in itertools.permutations([0.1, 0.2, 0.3])
    }
    assert len(found) == 1


def test_a_mask_is_seen_everywhere():
    masked = np.ma.array([0.2, 0.9], mask=[False, True])
    for function in (lambda p: prior_shift(p, 0.5, 0.1), percentiles):
        with pytest.raises(InputError, match="is masked in 1 of 2"):
            function(masked)


@pytest.mark.parametrize("thresholds", [[5, -math.inf, -math.inf], [math.inf, math.inf, 1]])
def test_an_infinite_threshold_comes_once(thresholds):
    with pytest.raises(InputError, match="thresholds do not descend"):
        ThresholdSweep.from_counts(thresholds, [1, 1, 2], [0, 1, 2], positives=2, negatives=2)


def test_a_published_table_spans_the_range_of_float64():
    sweep = ThresholdSweep.from_counts([1e308, -1e308], [1, 1], [0, 1], positives=1, negatives=1)
    assert sweep.roc_auc == 1


def test_a_tie_of_precisions_is_one_at_every_base_rate():
    sweep = sweep_of([0, 1, 1, 0, 1, 0], [1, 1, 1, 3, 3, 2])
    for rate in (0.001, 0.1, 0.3, 0.9):
        assert sweep.at_base_rate(rate).choose(prefer="precision").threshold == 3


def test_budgets_are_weights_at_every_base_rate():
    sweep = sweep_of([1, 0, 1, 0], [0.1, 0.9, 0.5, 0.2])
    for rate in (0.3, 0.5):
        assert sweep.at_base_rate(rate).at_budget(2.5).alerts <= 2.5
        assert sweep.at_base_rate(rate).choose(max_alerts=2.5).alerts <= 2.5
    for fractional in (sweep.at_budget, lambda k: sweep.choose(max_alerts=k)):
        with pytest.raises(InputError, match="a whole number of alerts"):
            fractional(2.5)


def test_base_rates_that_leave_float64():
    rare = sweep_of([1, 0, 0], [3, 2, 1]).at_base_rate(1e-308)
    assert rare.at_budget(1).tp == rare.choose(min_recall=0.5).tp == 1
    with pytest.raises(InputError, match="base_rate is 1e-309"):
        sweep_of([1, 0, 0], [3, 2, 1]).at_base_rate(1e-309)
    with pytest.raises(InputError, match="lie too far apart"):
        prior_shift(1.0, 0.5, 1e-310)


@pytest.mark.parametrize(
    ("labels", "pos_label"),
    [
        ([0, 1], pd.Timestamp("2020")),
        ([0, 1], len),
        ([True, False], "True"),
        (["a", "b"], 1),
        (np.array(["2020-01-01"], dtype="datetime64[D]"), 1),
    ],
)
def test_a_pos_label_of_another_type(labels, pos_label):
    with pytest.raises(InputError, match=r"pos_label is .*of the same type"):
        as_labels(labels, pos_label)


def test_bytes_are_texts():
    with pytest.raises(InputError, match="day mixes texts with other values"):
        as_codes([b"1", 1], "day")


def test_scores_in_a_list_of_half_precision():
    assert sweep_of([1, 0], [np.float16(2), np.float16(1)]).roc_auc == 1


@pytest.mark.parametrize(
    "days",
    [
        [pd.Timestamp("2020"), pd.Timestamp("2020", tz="UTC")],
        [1, pd.Timestamp("2020")],
    ],
)
def test_days_that_cannot_be_sorted(days):
    with pytest.raises(InputError, match="day holds values that cannot be sorted"):
        as_codes(days, "day")


def test_days_in_half_precision_of_either_byte_order():
    for kind in ("<f2", ">f2"):
        codes, days = as_codes(np.array([2, 1, 2], dtype=kind), "day")
        assert (codes.tolist(), days.tolist()) == ([1, 0, 1], [1, 2])


def test_fractions_are_numbers():
    assert wilson(1, 2, Fraction(19, 20)) == wilson(1, 2, 0.95)
    assert prior_shift(0.9, Fraction(1, 2), 0.04) == prior_shift(0.9, 0.5, 0.04)
    assert percentiles([1.0, 2.0, 3.0], Fraction(1, 2)) == percentiles([1.0, 2.0, 3.0], 0.5)


@pytest.mark.parametrize("beta", ["2", None, -1e200, 1e200, math.inf, math.nan])
def test_what_is_no_beta(beta):
    with pytest.raises(InputError, match="beta"):
        ConfusionMatrix(1, 1, 1, 1).fbeta(beta)


def test_statistics_that_no_resample_can_break():
    y_true, scores = [1, 0, 1, 0], {"a": [4, 3, 2, 1]}
    huge = [recall_at_budget(2**63), precision_at_budget(10**30), recall_at_budget(math.inf)]
    for one in huge:
        assert not np.isnan(bootstrap(y_true, scores, [one], n_replicates=50).replicates).any()
    with pytest.raises(InputError, match=r"y_scores\['a'\] holds infinite scores"):
        bootstrap(y_true, {"a": [math.inf, 3, 2, 1]}, [mean_score()])
    with pytest.raises(InputError, match=r"y_scores\['a'\] lies outside \[0, 1\]"):
        bootstrap(y_true, scores, [brier()])


def test_differences_whose_names_are_alike_are_all_kept():
    scores = {name: [2, 1] for name in ("z", "y - z", "x", "x - y")}
    result = bootstrap([1, 0], scores, [auc()], n_replicates=2)
    assert len(result.differences()) == 6
    with pytest.raises(InputError, match="a name is a text"):
        bootstrap([1, 0], {1: [2, 1]}, [auc()])


def test_base_rates_that_look_alike_have_names_of_their_own():
    assert average_precision(0.1234567).name != average_precision(0.1234568).name


def test_a_level_next_to_1():
    low, high = wilson(1, 2, 1 - 2**-53)
    assert 0 < low < 0.05 < 0.95 < high < 1
