"""The same over a cluster: Dask spreads the parts over its workers and adds up what they counted.

Counts in bins add up to the same in any order, so it is all one which worker counted what, or died
of it: Dask has its parts counted again by another.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import reduce
from operator import add
from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from labkit.errors import InputError
from labkit.scale.bins import BINS
from labkit.scale.judged import Judged, judged_pieces
from labkit.scale.look import MAX_MEMORY, Plan, plan_for
from labkit.scale.pieces import DAY_SHARE, Piece, piece_of
from labkit.scale.source import Part, Paths, Source, parquet_source

if TYPE_CHECKING:
    from distributed import Client, Future

# Pieces that one worker adds up at a time: few, since they lie in its memory together.
_TOGETHER = 4
# What an exact answer takes for each distinct score, in a table and in the one it is added to.
_COUNTED = 64
# Seconds until a scheduler that does not answer is taken for none.
_PATIENCE = 10


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
    source = parquet_source(
        paths, score=score, label=label, day=day, weight=weight, pos_label=pos_label
    )
    plan = plan_for(source, max_memory=max_memory, bins=bins, thresholds=thresholds)
    plan = _without_limit(plan, source, max_memory)
    with _client(scheduler) as client:
        counted = _merged(client, _mapped(client, source, plan, progress)).result()
    return judged_pieces(source, plan, counted)


def _without_limit(plan: Plan, source: Source, max_memory: float) -> Plan:
    """Return a plan whose bins are as many as an exact answer needs, where that is planned."""
    if plan.method == "sketch":
        return plan
    distinct = source.rows if plan.method == "sort" else int(max_memory // _COUNTED)
    return replace(plan, method="count", bins=max(plan.bins, distinct * DAY_SHARE))


@contextmanager
def _client(scheduler: str | Client) -> Iterator[Client]:
    try:
        from distributed import Client
    except ImportError:
        remedy = f"run `{sys.executable} -m pip install distributed`"
        raise InputError(f"a cluster is reached with distributed: {remedy}") from None
    if isinstance(scheduler, Client):
        yield scheduler
        return
    try:
        client = Client(scheduler, timeout=_PATIENCE)
    except (OSError, TypeError, ValueError) as error:
        raise InputError(f"no Dask scheduler answers at {scheduler!r} ({error})") from None
    with client:
        yield client


def _mapped(
    client: Client, source: Source, plan: Plan, progress: Callable[[int, int], object] | None
) -> list[Future]:
    """Have every part counted."""
    from distributed import as_completed

    # What every task is sent with need not name all parts.
    pieces = client.map(
        _piece, source.parts, source=replace(source, parts=()), plan=plan, pure=False
    )
    if progress is not None:
        for done, _ in enumerate(as_completed(pieces), start=1):
            progress(done, len(pieces))
    return pieces


def _merged(client: Client, pieces: list[Future]) -> Future:
    """Have pieces added up, some at a time, on the workers."""
    while len(pieces) > 1:
        pieces = [
            client.submit(_sum, pieces[i : i + _TOGETHER], pure=False)
            for i in range(0, len(pieces), _TOGETHER)
        ]
    return pieces[0]


def _piece(part: Part, source: Source, plan: Plan) -> Piece:
    return piece_of(source, [part], plan)


def _sum(pieces: list[Piece]) -> Piece:
    return reduce(add, pieces)
