"""Scores that others published, with the figures that other tools printed for them."""

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from labkit.metrics import ThresholdSweep, delong, delong_test

REPOSITORY = Path(__file__).resolve().parents[2]
REAL = REPOSITORY.parent / "shared" / "real"

sweep_of = ThresholdSweep.from_scores


def read(name, texts=(), **options):
    """Read a table whose columns are numbers but for the texts."""
    path = REAL / name
    if not path.is_file():
        pytest.skip(f"../shared/real/{name} is absent")
    table = pd.read_csv(path, dtype=str, **options)
    # Python reads digits to the nearest float, which not every release of pandas does.
    return table.apply(lambda column: column if column.name in texts else column.map(float))


class TestAneurysms:
    """113 patients, of whom 41 had a poor outcome; figures from the tests of pROC."""

    @pytest.fixture
    def patients(self):
        patients = read("scores/aSAH.csv", texts=["outcome", "gender"])
        assert patients["outcome"].value_counts().to_dict() == {"Good": 72, "Poor": 41}
        return patients

    @pytest.mark.parametrize(
        ("name", "area", "digits"),
        [("s100b", 0.731369, 6), ("wfns", 0.823678861788618, 15), ("ndka", 0.611957994579946, 15)],
    )
    def test_areas(self, patients, name, area, digits):
        for result in (
            delong(patients["outcome"], patients[name], pos_label="Poor").auc,
            sweep_of(patients["outcome"], patients[name], pos_label="Poor").roc_auc,
        ):
            assert round(result, digits) == area

    @pytest.mark.parametrize(
        ("name", "variance"),
        [
            ("s100b", 0.00266868245717244),
            ("wfns", 0.00146991470882363),
            ("ndka", 0.0031908105493913),
        ],
    )
    def test_variances(self, patients, name, variance):
        result = delong(patients["outcome"], patients[name], pos_label="Poor")
        assert f"{result.variance:.15g}" == f"{variance:.15g}"

    def test_the_paired_test(self, patients):
        columns = patients["outcome"], patients["wfns"], patients["s100b"]
        test = delong_test(*columns, pos_label="Poor")
        assert f"{test.z:.15g}" == "2.20898359144091"
        assert round(test.p_value, 7) == 0.0271758
        assert f"{test.high:.15g}" == "0.174214419249478"
        # In fractions the lower end is 0.010406176956484544: the last digit printed is one off.
        assert test.low == pytest.approx(0.0104061769564846, abs=1e-16)

    def test_the_covariance_that_the_paired_test_takes_off(self, patients):
        columns = patients["outcome"], patients["s100b"], patients["wfns"]
        apart = [delong(columns[0], column, pos_label="Poor").variance for column in columns[1:]]
        paired = delong_test(*columns, pos_label="Poor").variance
        assert (sum(apart) - paired) / 2 == pytest.approx(0.00119615567376754, rel=1e-14)


class TestTwoClasses:
    """500 records of two classes with weights from 0.11 to 100; curves by scikit-learn."""

    @pytest.fixture(params=["", "weighted."], ids=["unweighted", "weighted"])
    def sweep_and_curves(self, request):
        records = read("scores/two_class_example.csv", texts=["truth", "predicted"])
        assert len(records) == 500
        assert (records["truth"] == "Class1").sum() == 258
        weights = records["weight"] if request.param else None
        sweep = sweep_of(
            records["truth"], records["Class1"], sample_weight=weights, pos_label="Class1"
        )
        kinds, part = ("roc-curve", "pr-curve"), request.param
        curves = {
            kind: read(f"scores/two_class_example.{kind}.{part}sklearn-reference.csv")
            for kind in kinds
        }
        return sweep, curves, bool(request.param)

    def test_areas(self, sweep_and_curves):
        sweep, _, weighted = sweep_and_curves
        published = (
            (0.9324405222925298, 0.9422031682413736)
            if weighted
            else (0.9393138573899673, 0.9465570239988341)
        )
        # All digits but the last, in which the order of a sum shows.
        assert (sweep.roc_auc, sweep.average_precision) == pytest.approx(published, rel=1e-15)

    def test_every_point_of_the_roc_curve(self, sweep_and_curves):
        sweep, curves, _ = sweep_and_curves
        # One row flags everything and one nothing; the rest are the observed scores, ascending.
        ends, rows = curves["roc-curve"].iloc[[0, -1]], curves["roc-curve"].iloc[1:-1].iloc[::-1]
        assert ends.to_numpy().tolist() == [[-math.inf, 0, 1], [math.inf, 1, 0]]
        assert sweep.thresholds.tolist() == rows[".threshold"].tolist()
        assert sweep.recall == pytest.approx(rows["sensitivity"].to_numpy(), abs=1e-15)
        assert 1 - sweep.fpr == pytest.approx(rows["specificity"].to_numpy(), abs=1e-15)

    def test_every_point_of_the_precision_recall_curve(self, sweep_and_curves):
        sweep, curves, _ = sweep_and_curves
        rows = curves["pr-curve"].iloc[1:]
        # The first row, precision 1 without an alert, is made up: no threshold gives it.
        assert curves["pr-curve"].iloc[0].tolist() == [math.inf, 0, 1]
        assert sweep.thresholds.tolist() == rows[".threshold"].tolist()
        assert sweep.recall == pytest.approx(rows["recall"].to_numpy(), abs=1e-15)
        assert sweep.precision == pytest.approx(rows["precision"].to_numpy(), abs=1e-15)
        for threshold, recall, precision in rows.iloc[::50].itertuples(index=False):
            point = sweep.at_threshold(threshold)
            assert (point.recall, point.precision) == pytest.approx((recall, precision))


class TestFlows:
    """Real flow records with the entropy of the payload as score: many exact ties."""

    def read_day(self, day):
        flows = read(f"luflow/{day}.zip", texts=["label"], usecols=["entropy", "label"])
        return flows[flows["label"] != "outlier"]

    @pytest.mark.parametrize(
        ("day", "area", "precision"),
        [("2020.12.16", 0.6250697427, 0.5542723315), ("2020.12.21", 0.4435636779, 0.1811826490)],
    )
    def test_areas(self, day, area, precision):
        flows = self.read_day(day)
        sweep = sweep_of(flows["label"], flows["entropy"], pos_label="malicious")
        assert round(sweep.roc_auc, 10) == area
        assert round(sweep.average_precision, 10) == precision
        # The rows of the table keep the gaps that the outliers left in its index.
        assert not flows.index.equals(pd.RangeIndex(len(flows)))
        ties = flows.groupby("entropy").size()
        assert sweep.thresholds.tolist() == ties.index[::-1].tolist()
        assert np.diff(sweep.alerts, prepend=0).tolist() == ties.to_numpy()[::-1].tolist()

    def test_a_day_without_attacks_has_no_area(self):
        flows = self.read_day("2020.12.17")
        sweep = sweep_of(flows["label"], flows["entropy"], pos_label="malicious")
        assert (sweep.positives, sweep.negatives) == (0, len(flows))
        assert math.isnan(sweep.roc_auc)
        assert math.isnan(sweep.average_precision)
