"""Lab 2 on tables of any columns: features, days, splits, and what is refused."""

import math

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from labkit.data.luflow_sample import sample_paths
from labkit.data.readers import read_flows
from labkit.errors import InputError
from labkit.lab2 import detectors, table_detectors
from labkit.lab2 import other_traffic as other
from labkit.lab2.experiment import MODELS
from labkit.metrics import ThresholdSweep


@pytest.fixture(scope="module")
def flows():
    return other.with_fringes_joined(read_flows(sample_paths()))


@pytest.fixture(scope="module")
def split(flows):
    return other.split_by_days(flows, train=4, calibrate=2)


def table(**columns):
    """A small table of two classes with the columns given."""
    size = len(next(iter(columns.values())))
    return pd.DataFrame({"label": [0, 1] * (size // 2)} | columns)


def days(*labels_of_day, gap=1):
    """A table with one list of labels a day."""
    rows = [
        {"label": label, "day": gap * day, "date": f"d{day}", "time": float(day), "x": label}
        for day, labels in enumerate(labels_of_day)
        for label in labels
    ]
    return pd.DataFrame(rows)


class TestFeatures:
    def test_columns_over_orders_of_magnitude_are_logged(self):
        made = table_detectors.TableFeatures().fit_transform(
            table(bytes=[1, 10, 1000, 100_000], ttl=[31, 29, 62, 254])
        )
        assert list(made) == ["log_bytes", "ttl"]
        assert made["log_bytes"].is_monotonic_increasing

    @pytest.mark.parametrize("unit", [1e-6, 1.0, 1e6])
    def test_a_logarithm_does_not_hang_on_the_unit(self, unit):
        values = np.array([0, 1, 3, 50, 20_000, 9_000_000.0])
        made = table_detectors.TableFeatures().fit_transform(table(duration=values * unit))
        expected = table_detectors.TableFeatures().fit_transform(table(duration=values))
        pd.testing.assert_frame_equal(made, expected)

    def test_tiny_values_neither_overflow_nor_take_all_bins(self):
        values = np.geomspace(5e-324, 1e300, 1000)
        made = table_detectors.TableFeatures().fit_transform(table(rate=values))
        assert np.isfinite(made.to_numpy()).all()
        assert made["log_rate"].nunique() <= 255

    def test_negative_columns_are_not_logged(self):
        made = table_detectors.TableFeatures().fit_transform(
            table(offset=[-5.0, 0.0, 1.0, 100_000.0])
        )
        assert list(made) == ["offset"]

    def test_names_ports_and_times_are_not_read(self):
        named = {
            **{name: ["a", "b"] for name in ("src", "dst", "src_as", "dst_as", "date", "family")},
            **{name: [1, 2] for name in ("day", "time", "src_port", "dst_port")},
        }
        made = table_detectors.TableFeatures().fit_transform(table(**named, bytes=[1, 2]))
        assert list(made) == ["bytes"]

    def test_a_column_can_be_left_out(self):
        made = table_detectors.TableFeatures(("ttl",)).fit_transform(
            table(ttl=[1, 2], bytes=[1, 2])
        )
        assert list(made) == ["bytes"]

    def test_a_table_with_nothing_to_read_is_refused(self):
        with pytest.raises(InputError, match="no column that a detector could read"):
            table_detectors.TableFeatures().fit(table(src=["a", "b"], constant=[3, 3]))

    def test_words_are_indicators_and_new_ones_are_none(self):
        learn = table_detectors.TableFeatures().fit(table(proto=["tcp", "udp"], bytes=[1, 2]))
        made = learn.transform(table(proto=["icmp", "udp"], bytes=[1, 2]))
        assert made[["proto_tcp", "proto_udp"]].to_numpy().tolist() == [[0, 0], [0, 1]]

    def test_an_unset_value_is_the_middle_and_said_to_be_unset(self):
        learn = table_detectors.TableFeatures().fit(table(bytes=[1.0, 2.0, 3.0, math.nan]))
        made = learn.transform(table(bytes=[math.nan, 3.0]))
        assert made["bytes"].tolist() == [pytest.approx(2.0), pytest.approx(3.0)]
        assert made["bytes_unset"].tolist() == [1, 0]

    def test_infinity_counts_as_unset(self):
        made = table_detectors.TableFeatures().fit_transform(table(rate=[1.0, 2.0, 3.0, math.inf]))
        assert np.isfinite(made.to_numpy()).all()
        assert made["rate_unset"].tolist() == [0, 0, 0, 1]

    def test_a_missing_column_is_refused(self):
        learn = table_detectors.TableFeatures().fit(table(bytes=[1, 2], ttl=[3, 4]))
        with pytest.raises(InputError, match="no column ttl"):
            learn.transform(table(bytes=[1, 2]))

    def test_what_is_read_comes_from_the_training_records_alone(self):
        learn = table_detectors.TableFeatures().fit(table(bytes=[1, 2]))
        small, large = (learn.transform(table(bytes=[1, last])) for last in (2, 10_000_000))
        assert list(small) == list(large) == ["bytes"]
        assert small["bytes"][0] == large["bytes"][0]

    def test_each_value_has_a_bin_of_its_own(self, flows):
        made = table_detectors.TableFeatures().fit_transform(flows)
        assert made.nunique().max() <= 255
        assert not {"hour_sin", "day"} & set(made)

    def test_it_can_be_cloned(self):
        assert clone(table_detectors.TableFeatures(("a",))).leave_out == ("a",)


class TestDetectors:
    def test_they_are_those_of_the_lab_but_for_the_features(self):
        for mine, labs in (
            (table_detectors.gradient_boosting(3), detectors.gradient_boosting(3)),
            (
                table_detectors.logistic_regression("balanced"),
                detectors.logistic_regression("balanced"),
            ),
        ):
            assert [name for name, _ in mine.steps] == [name for name, _ in labs.steps]
            assert mine[-1].get_params() == labs[-1].get_params()
            assert isinstance(mine[0], table_detectors.TableFeatures)

    def test_one_name_to_leave_out_may_stand_alone(self):
        assert table_detectors.gradient_boosting(leave_out="ttl")[0].leave_out == ("ttl",)

    def test_they_rank_and_repeat(self, flows, split):
        past, test = other.before_test(flows, split), split.of(flows, "test")
        for make in (table_detectors.gradient_boosting, table_detectors.logistic_regression):
            once, twice = (
                make().fit(past, past["label"]).decision_function(test) for _ in range(2)
            )
            assert (once == twice).all()
            assert ThresholdSweep.from_scores(test["label"], once).roc_auc > 0.9

    def test_the_four_models_of_the_calibration(self, flows, split):
        models = table_detectors.calibrated_models(
            split.of(flows, "train"), split.of(flows, "calibrate")
        )
        assert tuple(models) == MODELS
        test = split.of(flows, "test")
        scores = {name: model.predict_proba(test)[:, 1] for name, model in models.items()}
        ranks = {name: ThresholdSweep.from_scores(test["label"], p).roc_auc
                 for name, p in scores.items()}  # fmt: skip
        assert ranks["balanced"] == pytest.approx(ranks["balanced + Platt"], abs=1e-12)


class TestDays:
    def test_fringes_are_counted_to_the_day_after(self, flows):
        before = read_flows(sample_paths())
        assert before["day"].nunique() == 15
        assert flows["day"].nunique() == 10
        assert len(flows) == len(before)
        counts = other.days_table(flows)
        assert counts["date"].is_unique
        assert counts["records"].sum() == len(flows)
        assert counts["date"].iloc[0] == "2040-01-09"

    def test_a_small_day_without_a_day_after_stays(self):
        lone = days([0, 1] * 200, [0, 1] * 200, [0, 1] * 200)
        stray = lone.head(1).assign(day=7, date="d7")
        kept = other.with_fringes_joined(pd.concat([lone, stray], ignore_index=True))
        assert sorted(kept["day"].unique()) == [0, 1, 2, 7]

    def test_fringes_in_a_row_go_to_the_first_whole_day(self):
        joined = other.with_fringes_joined(days([1], [0], [0, 1] * 200, [0, 1] * 200, [1] * 400))
        assert joined["day"].value_counts().to_dict() == {2: 402, 3: 400, 4: 400}
        assert set(joined["date"]) == {"d2", "d3", "d4"}

    def test_the_summary_of_the_reader_stays(self, flows):
        assert flows.attrs["summary"]["kept"] == len(flows)

    def test_the_table_given_is_left_alone(self):
        flows = days([1], [0, 1] * 200, [0, 1] * 200)
        before = flows.copy()
        joined = other.with_fringes_joined(flows)
        pd.testing.assert_frame_equal(flows, before)
        assert sorted(joined["day"].unique()) == [1, 2]
        assert joined["date"].iloc[0] == "d1"

    def test_hours(self, flows):
        hours = other.attacks_by_hour(flows)
        assert hours.index.tolist() == list(range(24))
        assert hours.to_numpy().sum() == len(flows)
        assert hours.loc[4:22, "attacks"].sum() == 0

    @pytest.mark.parametrize(
        "function",
        [
            other.with_fringes_joined,
            other.days_table,
            other.attacks_by_hour,
            lambda flows: other.split_by_days(flows, 1),
        ],
    )
    def test_without_times_there_are_no_days(self, function):
        with pytest.raises(InputError, match="no times"):
            function(table(bytes=[1, 2]))


class TestSplit:
    def test_parts_are_days_in_their_order(self, flows, split):
        order = sorted(flows["day"].unique().tolist())
        assert [*split.train, *split.calibrate, *split.test] == order
        assert [len(part) for part in (split.train, split.calibrate, split.test)] == [4, 2, 4]

    def test_gaps_between_days_do_not_matter(self):
        split = other.split_by_days(days([0, 1], [0, 1], [0], [1], gap=5), 1, 1, 1)
        assert (split.train, split.calibrate, split.test) == ((0,), (5,), (10,))

    @pytest.mark.parametrize(
        ("counts", "fault"),
        [
            ((0,), "train is 0; it must be 1 or more"),
            ((-1,), "train is -1"),
            ((2, -1), "calibrate is -1"),
            ((2, 0, 0), "test is 0"),
            ((1.5,), "pass a whole number"),
            (("2",), "pass a whole number"),
            ((4,), "there are 4 days, too few"),
            ((2, 2), "there are 4 days, too few"),
            ((2, 1, 2), "there are 4 days, too few"),
        ],
    )
    def test_nonsense_is_refused(self, counts, fault):
        flows = days([0, 1], [0, 1], [0, 1], [0, 1])
        with pytest.raises(InputError, match=fault):
            other.split_by_days(flows, *counts)

    def test_parts_to_learn_from_need_both_classes(self):
        flows = days([0, 0], [0, 1], [1, 1], [0, 1])
        for counts, part, only in (
            ((1,), "train", "normal records"),
            ((2, 1), "calibrate", "attacks"),
        ):
            with pytest.raises(InputError, match=f"the {part} days hold {only} only"):
                other.split_by_days(flows, *counts)

    def test_test_days_need_no_attack(self):
        assert other.split_by_days(days([0, 1], [0], [0]), 1).test == (1, 2)

    def test_a_shuffle_deals_as_many_records_at_the_same_base_rate(self, flows, split):
        past, future = other.shuffled(flows, split)
        assert len(future) == len(split.of(flows, "test"))
        assert len(past) + len(future) == len(flows)
        assert past["label"].mean() == pytest.approx(future["label"].mean(), abs=1e-3)
        assert not set(past.index) & set(future.index)
        assert set(split.test) & set(past["day"])
        again, _ = other.shuffled(flows, split)
        assert again.index.equals(past.index)

    def test_before_the_test_is_before(self, flows, split):
        past = other.before_test(flows, split)
        assert past["day"].max() < min(split.test)


class TestMeasures:
    def test_ranking_numbers_of_both_classes(self):
        found = other.ranking_numbers(pd.Series([0, 1, 0, 1]), np.array([1, 4, 2, 3]))
        assert found["AUC"] == found["AP"] == found["AP at 0.1 %"] == 1
        assert list(found) == ["base rate", "AUC", "AP", "AP at 1 %", "AP at 0.1 %"]

    def test_a_quiet_part_has_no_ranking(self):
        found = other.ranking_numbers(pd.Series([0, 0]), np.array([1, 2]))
        assert found.pop("base rate") == 0
        assert all(math.isnan(value) for value in found.values())

    def test_areas_by_day_are_undefined_where_nothing_happened(self):
        flows = days([0, 1, 0], [0, 0], [1, 0])
        areas = other.areas_by_day(flows, {"x": flows["x"].to_numpy()})
        assert areas["x"].tolist() == [1, pytest.approx(math.nan, nan_ok=True), 1]
        assert areas["attacks"].tolist() == [1, 0, 1]

    def test_retrained_daily_learns_from_days_that_are_over(self):
        fitted = []

        class Spy:
            def fit(self, flows, labels):
                fitted.append(sorted(flows["day"].unique().tolist()))
                return self

            def decision_function(self, flows):
                return flows["x"].to_numpy()

        flows = days([1, 1], [0, 1], [0, 0], [0, 1], [1, 0])
        found = other.retrained_daily(flows, {"spy": Spy})
        # Day 1 has only attacks before it, day 2 no attack.
        assert fitted == [[0, 1, 2], [0, 1, 2, 3]]
        assert found.index.tolist() == [3, 4]
        assert found["spy"].tolist() == [1, 1]
        assert found["attacks learnt"].tolist() == [3, 4]
        assert found["days learnt"].tolist() == [3, 4]

    def test_retrained_daily_with_intervals(self, flows):
        models = {"lr": table_detectors.logistic_regression}
        found = other.retrained_daily(flows, models, intervals=True)
        assert (found["lr low"] <= found["lr"]).all()
        assert (found["lr"] <= found["lr high"]).all()
        pd.testing.assert_frame_equal(
            found.drop(columns=["lr low", "lr high"]), other.retrained_daily(flows, models)
        )

    def test_one_column_that_says_it_all(self, flows, split):
        past, test = other.before_test(flows, split), split.of(flows, "test")
        areas = other.one_column_areas(past, test, ["src_as", "hour", "dst_port"])
        assert areas["src_as"] > 0.95
        assert areas["hour"] > 0.9

    def test_one_column_by_hand(self):
        past = pd.DataFrame({"label": [1, 0, 0, 0], "proto": ["icmp", "tcp", "tcp", None]})
        future = pd.DataFrame({"label": [1, 1, 0, 0], "proto": ["icmp", "gre", "tcp", None]})
        # icmp 0.625, new 0.25, unset 0.125, tcp 0.083
        assert other.one_column_areas(past, future, ["proto"]) == {"proto": 1.0}

    def test_a_column_that_is_not_there(self):
        flows = table(bytes=[1, 2])
        for name in ("ttl", "hour"):
            with pytest.raises(InputError, match=f"no column {name}"):
                other.one_column_areas(flows, flows, [name])
