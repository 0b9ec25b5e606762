"""Lab 2's detectors on a flow table of any columns.

They are those of `labkit.lab2.detectors`; only what they read is found out from the table, on the
training records: measured columns, as logarithms where they span orders of magnitude, and a few
texts as indicators. Hosts, networks, ports by number and times are not read: they name who and
when, not what.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator

from labkit.errors import InputError
from labkit.lab2 import detectors
from labkit.lab2.experiment import MODELS

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
