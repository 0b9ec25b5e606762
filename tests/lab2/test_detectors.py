"""The detectors: what they read, what they must not read, and that they are what they say."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from labkit.data.schema import COLUMNS
from labkit.data.traffic import simulate
from labkit.lab2.detectors import features, gradient_boosting, logistic_regression

NOT_READ = ("label", "family", "activity", "day", "src")
DETECTORS = {
    "gradient boosting": gradient_boosting,
    "logistic regression": logistic_regression,
    "balanced": lambda: logistic_regression(class_weight="balanced"),
}


@pytest.fixture(scope="module")
def some(flows):
    """Every third record: two weeks of all kinds, quicker to fit."""
    return flows.iloc[::3]


def test_a_row_a_record_of_finite_numbers(some):
    inputs = features(some)
    assert inputs.index.equals(some.index)
    assert (inputs.dtypes == "float64").all()
    assert np.isfinite(inputs.to_numpy()).all()
    assert inputs.columns.is_unique
    # A column that is the same everywhere would tell the detectors nothing.
    assert (inputs.max() > inputs.min()).all()


@pytest.mark.parametrize("column", NOT_READ)
def test_what_a_detector_could_not_know_is_not_read(some, column):
    pd.testing.assert_frame_equal(features(some.drop(columns=column)), features(some))


@pytest.mark.parametrize("column", [c.name for c in COLUMNS if c.name not in NOT_READ])
def test_every_other_column_is_read(some, column):
    turned = some.assign(**{column: some[column].to_numpy()[::-1]})
    assert not features(turned).equals(features(some))


def test_a_records_features_depend_on_that_record_alone(some):
    pd.testing.assert_frame_equal(features(some.iloc[100:110]), features(some).iloc[100:110])
    turned = some.iloc[::-1]
    pd.testing.assert_frame_equal(features(turned), features(some).iloc[::-1])


def test_the_table_is_left_as_it_was(some):
    before = some.copy(deep=True)
    features(some)
    pd.testing.assert_frame_equal(some, before)


@pytest.mark.parametrize("seed", [0, 1, 2, 70_001])
def test_no_feature_has_more_values_than_the_booster_has_bins(seed):
    distinct = features(simulate(seed)).nunique()
    assert distinct.max() <= HistGradientBoostingClassifier().max_bins == 255


@pytest.mark.parametrize("name", DETECTORS)
def test_a_detector_ranks_flow_tables(name, some):
    model = DETECTORS[name]().fit(some, some["label"])
    scores = model.decision_function(some)
    probabilities = model.predict_proba(some)
    assert scores.shape == (len(some),)
    assert probabilities.sum(axis=1) == pytest.approx(np.ones(len(some)))
    # Higher is likelier an attack, and the probability never contradicts the score.
    assert scores[some["label"] == 1].mean() > scores[some["label"] == 0].mean()
    assert np.all(np.diff(probabilities[np.argsort(scores), 1]) >= 0)
    again = DETECTORS[name]().fit(some, some["label"]).decision_function(some)
    np.testing.assert_array_equal(scores, again)


def test_the_seed_of_the_booster_decides_its_early_stopping(some):
    zero, one = (
        gradient_boosting(seed).fit(some, some["label"]).decision_function(some) for seed in (0, 1)
    )
    assert not np.array_equal(zero, one)


def test_the_models_are_scikit_learns_with_its_defaults():
    booster = gradient_boosting(7)[-1]
    assert booster.get_params() == HistGradientBoostingClassifier(random_state=7).get_params()
    *_, scaler, regression = logistic_regression(class_weight="balanced")
    assert isinstance(scaler, StandardScaler)
    changed = {"class_weight": "balanced", "max_iter": 1000}
    assert regression.get_params() == LogisticRegression(**changed).get_params()


def test_balanced_weights_are_those_of_inverse_frequency(some):
    labels = some["label"]
    share = labels.mean()
    weights = {0: 0.5 / (1 - share), 1: 0.5 / share}
    by_hand = logistic_regression(class_weight=weights).fit(some, labels)
    balanced = logistic_regression(class_weight="balanced").fit(some, labels)
    np.testing.assert_allclose(
        balanced.decision_function(some), by_hand.decision_function(some), rtol=1e-4, atol=1e-4
    )
