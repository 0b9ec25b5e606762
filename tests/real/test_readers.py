"""Public data sets through their readers, with the figures that others published for them."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from labkit.data.readers import import_flows, read_flows
from labkit.metrics import ThresholdSweep

REPOSITORY = Path(__file__).resolve().parents[2]
REAL = REPOSITORY.parent / "shared" / "real"

# Rows of the benign, malicious and outlier class in each file, as counted with other tools.
LUFLOW = {
    "2020.09.09": (976, 9200, 2817),
    "2020.12.16": (49010, 24353, 18069),
    "2020.12.17": (45000, 0, 0),
    "2020.12.18": (45358, 0, 0),
    "2020.12.21": (47744, 10740, 856),
    "2020.12.22": (45377, 0, 0),
    "2020.12.28": (46157, 2926, 2632),
    "2020.12.29": (43811, 0, 0),
    "2021.01.05": (47044, 23244, 40549),
    "2021.01.06": (43071, 0, 0),
}
ZEEK = {"008": (4201, 1402, 60), "010": (3373, 1937, 37)}


def real(name):
    path = REAL / name
    if not path.is_file():
        pytest.skip(f"../shared/real/{name} is absent")
    return path


def counts(flows):
    return flows.attrs["summary"]["dropped"]


class TestLUFlow:
    @pytest.mark.parametrize("day", LUFLOW)
    def test_classes_and_days(self, day):
        flows = read_flows(real(f"luflow/{day}.zip"))
        normal, attacks, outliers = LUFLOW[day]
        assert flows["label"].value_counts().to_dict() == {
            label: number for label, number in enumerate((normal, attacks)) if number
        }
        assert counts(flows) == ({"neither class (outlier)": outliers} if outliers else {})
        # The first rows began on the day before; all others on the day that the file is named for.
        before, date = sorted(set(flows["date"]))
        assert date == day.replace(".", "-")
        assert pd.Timestamp(before) == pd.Timestamp(date) - pd.Timedelta(days=1)
        assert 10 <= (flows["day"] == 0).sum() <= 60

    @pytest.mark.parametrize(
        ("day", "area", "precision"),
        [("2020.12.16", 0.6250697427, 0.5542723315), ("2020.12.21", 0.4435636779, 0.1811826490)],
    )
    def test_scored_by_entropy(self, day, area, precision):
        flows = read_flows(real(f"luflow/{day}.zip"))
        sweep = ThresholdSweep.from_scores(flows["label"], flows["entropy"])
        assert round(sweep.roc_auc, 10) == area
        assert round(sweep.average_precision, 10) == precision

    def test_padded_times_agree_with_the_durations(self):
        path = real("luflow/2020.12.16.zip")
        flows = read_flows(path)
        raw = pd.read_csv(path, dtype=str, keep_default_na=False)
        raw = raw[raw["label"] != "outlier"]
        lost = raw["time_start"].str.len() < 16
        assert flows.attrs["summary"]["repaired"] == {
            "epoch without its last zeros: padded": lost.sum()
        }
        end = raw["time_end"].str.ljust(16, "0").astype("int64").to_numpy() / 1e6
        assert np.abs(end - flows["time"] - flows["duration_s"]).max() < 1e-5

    def test_the_first_packet_is_the_sources(self):
        # By the data set's description "in" is from the source; then it would be the other way.
        flows = read_flows(real("luflow/2020.12.16.zip"))
        assert (flows["packets_in"] == 0).sum() > 5000
        assert (flows["packets_out"] == 0).sum() < 10

    def test_all_days_in_one_file(self, tmp_path):
        pytest.importorskip("pyarrow")
        paths = [real(f"luflow/{day}.zip") for day in LUFLOW]
        summary = import_flows(paths, tmp_path / "flows.parquet")
        flows = pd.read_parquet(tmp_path / "flows.parquet")
        assert summary["read"] == sum(map(sum, LUFLOW.values())) == 548_934
        assert len(flows) == summary["kept"] == 484_011
        assert summary["first_date"] == "2020-09-08"
        assert flows["day"].max() == (pd.Timestamp("2021-01-06") - pd.Timestamp("2020-09-08")).days


class TestZeek:
    @pytest.mark.parametrize("name", ZEEK)
    def test_classes(self, name):
        flows = read_flows(real(f"zeek/{name}-conn.log.labeled"))
        malicious, benign, background = ZEEK[name]
        assert flows["label"].value_counts().to_dict() == {1: malicious, 0: benign}
        assert counts(flows) == {"neither class (background)": background}
        assert not flows["time"].is_monotonic_increasing

    def test_a_day_in_prague_is_two_in_utc(self):
        path = real("zeek/010-conn.log.labeled")
        assert read_flows(path)["date"].nunique() == 2
        assert set(read_flows(path, timezone="Europe/Prague")["date"]) == {"2022-06-14"}
        # Four flows of the other file began before its day.
        flows = read_flows(real("zeek/008-conn.log.labeled"), timezone="Europe/Prague")
        assert flows["date"].value_counts().to_dict() == {"2022-06-13": 5599, "2022-06-12": 4}


class TestNSLKDD:
    def test_classes(self):
        test, train = (
            read_flows(real(f"nslkdd/KDD{part}")) for part in ("Test+.txt", "Train+_20Percent.txt")
        )
        assert test["label"].value_counts().to_dict() == {1: 12_833, 0: 9_711}
        assert train["label"].value_counts().to_dict() == {0: 13_449, 1: 11_743}
        assert len(set(test["family"]) - set(train["family"])) == 18
        assert not {"time", "day", "difficulty"} & set(test)


class TestUNSW:
    def test_classes(self):
        flows = read_flows(real("unsw/Escenario3.raw.csv"))
        assert flows["label"].value_counts().to_dict() == {0: 3283, 1: 117}
        families = flows["family"].value_counts().to_dict()
        assert families.pop("benign") == 3283
        assert families["Exploits"] == 70
        assert set(flows["date"]) == {"2015-01-22"}


class TestCIC:
    def test_classes(self):
        flows = read_flows(real("cic/hif_cicids2017_sample.csv"))
        assert flows["family"].value_counts().to_dict() == {
            **{"benign": 9973, "DoS": 945, "DDoS": 623, "Port Scanning": 401},
            **{"Brute Force": 38, "Web Attacks": 12, "Bots": 8},
        }
        # 53 columns, of which one is the label; here there is the class of the port besides.
        assert len(flows.columns) == 53 - 1 + 3
        assert "time" not in flows


class TestArgus:
    def test_classes(self):
        flows = read_flows(
            real("ctu/netflowlabeler-test5.tabs.binetflow"), timezone="Europe/Prague"
        )
        assert flows["label"].value_counts().to_dict() == {1: 6277}
        assert flows.attrs["summary"]["read"] == 6725
        # A clock that began with the capture, at the epoch in Prague.
        assert 0 <= flows["time"].min() < 3600
        assert set(flows["date"]) == {"1970-01-01"}
