"""The data card says what the schema, the seeds and the simulator say."""

import re

import pandas as pd
import pytest

from labkit.data.files import DATA
from labkit.data.schema import COLUMNS
from labkit.data.traffic import DEFAULT_SEED, FAMILIES
from labkit.lab2.lesson import STORY, compare
from labkit.lab2.seeds import FIRST_FRESH_SEED, numbers_of_seed, seed_table

CARD = (DATA / "README.md").read_text(encoding="utf-8")
SEEDS = pd.read_csv(DATA / "other-seeds.csv", index_col="seed")


def rows(first_heading):
    """The cells of the table whose first heading is given."""
    table = CARD.split(f"| {first_heading} |", 1)[1].split("\n\n", 1)[0]
    return [
        [cell.strip(" `*") for cell in line.strip("|").split("|")]
        for line in table.splitlines()[2:]
    ]


def test_columns_are_those_of_the_schema():
    expected = [[c.name, c.kind, c.unit, c.meaning] for c in COLUMNS]
    assert rows("column") == expected


def test_the_seed_is_named():
    assert set(re.findall(r"seed \(?(\d+)\)", CARD)) == {str(DEFAULT_SEED)}


def test_at_least_fifty_other_seeds_none_of_them_tuned_on():
    assert len(SEEDS) >= 50
    assert SEEDS.index.tolist() == list(range(FIRST_FRESH_SEED, FIRST_FRESH_SEED + len(SEEDS)))
    assert f"{len(SEEDS)} seeds {SEEDS.index[0]:,} to {SEEDS.index[-1]:,}" in CARD.replace(
        "\n", " "
    )


def test_shares_of_the_story_are_those_of_the_seeds():
    told = dict(rows("the lesson's story"))
    for what in STORY:
        assert told[what] == f"{SEEDS[what].mean():.1%}"
    assert told["all of them at once"] == f"{SEEDS[list(STORY)].all(axis=1).mean():.1%}"


def test_means_and_spreads_are_those_of_the_seeds():
    table = rows("number")
    assert len(table) >= 20
    for key, _, _, mean, spread, held in table:
        assert float(mean) == pytest.approx(SEEDS[key].mean(), abs=5.1e-4)
        assert float(spread) == pytest.approx(SEEDS[key].std(), abs=5.1e-4)
        if held:
            low, high = SEEDS[f"{key} low"], SEEDS[f"{key} high"]
            holds = (low <= SEEDS[key].mean()) & (high >= SEEDS[key].mean())
            assert float(held) == pytest.approx(holds.mean(), abs=5.1e-3)
        else:
            assert f"{key} low" not in SEEDS


def test_intervals_that_hold_too_often_and_too_seldom_are_told_of():
    held = {row[0]: float(row[5]) for row in rows("number") if row[5]}
    assert held["gb_ap"] == held["lr_auc"] == 1
    assert held["fixed_threshold_precision"] < held["gb_auc"] < 0.95


def test_a_seed_computed_again_gives_its_row():
    seed = SEEDS.index[3]
    numbers = numbers_of_seed(seed)
    again = seed_table([seed], [numbers]).iloc[0]
    stored = SEEDS.loc[seed]
    assert list(again.index) == list(stored.index)
    for key in stored.index:
        assert again[key] == pytest.approx(stored[key], abs=1e-6)
    numbers_of_it = {name.removesuffix(" low").removesuffix(" high") for name in SEEDS.columns}
    assert compare(numbers).keys() >= numbers_of_it - set(STORY) - {"all"}


def test_every_family_is_described():
    assert {row[0] for row in rows("attack family")} == set(FAMILIES)
