"""Lab 2 on traffic that others recorded: features, days and splits, whatever columns there are.

The table is one that `labkit.data.readers.read_flows` returned. The detectors are those of
`labkit.lab2.detectors`; only what they read is found out from the table, on the training records:
measured columns, as logarithms where they span orders of magnitude, and a few texts as indicators.
Hosts, networks, ports by number and times are not read: they name who and when, not what.
"""

import operator
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import train_test_split

from labkit.errors import InputError
from labkit.lab2 import detectors
from labkit.lab2.experiment import MODELS, RARER
from labkit.lab2.split import TemporalSplit
from labkit.metrics import ThresholdSweep, delong

if TYPE_CHECKING:
    from sklearn.pipeline import Pipeline

NOT_READ = frozenset(
    {"label", "family", "activity", "day", "date", "time", "src_port", "dst_port", "src", "dst"}
    | {"src_as", "dst_as"}
)
"""Columns that hold the answer, or name a host, a network, a port or a time."""
WORDS = ("proto", "port_class", "service", "state")
"""Columns of texts that are read where a table has them."""

# A column whose values span more than this is read as a logarithm.
_SPAN = 1000
# More than this would give a logarithm over 255 values.
_WIDEST = 1e11
# Steps into which other columns are rounded; with logarithms to 0.1, each value has a bin of its
# own in the booster's histogram (see `labkit.lab2.detectors`).
_STEPS = 200
# Words on fewer of the training records than this are not told apart.
_COMMON = 0.001
# A day with fewer records than this share of the middle day's is the fringe of another.
_FRINGE = 0.01

Model = Callable[[], "Pipeline"]


class TableFeatures(TransformerMixin, BaseEstimator):
    """From a flow table of any columns to numbers, by what the training records hold.

    Parameters
    ----------
    leave_out
        Columns not to read, beside `NOT_READ`.

    Examples
    --------
    >>> table = pd.DataFrame({
    ...     "label": [0, 1], "proto": ["tcp", "udp"], "bytes_out": [1, 20_000], "ttl": [31, 29]})
    >>> TableFeatures().fit_transform(table).round(1)
       log_bytes_out   ttl  proto_tcp  proto_udp
    0            0.7  31.0        1.0        0.0
    1            9.9  29.0        0.0        1.0
    """

    def __init__(self, leave_out: tuple[str, ...] = ()) -> None:
        self.leave_out = leave_out

    def fit(self, flows: pd.DataFrame, y: object = None) -> "TableFeatures":
        """Find out which columns to read, and how.

        Raises
        ------
        InputError
            When none is left.
        """
        skipped = NOT_READ | set(self.leave_out)
        self.units_: dict[str, float] = {}
        self.steps_: dict[str, float] = {}
        self.middles_: dict[str, float] = {}
        self.unset_: list[str] = []
        self.words_: dict[str, list[str]] = {}
        for name in flows:
            if name in skipped:
                continue
            if pd.api.types.is_numeric_dtype(flows[name]):
                self._learn_number(str(name), flows[name].to_numpy(dtype=float))
            elif name in WORDS:
                shares = flows[name].value_counts() / len(flows)
                self.words_[name] = sorted(map(str, shares.index[shares >= _COMMON]))
        if not self.middles_ and not any(self.words_.values()):
            raise InputError("the flow table has no column that a detector could read")
        return self

    def _learn_number(self, name: str, values: np.ndarray) -> None:
        known = values[np.isfinite(values)]
        if not len(known) or known.min() == known.max():
            return
        self.middles_[name] = float(np.median(known))
        if len(known) < len(values):
            self.unset_.append(name)
        positive = known[known > 0]
        unit = float(np.quantile(positive, 0.01, method="lower")) if len(positive) else 1.0
        if known.min() >= 0 and known.max() > _SPAN * unit:
            self.units_[name] = max(unit, float(known.max()) / _WIDEST)
        else:
            self.steps_[name] = float(known.max() - known.min()) / _STEPS

    def transform(self, flows: pd.DataFrame) -> pd.DataFrame:
        """Return the features, float64, one row a record.

        A value that is unset counts as the median of the training records, and a feature of its
        own says that it was unset, if any of the training records was.

        Raises
        ------
        InputError
            When a column is missing that the training records had.
        """
        for name in (*self.middles_, *self.words_):
            if name not in flows:
                raise InputError(f"the flow table has no column {name}, but the training had one")
        columns = {}
        for name, middle in self.middles_.items():
            values = flows[name].to_numpy(dtype=float)
            unset = ~np.isfinite(values)
            values = np.where(unset, middle, values)
            if name in self.units_:
                logs = np.log1p(np.maximum(values, 0) / self.units_[name])
                columns[f"log_{name}"] = logs.round(1)
            else:
                columns[name] = (values / self.steps_[name]).round() * self.steps_[name]
            if name in self.unset_:
                columns[f"{name}_unset"] = unset.astype(float)
        for name, words in self.words_.items():
            for word in words:
                columns[f"{name}_{word}"] = (flows[name] == word).to_numpy(dtype=float)
        return pd.DataFrame(columns, index=flows.index)


def gradient_boosting(seed: int = 0, leave_out: Iterable[str] = ()) -> "Pipeline":
    """Return the booster of `labkit.lab2.detectors`, on what a table has to read.

    Parameters
    ----------
    seed
        As there.
    leave_out
        Columns not to read.
    """
    return _reading(detectors.gradient_boosting(seed), leave_out)


def logistic_regression(
    class_weight: str | dict | None = None, leave_out: Iterable[str] = ()
) -> "Pipeline":
    """Return the logistic regression of `labkit.lab2.detectors`, on what a table has to read."""
    return _reading(detectors.logistic_regression(class_weight), leave_out)


def _reading(model: "Pipeline", leave_out: Iterable[str]) -> "Pipeline":
    names = (leave_out,) if isinstance(leave_out, str) else tuple(leave_out)
    return model.set_params(functiontransformer=TableFeatures(names))


def calibrated_models(
    past: pd.DataFrame, calibrate: pd.DataFrame, leave_out: Iterable[str] = ()
) -> dict[str, object]:
    """Fit the four logistic regressions of Lab 2, `labkit.lab2.experiment.MODELS`.

    Parameters
    ----------
    past
        Records to train on.
    calibrate
        Later records, on which Platt's sigmoid and the isotonic steps are fitted.
    leave_out
        Columns not to read.
    """
    plain = logistic_regression(leave_out=leave_out).fit(past, past["label"])
    balanced = logistic_regression("balanced", leave_out).fit(past, past["label"])
    platt, isotonic = (
        CalibratedClassifierCV(FrozenEstimator(balanced), method=method).fit(
            calibrate, calibrate["label"]
        )
        for method in ("sigmoid", "isotonic")
    )
    return dict(zip(MODELS, (plain, balanced, platt, isotonic), strict=True))


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
