"""More records than memory holds: sketches with bounds, tables of counts, Parquet, a cluster."""

from labkit.scale.bounds import Bounds, Intervals, OperatingBounds
from labkit.scale.cluster import sweep_on_cluster
from labkit.scale.counting import sweep_of_counts, sweeps_by_group
from labkit.scale.parquet import Judged, sweep_parquet
from labkit.scale.plan import cuts_for
from labkit.scale.sketch import ScoreSketch

__all__ = [
    "Bounds",
    "Intervals",
    "Judged",
    "OperatingBounds",
    "ScoreSketch",
    "cuts_for",
    "sweep_of_counts",
    "sweep_on_cluster",
    "sweep_parquet",
    "sweeps_by_group",
]
