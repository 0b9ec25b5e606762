"""The same over a cluster: Dask spreads the parts over its workers and adds up what they counted.

Counts in bins add up to the same in any order, so it is all one which worker counted what, or died
of it: Dask has its parts counted again by another.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import reduce
from operator import add
from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from labkit.errors import InputError
from labkit.scale.bins import BINS
from labkit.scale.files import Columns, Part, Paths, parts_of, rows_of
from labkit.scale.parquet import Judged, judged
from labkit.scale.partial import Partial, partial_of
from labkit.scale.plan import MAX_MEMORY, Plan, plan_for

if TYPE_CHECKING:
    from distributed import Client, Future

# Parts whose counts one worker adds up at a time: few, since they lie in its memory together.
_TOGETHER = 4
# What an exact answer takes for each distinct score, in a table and in the one it is added to.
_COUNTED = 64
# Seconds until a scheduler that does not answer is taken for none.
_PATIENCE = 10
# So many times that long, workers that are lost may take to come back.
_RETURN = 3


def sweep_on_cluster(
    scheduler: str | Client,
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
    progress: Callable[[int, int], object] | None = None,
) -> Judged:
    """Sweep the threshold over the scores in Parquet files, with the workers of a Dask cluster.

    What comes out is what `labkit.scale.parquet.sweep_parquet` finds on one machine: the same
    counts where it is exact, and the same bins where it is not. Sums of weights alone may differ
    in the last digits, since they are added in another order.

    Parameters
    ----------
    scheduler
        Address of the scheduler, such as "tcp://10.0.0.1:8786", or a client of it. Its workers
        need labkit installed and must see the files by the same paths.
    paths, score, label, day, weight, pos_label, bins, thresholds
        As in `sweep_parquet`.
    max_memory
        Bytes that an exact answer may take on a worker.
    progress
        Is called with the parts counted so far and their number after each; a part that was lost
        with a worker is counted again, but not told again.

    Raises
    ------
    InputError
        As `sweep_parquet`; and when no scheduler answers, or distributed is not installed.
    """
    columns = Columns(score, label, day, weight, pos_label)
    parts = parts_of(paths, columns)
    plan = plan_for(columns, parts, max_memory, bins, thresholds)
    if plan.method != "sketch":
        # As many bins as an exact answer needs, for a day too.
        distinct = rows_of(parts) if plan.method == "sort" else int(max_memory // _COUNTED)
        enough = max(plan.bins, distinct)
        plan = replace(plan, method="count", bins=enough, day_bins=enough)
    with connected(scheduler) as client:
        counted = _counted(client, columns, parts, plan, progress)
    return judged(counted, columns, parts, plan)


def connected(scheduler: str | Client) -> AbstractContextManager[Client]:
    """Return a client of a scheduler, to be closed after use unless it was given.

    Raises
    ------
    InputError
        When no scheduler answers, or distributed is not installed.
    """
    try:
        from distributed import Client
    except ImportError:
        remedy = f"run `{sys.executable} -m pip install distributed`"
        raise InputError(f"a cluster is reached with distributed: {remedy}") from None
    if scheduler == "":
        raise InputError("the address of the scheduler is empty; name one such as tcp://host:8786")
    if isinstance(scheduler, Client):
        return nullcontext(scheduler)
    # What it would log of a scheduler that is lost, an error tells.
    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)
    try:
        return Client(scheduler, timeout=_PATIENCE)
    except (OSError, TypeError, ValueError) as error:
        raise InputError(f"no Dask scheduler answers at {scheduler!r} ({error})") from None


def _counted(
    client: Client,
    columns: Columns,
    parts: list[Part],
    plan: Plan,
    progress: Callable[[int, int], object] | None,
) -> Partial:
    """Have every part counted, and what came of them added up, a few at a time, on the workers."""
    from distributed import as_completed

    partials = client.map(
        partial_of, [[part] for part in parts], columns=columns, plan=plan, pure=False
    )
    if progress is not None:
        for done, _ in enumerate(as_completed(partials), start=1):
            progress(done, len(partials))
    while len(partials) > 1:
        partials = [
            client.submit(reduce, add, partials[i : i + _TOGETHER], pure=False)
            for i in range(0, len(partials), _TOGETHER)
        ]
    return _result(client, partials[0])


def _result(client: Client, sum_of_all: Future) -> Partial:
    """Wait for the sum of all parts, as long as there is someone to work on it."""
    from distributed import CancelledError, KilledWorker

    alone = 0
    while True:
        try:
            return sum_of_all.result(timeout=_PATIENCE)
        except TimeoutError:
            alone = 0 if client.scheduler_info()["workers"] else alone + 1
            if alone > _RETURN:
                raise InputError("the cluster has no workers; start some and try again") from None
        except (CancelledError, KilledWorker, OSError) as error:
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise InputError(f"the cluster lost the work ({reason}); try again") from None
