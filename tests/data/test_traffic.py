"""Simulated traffic: properties that hold whatever the profiles are tuned to."""

import numpy as np
import pandas as pd
import pytest

from labkit.data import check_flows, load_flows
from labkit.data.schema import COLUMNS
from labkit.data.traffic import DEFAULT_SEED, FAMILIES, simulate

SEEDS = (DEFAULT_SEED, 1, 2, 70_001, 2**40)


@pytest.fixture(scope="module", params=SEEDS)
def flows(request):
    return simulate(request.param)


@pytest.fixture(scope="module")
def default():
    return simulate()


def test_the_families_are_those_of_the_lesson():
    assert set(FAMILIES) == {"scan", "bruteforce", "exfil", "dos", "beacon"}
    assert len(FAMILIES) == 5


def test_the_same_seed_gives_the_same_table(default):
    pd.testing.assert_frame_equal(simulate(DEFAULT_SEED), default)


def test_another_seed_gives_another_table(default):
    other = simulate(DEFAULT_SEED + 1)
    rows = min(len(other), len(default))
    for column in ("time", "src", "duration_s", "bytes_out", "packets", "iat_cv_10min"):
        same = other[column].to_numpy()[:rows] == default[column].to_numpy()[:rows]
        assert same.mean() < 0.9, column


def test_the_global_random_state_has_no_say(default):
    np.random.seed(99)  # noqa: NPY002
    pd.testing.assert_frame_equal(simulate(), default)


def test_the_records_in_data_are_those_of_the_default_seed(default):
    pd.testing.assert_frame_equal(load_flows(), default)


def test_it_is_a_flow_table_in_the_order_of_the_schema(flows):
    check_flows(flows)
    assert flows.columns.tolist() == [column.name for column in COLUMNS]
    assert flows.index.equals(pd.RangeIndex(len(flows)))
    assert flows["time"].is_monotonic_increasing


def test_fourteen_days_with_normal_records_on_each(flows):
    normal = flows[flows["label"] == 0].groupby("day").size()
    assert normal.index.tolist() == list(range(14))
    assert normal.min() > 500
    hours = flows.loc[flows["label"] == 0, "time"] // 3600 % 24
    assert hours.nunique() == 24


def test_the_test_days_have_the_lessons_attacks(flows):
    test = flows[flows["day"] >= 10]
    assert test["label"].sum() == 432
    assert test["label"].mean() == pytest.approx(0.041, abs=0.0005)


def test_families_and_activities(flows):
    attacks, normal = flows[flows["label"] == 1], flows[flows["label"] == 0]
    assert set(attacks["family"]) == set(FAMILIES)
    assert (attacks["activity"] == attacks["family"]).all()
    assert set(normal["family"]) == {"benign"}
    assert not set(normal["activity"]) & {*FAMILIES, "benign"}
    assert normal["activity"].nunique() > 3


def test_every_family_but_the_beacon_is_there_to_learn_from(flows):
    train = flows[flows["day"] <= 7]
    assert set(train["family"]) == {*FAMILIES, "benign"} - {"beacon"}


def test_no_beacon_before_day_10_and_some_on_every_day_since(flows):
    days = flows.loc[flows["family"] == "beacon", "day"]
    assert sorted(days.unique()) == [10, 11, 12, 13]


def test_denial_of_service_strikes_on_day_11_alone_of_the_test_days(flows):
    days = flows.loc[flows["family"] == "dos", "day"]
    assert set(days[days >= 10]) == {11}
    assert not set(days) & {8, 9}


def test_a_packet_carries_what_a_packet_can(flows):
    per_packet = (flows["bytes_out"] + flows["bytes_in"]) / flows["packets"]
    assert per_packet.min() >= 40
    assert per_packet.max() <= 1500


def test_the_counts_of_ten_minutes_agree_with_each_other(flows):
    assert (flows["peers_10min"] <= flows["connections_10min"]).all()
    assert (flows["failed_10min"] <= flows["connections_10min"]).all()
    assert (flows["peers_10min"] >= 1).all()


def test_sources_inside_have_names_and_those_outside_addresses_of_nobody(flows):
    outside = flows["src"].str.match(r"(?:192\.0\.2|198\.51\.100|203\.0\.113)\.\d{1,3}$")
    assert (outside == (flows["internal"] == 0)).all()


def test_no_single_column_gives_the_attacks_away(flows):
    for column in flows.select_dtypes("number").columns.drop(["label", "day", "time"]):
        attacks = flows.loc[flows["label"] == 1, column]
        normal = flows.loc[flows["label"] == 0, column]
        assert attacks.min() <= normal.max(), column
        assert normal.min() <= attacks.max(), column
        overlap = normal.between(attacks.quantile(0.05), attacks.quantile(0.95)).mean()
        assert overlap > 0.05, column


def test_it_survives_a_csv_file(default, tmp_path):
    default.to_csv(tmp_path / "flows.csv", index=False)
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "flows.csv"), default)
