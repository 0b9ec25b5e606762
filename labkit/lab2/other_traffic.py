"""Lab 2 on traffic that others recorded: days and splits, whatever columns there are.

The table is one that `labkit.data.readers.read_flows` returned, the detectors are those of
`labkit.lab2.table_detectors`.
"""

import operator
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

from labkit.errors import InputError
from labkit.lab2.experiment import RARER
from labkit.lab2.split import TemporalSplit
from labkit.metrics import ThresholdSweep, delong

if TYPE_CHECKING:
    from sklearn.pipeline import Pipeline

# A day with fewer records than this share of the middle day's is the fringe of another.
_FRINGE = 0.01

Model = Callable[[], "Pipeline"]


def with_fringes_joined(flows: pd.DataFrame) -> pd.DataFrame:
    """Return the flows with stray records before midnight counted to the day after.

    A file of a day often begins with a few flows that began on the day before. Where a day has less
    than a hundredth of the records of the middle day, it is such a fringe: its records get the day
    and date of the next calendar day, if that has records.

    Parameters
    ----------
    flows
        A flow table with day and date; it is not changed.

    Raises
    ------
    InputError
        When the table has no times.
    """
    counts = _days_of(flows)
    fringes: dict[int, int] = {}
    for day in sorted(counts.index, reverse=True):
        if counts[day] < _FRINGE * counts.median() and day + 1 in counts.index:
            fringes[int(day)] = fringes.get(int(day) + 1, int(day) + 1)
    if not fringes:
        return flows
    dates = flows.drop_duplicates("day").set_index("day")["date"].to_dict()
    day = flows["day"].replace(fringes)
    date = flows["date"].replace({dates[a]: dates[b] for a, b in fringes.items()})
    return flows.assign(day=day, date=date)


def days_table(flows: pd.DataFrame) -> pd.DataFrame:
    """Return date, records, attacks and base rate of every day, in order."""
    _days_of(flows)
    table = flows.groupby("day").agg(
        date=("date", "first"), records=("label", "size"), attacks=("label", "sum")
    )
    return table.assign(base_rate=table["attacks"] / table["records"])


def attacks_by_hour(flows: pd.DataFrame) -> pd.DataFrame:
    """Return normal records and attacks by hour of the day (UTC)."""
    _days_of(flows)
    hour = (flows["time"] // 3600 % 24).astype(int).rename("hour")
    counts = pd.crosstab(hour, flows["label"]).reindex(
        index=range(24), columns=[0, 1], fill_value=0
    )
    return counts.set_axis(["normal", "attacks"], axis=1)


def split_by_days(
    flows: pd.DataFrame, train: int, calibrate: int = 0, test: int | None = None
) -> TemporalSplit:
    """Split the days that have records, in their order, into parts of so many days.

    Parameters
    ----------
    flows
        A flow table with days.
    train, calibrate, test
        Numbers of days; calibrate may be 0, and test is all that are left if None.

    Raises
    ------
    InputError
        When there are no days or too few, or nothing can be learnt: training or calibration days
        that hold one class only. Test days without an attack are no error: alerts can be counted
        there, though recall and AUC are undefined.

    Examples
    --------
    >>> table = pd.DataFrame({"day": [0, 3, 3, 7, 9], "label": [1, 0, 1, 0, 0], "date": "?"})
    >>> split_by_days(table, train=2)
    TemporalSplit(train=(0, 3), calibrate=(), test=(7, 9))
    """
    days = [int(day) for day in _days_of(flows).index]
    train, calibrate = _count(train, "train", 1), _count(calibrate, "calibrate", 0)
    rest = len(days) - train - calibrate
    test = max(rest, 1) if test is None else _count(test, "test", 1)
    if test > rest:
        raise InputError(
            f"there are {len(days)} days, too few for {train} to train on, "
            f"{calibrate} to calibrate on and {test} to test on"
        )
    split = TemporalSplit(
        train=days[:train],
        calibrate=days[train : train + calibrate],
        test=days[train + calibrate : train + calibrate + test],
    )
    for part in ("train", "calibrate"):
        if getattr(split, part):
            labels = split.of(flows, part)["label"]
            if labels.nunique() < 2:
                only = "attacks" if labels.any() else "normal records"
                raise InputError(f"the {part} days hold {only} only: take more days")
    return split


def shuffled(
    flows: pd.DataFrame, split: TemporalSplit, seed: int = 0
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Deal the records of a split's days at random: what a random split would do.

    Returns
    -------
    past, future : pandas.DataFrame
        As many test records as the temporal split has; both parts with the same base rate.
    """
    days = (*split.train, *split.calibrate, *split.test)
    records = flows[flows["day"].isin(days)]
    past, future = train_test_split(
        records,
        test_size=len(split.of(flows, "test")),
        stratify=records["label"],
        random_state=seed,
    )
    return past, future


def before_test(flows: pd.DataFrame, split: TemporalSplit) -> pd.DataFrame:
    """Return the records of all days before the test: what a detector may learn to rank from."""
    return flows[flows["day"].isin((*split.train, *split.calibrate))]


def ranking_numbers(labels: pd.Series, scores: np.ndarray) -> dict[str, float]:
    """Return AUC, AP at the base rate found and at rarer ones, nan where undefined."""
    sweep = ThresholdSweep.from_scores(labels, scores)
    found = {"base rate": sweep.base_rate, "AUC": sweep.roc_auc, "AP": sweep.average_precision}
    both = sweep.positives and sweep.negatives
    return found | {
        f"AP at {100 * rate:g} %": sweep.at_base_rate(rate).average_precision if both else np.nan
        for rate in RARER.values()
    }


def one_column_areas(
    past: pd.DataFrame, future: pd.DataFrame, columns: Iterable[str]
) -> dict[str, float]:
    """Return how well a single column ranks later records, by the share of attacks at each value.

    The share is that among the past records with the same value; a value that is new has that of
    all past records. A column that is not meant to say anything of attacks, and ranks well, is a
    shortcut: it may have more to do with how the records were collected.

    Parameters
    ----------
    past, future
        Records to learn from, and later ones to judge on, of both classes.
    columns
        Columns of the table; also "hour", that of the day in UTC.

    Examples
    --------
    >>> past = pd.DataFrame({"label": [1, 1, 0, 0], "ttl": [62, 254, 31, 31]})
    >>> future = pd.DataFrame({"label": [1, 0, 0], "ttl": [254, 31, 99]})
    >>> one_column_areas(past, future, ["ttl"])
    {'ttl': 1.0}
    """
    overall = past["label"].mean()
    areas = {}
    for name in columns:
        before, after = (_column(flows, name) for flows in (past, future))
        found = past["label"].groupby(before).agg(["sum", "size"])
        # As if one more record of each value were known, an average one.
        shares = (found["sum"] + overall) / (found["size"] + 1)
        scores = after.map(shares).fillna(overall).to_numpy(dtype=float)
        areas[name] = ThresholdSweep.from_scores(future["label"], scores).roc_auc
    return areas


def _column(flows: pd.DataFrame, name: str) -> pd.Series:
    if name == "hour" and "time" in flows:
        return flows["time"] // 3600 % 24
    if name not in flows:
        raise InputError(f"the flow table has no column {name}")
    return flows[name].astype(object).fillna("unset")


def areas_by_day(flows: pd.DataFrame, scores: Mapping[str, np.ndarray]) -> pd.DataFrame:
    """Return the AUC of each detector on each day, nan on a day of one class.

    Parameters
    ----------
    flows
        Test records.
    scores
        Detector -> its scores of them, shape (n,).
    """
    table = days_table(flows)
    days = flows["day"].to_numpy()
    for name, of_records in scores.items():
        table[name] = [
            ThresholdSweep.from_scores(flows["label"][days == day], of_records[days == day]).roc_auc
            for day in table.index
        ]
    return table


def retrained_daily(
    flows: pd.DataFrame, models: Mapping[str, Model], *, intervals: bool = False
) -> pd.DataFrame:
    """Return each day's AUC when detectors are trained anew on all days that are over by then.

    Parameters
    ----------
    flows
        A flow table with days.
    models
        Detector -> function that makes it, unfitted.
    intervals
        Whether to give the ends of each AUC's 95 % DeLong interval too, as NAME low and NAME high.
        They take the records of a day for independent.

    Returns
    -------
    pandas.DataFrame
        One row a day with attacks and normal records, and both before it: date, records, attacks,
        days and attacks learnt from, and the AUC of each detector.
    """
    table = days_table(flows)
    rows = {}
    for day, about in table.iterrows():
        past, today = flows[flows["day"] < day], flows[flows["day"] == day]
        if past["label"].nunique() < 2 or today["label"].nunique() < 2:
            continue
        rows[day] = {
            "date": about["date"],
            "records": len(today),
            "attacks": int(today["label"].sum()),
            "days learnt": past["day"].nunique(),
            "attacks learnt": int(past["label"].sum()),
        }
        for name, make in models.items():
            scores = make().fit(past, past["label"]).decision_function(today)
            area = delong(today["label"], scores)
            rows[day][name] = area.auc
            if intervals:
                rows[day] |= {f"{name} low": area.low, f"{name} high": area.high}
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("day")


def _days_of(flows: pd.DataFrame) -> pd.Series:
    """Return the number of records of each day, in order."""
    if "day" not in flows:
        raise InputError(
            "the flow table has no days, since its file has no times: it can be split at random "
            "only, and a random split does not say how a detector does on days to come"
        )
    return flows["day"].value_counts().sort_index()


def _count(value: int, name: str, least: int) -> int:
    try:
        whole = operator.index(value)
    except TypeError:
        raise InputError(f"{name} is {value!r}; pass a whole number of days") from None
    if whole < least:
        raise InputError(f"{name} is {whole}; it must be {least} or more")
    return whole
