"""The numbers of docs/real-traffic.md: Lab 2 on files that others recorded.

    python -m labkit.lab2.real_traffic FOLDER

prints its tables from the files in a folder, which are named on that page. None of them is part of
this repository.
"""

import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

from labkit.data.readers import read_flows
from labkit.decisions import at_daily_budget, fixed_threshold_by_day
from labkit.lab2 import other_traffic as other
from labkit.lab2 import table_detectors
from labkit.lab2.split import TemporalSplit
from labkit.metrics import (
    ThresholdSweep,
    bootstrap,
    brier_score,
    delong,
    log_loss,
    percentiles,
    wilson,
)
from labkit.metrics.statistics import auc, average_precision, brier, mean_score

TRAIN, CALIBRATE = 4, 2
"""LUFlow's days to train on and to calibrate on; the other four are for the test."""
BUDGETS = (20, 5000)
"""Alerts a day: what the lesson has, and about as many as the calibration days have attacks."""
ZONE = "Europe/Prague"
"""Where the Zeek logs were recorded, each on one day of that zone's calendar."""
HOURS = 4
"""LUFlow's attacks all begin before this hour of the day, but for a few at the end of the last."""

_RATES = (0.01, 0.001)
_SHARE = 0.4
_SECOND = "%Y-%m-%d %H:%M:%S"
_DAYS = {"n_replicates": 1000, "seed": 0}

Tables = Iterator[tuple[str, pd.DataFrame]]


def tables(folder: Path) -> Tables:
    """Yield every table of the page, by its name, as texts."""
    yield from luflow(
        other.with_fringes_joined(read_flows(sorted((folder / "luflow").glob("*.zip"))))
    )
    yield "others-read", others_read(folder)
    yield "others", others(folder)
    yield "others-one-column", others_one_column(folder)


def luflow(flows: pd.DataFrame) -> Tables:
    """Yield the tables on days of LUFlow."""
    split = other.split_by_days(flows, TRAIN, CALIBRATE)
    yield "luflow-days", _days(flows, split)
    yield "luflow-ranking", _ranking(flows, split)
    yield "luflow-retrained", _retrained(flows)
    yield "luflow-one-column", _one_column(flows, split)
    yield "luflow-budgets", _budgets(flows, split)
    yield "luflow-calibration", _calibration(flows, split)


def _days(flows: pd.DataFrame, split: TemporalSplit) -> pd.DataFrame:
    early = flows[flows["time"] // 3600 % 24 < HOURS]
    night = other.days_table(early)["base_rate"]
    found = other.days_table(flows)
    parts = {day: part for part in ("train", "calibrate", "test") for day in getattr(split, part)}
    return pd.DataFrame(
        {
            "date": found["date"],
            "part": found.index.map(parts),
            "records": found["records"].map("{:,}".format),
            "attacks": found["attacks"].map("{:,}".format),
            "base rate": found["base_rate"].map("{:.4f}".format),
            f"base rate before {HOURS}:00": night.reindex(found.index).map("{:.4f}".format),
        }
    )


def _detectors(leave_out: tuple[str, ...] = ()) -> dict[str, other.Model]:
    return {
        "gradient boosting": lambda: table_detectors.gradient_boosting(0, leave_out),
        "logistic regression": lambda: table_detectors.logistic_regression(leave_out=leave_out),
    }


def _ranking(flows: pd.DataFrame, split: TemporalSplit) -> pd.DataFrame:
    temporal = other.before_test(flows, split), split.of(flows, "test")
    rows = []
    for name, (past, future), leave_out in (
        ("temporal", temporal, ()),
        ("random", other.shuffled(flows, split), ()),
        ("temporal, without port class", temporal, ("port_class",)),
    ):
        scores = _scores(past, future, _detectors(leave_out))
        labels, days = future["label"], future["day"]
        statistics = [auc(), average_precision(), *map(average_precision, _RATES)]
        drawn = bootstrap(labels, scores, statistics, groups=days, **_DAYS).intervals()
        for detector, of_records in scores.items():
            measured = drawn.loc[detector]
            areas = delong(labels, of_records)
            row = {"split": name, "detector": detector}
            for heading, (_, one), digits in zip(
                ("AUC", "AP", "AP at 1 %", "AP at 0.1 %"),
                measured.iterrows(),
                (5, 4, 4, 4),
                strict=True,
            ):
                row[heading] = _interval(one["estimate"], one["low"], one["high"], digits)
            row["AUC, by record"] = f"{areas.low:.5f} to {areas.high:.5f}"
            rows.append(row)
    return pd.DataFrame(rows)


def _scores(
    past: pd.DataFrame, future: pd.DataFrame, models: Mapping[str, other.Model]
) -> dict[str, np.ndarray]:
    return {
        name: make().fit(past, past["label"]).decision_function(future)
        for name, make in models.items()
    }


def _retrained(flows: pd.DataFrame) -> pd.DataFrame:
    found = other.retrained_daily(flows, _detectors(), intervals=True)
    shown = found[["date", "records", "attacks", "days learnt", "attacks learnt"]].copy()
    for name in ("records", "attacks", "attacks learnt"):
        shown[name] = found[name].map("{:,}".format)
    for name in _detectors():
        ends = found[[name, f"{name} low", f"{name} high"]].to_numpy()
        shown[name] = [_interval(*of_day, 5) for of_day in ends]
    return shown


def _one_column(flows: pd.DataFrame, split: TemporalSplit) -> pd.DataFrame:
    past, test = other.before_test(flows, split), split.of(flows, "test")
    columns = ("src_as", "dst_as", "dst_port", "port_class", "proto", "hour")
    areas = other.one_column_areas(past, test, columns)
    # The network that most normal records come from.
    house = past.loc[past["label"] == 0, "src_as"].mode()[0]
    rule = ThresholdSweep.from_scores(test["label"], test["src_as"] != house).at_threshold(1)
    rows = [(name, f"{area:.4f}", "", "", "", "") for name, area in areas.items()]
    rows.append(
        (
            f"rule: source network is not {house}",
            "",
            f"{rule.tp:,}",
            f"{rule.fp:,}",
            _share(rule.tp, rule.tp + rule.fn, 4),
            _share(rule.tp, rule.tp + rule.fp, 5),
        )
    )
    headings = ["what is looked at", "AUC", "true alerts", "false alerts", "recall", "precision"]
    return pd.DataFrame(rows, columns=headings)


def _budgets(flows: pd.DataFrame, split: TemporalSplit) -> pd.DataFrame:
    past, calibrate, test = (split.of(flows, part) for part in ("train", "calibrate", "test"))
    attacks = calibrate.groupby("day")["label"].sum()
    quiet = calibrate[calibrate["day"].isin(attacks.index[attacks == 0])]
    dates = other.days_table(flows)["date"]
    watched = pd.concat([calibrate, test])
    rows = []
    for detector, make in _detectors().items():
        model = make().fit(past, past["label"])
        scores = model.decision_function(watched)
        for fixed_on, records, per_day in (
            *(("both days", calibrate, budget) for budget in BUDGETS),
            ("the quiet day", quiet, BUDGETS[0]),
        ):
            of_records = scores[watched["day"].isin(records["day"].unique())]
            cut = at_daily_budget(
                records["label"], of_records, records["day"], per_day, ties="over"
            )
            days = fixed_threshold_by_day(watched["label"], scores, watched["day"], cut.threshold)
            for day, one in days.iterrows():
                rows.append(
                    {
                        "detector": detector,
                        "budget": f"{per_day:,} a day on {fixed_on}",
                        "date": dates[day],
                        "part": "fixed" if day in split.calibrate else "replayed",
                        "true alerts": f"{one['tp']:,.0f}",
                        "false alerts": f"{one['fp']:,.0f}",
                        "recall": _share(one["tp"], one["attacks"], 4),
                        "precision": _share(one["tp"], one["alerts"], 4),
                    }
                )
    return pd.DataFrame(rows)


def _calibration(flows: pd.DataFrame, split: TemporalSplit) -> pd.DataFrame:
    past, calibrate, test = (split.of(flows, part) for part in ("train", "calibrate", "test"))
    models = table_detectors.calibrated_models(past, calibrate)
    probabilities = {name: model.predict_proba(test)[:, 1] for name, model in models.items()}
    labels = test["label"]
    drawn = bootstrap(labels, probabilities, [brier(), mean_score()], groups=test["day"], **_DAYS)
    rows = []
    for name, probability in probabilities.items():
        ends = [percentiles(drawn.of(name, one.name)) for one in (mean_score(), brier())]
        sweep = ThresholdSweep.from_scores(labels, probability)
        rows.append(
            {
                "model": name,
                "mean prediction": _interval(probability.mean(), *ends[0][:2], 4),
                "Brier score": _interval(brier_score(labels, probability), *ends[1][:2], 4),
                "log loss": f"{log_loss(labels, probability):.4f}",
                "AUC": f"{sweep.roc_auc:.4f}",
                "AP": f"{sweep.average_precision:.4f}",
            }
        )
    shares = [f"share of attacks: {part['label'].mean():.4f}" for part in (calibrate, test)]
    rows.append({"model": f"calibration days, {shares[0]}; test days, {shares[1]}"})
    return pd.DataFrame(rows).fillna("")


def others_read(folder: Path) -> pd.DataFrame:
    """Return what was read of the other files, as texts."""
    rows = []
    for name, flows in (
        ("Zeek", _zeek(folder)),
        ("CIC-IDS2017", _cic(folder)),
        ("UNSW-NB15", _unsw(folder)),
        *zip(("NSL-KDD, training", "NSL-KDD, test"), _nslkdd(folder), strict=True),
        ("CTU", read_flows(folder / "ctu" / "netflowlabeler-test5.tabs.binetflow")),
    ):
        row = {
            "files": name,
            "kept": f"{len(flows):,}",
            "attacks": f"{flows['label'].sum():,}",
            "base rate": f"{flows['label'].mean():.4f}",
        }
        if "time" in flows:
            ends = pd.to_datetime([flows["time"].min(), flows["time"].max()], unit="s")
            row |= dict(zip(("first (UTC)", "last (UTC)"), ends.strftime(_SECOND), strict=True))
        rows.append(row)
    return pd.DataFrame(rows).fillna("none")


def others(folder: Path) -> pd.DataFrame:
    """Return how the detectors rank on the other files, as texts."""
    rows = []
    for name, what, past, future, leave_out in _other_splits(folder):
        scores = _scores(past, future, _detectors(leave_out))
        for detector, of_records in scores.items():
            areas = delong(future["label"], of_records)
            found = other.ranking_numbers(future["label"], of_records)
            rows.append(
                {
                    "files": name,
                    "split": what,
                    "learnt from": f"{len(past):,}",
                    "judged on": f"{len(future):,}",
                    "attacks": f"{future['label'].sum():,}",
                    "detector": detector,
                    "AUC": _interval(areas.auc, areas.low, areas.high, 4),
                    "AP": f"{found['AP']:.4f}",
                    "AP at 1 %": f"{found['AP at 1 %']:.4f}",
                }
            )
    return pd.DataFrame(rows)


def _other_splits(
    folder: Path,
) -> Iterator[tuple[str, str, pd.DataFrame, pd.DataFrame, tuple[str, ...]]]:
    zeek = _zeek(folder)
    days = other.split_by_days(zeek, 1)
    by_time = days.of(zeek, "train"), days.of(zeek, "test")
    yield "Zeek", "first day, second day", *by_time, ()
    yield "Zeek", "random", *other.shuffled(zeek, days), ()
    flags = ("internal", "dst_internal")
    yield "Zeek", "first day, second day; without who is internal", *by_time, flags
    yield "CIC-IDS2017", "random", *_shuffled(_cic(folder)), ()
    unsw = _unsw(folder)
    yield "UNSW-NB15", "random", *_shuffled(unsw), ()
    yield "UNSW-NB15", "first 60 %, last 40 % by time", *_in_order(unsw), ()
    learn, judge = _nslkdd(folder)
    yield "NSL-KDD", "random, within the training file", *_shuffled(learn), ()
    yield "NSL-KDD", "training file, test file", learn, judge, ()
    known = judge["family"].isin(set(learn["family"]))
    yield "NSL-KDD", "test file, attack names known", learn, judge[known], ()
    fresh = ~known | (judge["label"] == 0)
    yield "NSL-KDD", "test file, attack names new", learn, judge[fresh], ()


def others_one_column(folder: Path) -> pd.DataFrame:
    """Return how single columns rank later records in the other files, as texts."""
    zeek, unsw = _zeek(folder), _unsw(folder)
    days = other.split_by_days(zeek, 1)
    of_zeek = other.one_column_areas(
        days.of(zeek, "train"), days.of(zeek, "test"), ("internal", "state", "port_class", "proto")
    )
    of_unsw = other.one_column_areas(*_in_order(unsw), ("sttl", "dttl", "state", "service"))
    rows = [
        (name, column, f"{area:.4f}")
        for name, areas in (("Zeek", of_zeek), ("UNSW-NB15", of_unsw))
        for column, area in areas.items()
    ]
    return pd.DataFrame(rows, columns=["files", "column", "AUC"])


def _zeek(folder: Path) -> pd.DataFrame:
    logs = sorted((folder / "zeek").glob("*.log.labeled"))
    return other.with_fringes_joined(read_flows(logs, timezone=ZONE))


def _cic(folder: Path) -> pd.DataFrame:
    return read_flows(folder / "cic" / "hif_cicids2017_sample.csv")


def _unsw(folder: Path) -> pd.DataFrame:
    return read_flows(folder / "unsw" / "Escenario3.raw.csv").sort_values("time", kind="stable")


def _nslkdd(folder: Path) -> tuple[pd.DataFrame, pd.DataFrame]:
    names = ("KDDTrain+_20Percent.txt", "KDDTest+.txt")
    flows = read_flows([folder / "nslkdd" / name for name in names])
    first = flows.attrs["summary"]["files"][0]["kept"]
    return flows[:first], flows[first:]


def _shuffled(flows: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    past, future = train_test_split(
        flows, test_size=_SHARE, stratify=flows["label"], random_state=0
    )
    return past, future


def _in_order(flows: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    first = round(len(flows) * (1 - _SHARE))
    return flows[:first], flows[first:]


def _interval(value: float, low: float, high: float, digits: int) -> str:
    return f"{value:.{digits}f} ({low:.{digits}f} to {high:.{digits}f})"


def _share(k: float, n: float, digits: int) -> str:
    """Return k/n with its Wilson interval, "undefined" where n is 0."""
    return _interval(k / n, *wilson(round(k), round(n)), digits) if n else "undefined"


def as_markdown(table: pd.DataFrame) -> str:
    """Return a table of texts in Markdown.

    Examples
    --------
    >>> print(as_markdown(pd.DataFrame({"a": ["1"], "b": [2]})))
    | a | b |
    |---|---|
    | 1 | 2 |
    """
    lines = [table.columns, ["---"] * len(table.columns), *table.itertuples(index=False)]
    shown = ["| " + " | ".join(map(str, line)) + " |" for line in lines]
    shown[1] = shown[1].replace(" ", "")
    return "\n".join(shown)


def main(folder: str, write: Callable[[str], object] = print) -> None:
    """Write all tables in Markdown, each below its name."""
    for name, table in tables(Path(folder)):
        write(f"<!-- {name} -->\n\n{as_markdown(table)}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
