"""The two detectors of Lab 2 and the features they read.

Both detectors are scikit-learn pipelines that start from the flow table itself::

    model = gradient_boosting(seed=0).fit(flows, flows["label"])
    scores = model.decision_function(flows)

Rank by `decision_function`: `predict_proba` can saturate into ties.

Every feature takes 255 distinct values or fewer, so that each value is a bin of its own in the
booster's histogram and the scores do not hang on how a release of scikit-learn places bins. Set
`OMP_NUM_THREADS=1`: on tables of this size more threads only wait for each other.
"""

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

LOGGED = (
    "duration_s",
    "bytes_out",
    "bytes_in",
    "packets",
    "peers_10min",
    "connections_10min",
)
"""Heavy-tailed columns, which the detectors read as log(1 + x)."""
RAW = ("failed_10min", "iat_cv_10min", "internal")
PORT_CLASSES = ("web", "dns", "mail", "admin", "backup", "other")


def features(flows: pd.DataFrame) -> pd.DataFrame:
    """Turn flow records into the detectors' inputs.

    Parameters
    ----------
    flows
        Flow records; label, family, activity, day and source are not read.

    Returns
    -------
    pandas.DataFrame
        float64, one row a record, with the index of `flows`. Heavy-tailed columns as log(1 + x)
        rounded to 0.1 (durations in tenths of a millisecond, so that short ones stay apart),
        the hour as a point on a circle, protocol and port class as indicators.
    """
    columns = {}
    for name in LOGGED:
        values = flows[name].to_numpy(dtype=float)
        if name == "duration_s":
            values = values * 1e4
        columns[f"log_{name}"] = np.log1p(values).round(1)
    for name in RAW:
        columns[name] = flows[name].to_numpy(dtype=float)
    hour = flows["time"].to_numpy() // 3600 % 24
    columns["hour_sin"] = np.sin(hour * (np.pi / 12)).round(4)
    columns["hour_cos"] = np.cos(hour * (np.pi / 12)).round(4)
    columns["udp"] = (flows["proto"] == "udp").to_numpy(dtype=float)
    for port in PORT_CLASSES:
        columns[f"port_{port}"] = (flows["port_class"] == port).to_numpy(dtype=float)
    return pd.DataFrame(columns, index=flows.index)


def gradient_boosting(seed: int = 0) -> Pipeline:
    """Return an unfitted histogram gradient boosting detector.

    Parameters
    ----------
    seed
        Decides which tenth of the training records stops the boosting early.

    Returns
    -------
    sklearn.pipeline.Pipeline
        Flow table in; everything but the seed at scikit-learn's default.
    """
    return make_pipeline(
        FunctionTransformer(features), HistGradientBoostingClassifier(random_state=seed)
    )


def logistic_regression(class_weight: str | dict | None = None) -> Pipeline:
    """Return an unfitted logistic regression on standardised features.

    Parameters
    ----------
    class_weight
        As in `sklearn.linear_model.LogisticRegression`.

    Returns
    -------
    sklearn.pipeline.Pipeline
        Flow table in.
    """
    return make_pipeline(
        FunctionTransformer(features),
        StandardScaler(),
        LogisticRegression(class_weight=class_weight, max_iter=1000),
    )
