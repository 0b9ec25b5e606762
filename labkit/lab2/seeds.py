"""The same experiment on other traffic: what of the lesson is luck, and what is not."""

from collections.abc import Iterable, Iterator

import pandas as pd
from joblib import Parallel, delayed

from labkit.data.traffic import simulate
from labkit.lab2.experiment import Numbers, numbers, run
from labkit.lab2.lesson import STORY, Value, lesson_values
from labkit.lab2.uncertainty import intervals

# No seed from here on was looked at when the simulator's parameters were chosen.
FIRST_FRESH_SEED = 200_000
ENDS = ("low", "high")


def numbers_of_seed(seed: int) -> Numbers:
    """Simulate traffic from a seed and return every number of Lab 2 on it.

    The ends of a number's interval stand beside it, by its key with " low" and " high".
    """
    experiment = run(simulate(seed))
    ends = {
        f"{key} {end}": getattr(interval, end)
        for key, interval in intervals(experiment).items()
        if not isinstance(interval, list)
        for end in ENDS
    }
    return numbers(experiment) | ends


def numbers_of_seeds(seeds: Iterable[int], n_jobs: int = -1) -> Iterator[Numbers]:
    """Yield the numbers of each seed, in order, as they are done.

    Parameters
    ----------
    seeds
        Data seeds.
    n_jobs
        Processes, as in joblib; -1 for one a core. `joblib.parallel_config` decides where.
    """
    yield from Parallel(n_jobs=n_jobs, return_as="generator")(
        delayed(numbers_of_seed)(seed) for seed in seeds
    )


def seed_table(seeds: Iterable[int], results: Iterable[Numbers]) -> pd.DataFrame:
    """Return the lesson's numbers, one row a seed, and whether each part of the story held.

    Parameters
    ----------
    seeds, results
        Data seeds, and what `numbers_of_seeds` yielded for them.

    Returns
    -------
    pandas.DataFrame
        Indexed by seed: the lesson's keys whose value is one number, each with the ends of its
        interval if it has one, then `STORY`, then "all".
    """
    keys = [
        f"{value.key}{end}" for value in lesson_values() for end in ("", *(f" {e}" for e in ENDS))
    ]
    rows = {}
    for seed, result in zip(seeds, results, strict=True):
        held = {what: bool(rule(result)) for what, rule in STORY.items()}
        rows[seed] = (
            {key: result[key] for key in keys if _is_one_number(result.get(key))}
            | held
            | {"all": all(held.values())}
        )
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("seed")


def seed_summary(table: pd.DataFrame) -> pd.DataFrame:
    """Return what became of each number over the seeds of a `seed_table`.

    Returns
    -------
    pandas.DataFrame
        One row a number: mean, sd, and held, the share of seeds whose interval holds the mean over
        all seeds; nan where a number has no interval, or where there is one seed.
    """
    measured = table.select_dtypes(exclude="bool").astype(float)
    keys = [key for key in measured if not key.endswith(ENDS)]
    mean = measured[keys].mean()
    held = {
        key: (measured[f"{key} low"].le(mean[key]) & measured[f"{key} high"].ge(mean[key])).mean()
        for key in keys
        if f"{key} low" in measured and len(measured) > 1
    }
    return pd.DataFrame(
        {"mean": mean, "sd": measured[keys].std(), "held": pd.Series(held, dtype=float)}
    ).reindex(keys)


def story_shares(table: pd.DataFrame) -> pd.Series:
    """Return the share of seeds on which each part of the story held, and all of it together."""
    return table[[*STORY, "all"]].mean()


def _is_one_number(value: Value | None) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
