"""Detectors judged on Parquet files of any size, on one machine and in one pass."""

from collections.abc import Sequence
from dataclasses import replace

from numpy.typing import ArrayLike

from labkit.scale.bins import BINS
from labkit.scale.duck import NotCounted, counted_records
from labkit.scale.judged import Judged, judged_pieces
from labkit.scale.look import MAX_MEMORY, plan_for
from labkit.scale.pieces import piece_of
from labkit.scale.sorting import sorted_records
from labkit.scale.source import Paths, parquet_source


def sweep_parquet(
    paths: Paths,
    *,
    score: str | Sequence[str],
    label: str,
    day: str | None = None,
    weight: str | None = None,
    pos_label: object = None,
    max_memory: float = MAX_MEMORY,
    bins: int = BINS,
    thresholds: ArrayLike = (),
) -> Judged:
    """Sweep the threshold over the scores in Parquet files, for several detectors and days at once.

    A first look, at the footers and a few records, decides how. If the records fit in memory, they
    are sorted; if they have few distinct scores, they are counted by score; both are exact. If
    neither, they are counted in bins, and areas come as bounds. Each is one pass over the files.

    Parameters
    ----------
    paths
        A Parquet file, a folder of which every `.parquet` file below counts, or several of these.
    score
        The column of scores, or one for each detector; higher for likelier attacks. Infinities are
        scores; single precision is widened as it is.
    label
        The column of labels: booleans, 0/1 and -1/1 are understood, others need `pos_label`.
    day
        The column of days, weeks or other groups, at most 400 of them; None for none.
    weight
        The column of weights, not negative. A record of weight zero counts nowhere.
    pos_label
        The label that means attack.
    max_memory
        Bytes that an exact answer may take; 0 for a sketch in any case.
    bins
        How many bins a sketch of all records may have, about 100 bytes each while counting; for
        each day it is a 32nd.
    thresholds
        Scores at which a bin begins in every sketch, shape (t,), so that what these thresholds flag
        is known exactly, of all records and of each day.

    Raises
    ------
    InputError
        When a file is missing, empty or no Parquet; when a column is missing, of a wrong type, or
        holds records at fault: their number is told.

    Examples
    --------
    >>> import tempfile, pandas as pd
    >>> path = f"{tempfile.mkdtemp()}/scores.parquet"
    >>> table = pd.DataFrame({"label": [1, 0, 1, 0], "score": [0.9, 0.8, 0.6, 0.5]})
    >>> table.to_parquet(path)
    >>> judged = sweep_parquet(path, score="score", label="label")
    >>> judged.method, judged.whole["score"].roc_auc
    ('sort', 0.75)
    >>> sketched = sweep_parquet(path, score="score", label="label", max_memory=0, bins=1)
    >>> sketched.method, sketched.whole["score"].roc_auc
    ('sketch', Bounds(low=0.0, high=1.0))
    """
    source = parquet_source(
        paths, score=score, label=label, day=day, weight=weight, pos_label=pos_label
    )
    plan = plan_for(source, max_memory=max_memory, bins=bins, thresholds=thresholds)
    if plan.method == "sort":
        return sorted_records(source, plan)
    if plan.method == "count":
        try:
            return counted_records(source, plan, max_memory)
        except NotCounted as error:
            plan = replace(plan, method="sketch", why=str(error))
    return judged_pieces(source, plan, piece_of(source, source.parts, plan))
