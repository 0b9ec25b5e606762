"""The streaming simulator: as many records as asked for, and the same traffic as `simulate`."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest

from labkit.data import check_flows, stream, week
from labkit.data.counts import share_out, windows
from labkit.data.profiles import BENIGN, CAMPAIGNS, TWO_WEEKS, Campaign, Scenario
from labkit.data.schema import COLUMNS
from labkit.data.stream import MAX_RECORDS, blocks, vocabularies
from labkit.data.traffic import FAMILIES, simulate
from labkit.errors import InputError

SEEDS = (231, 1, 2, 3, 4)
QUANTITIES = [column.name for column in COLUMNS[6:14]]
KINDS = [*(kind.name for kind in BENIGN), *FAMILIES]


def as_frame(some):
    """The flow table of some blocks, its texts spelt out."""
    some = list(some)
    frame = pd.DataFrame({name: np.concatenate([b[name] for b in some]) for name in some[0]})
    texts = {
        name: np.array(words, dtype=object)[frame[name]] for name, words in vocabularies().items()
    }
    return frame.assign(**texts)


@pytest.fixture(scope="module")
def hundred_thousand():
    return as_frame(blocks(100_000))


@pytest.fixture(scope="module")
def streamed():
    return pd.concat([as_frame(blocks(100_000, seed)) for seed in SEEDS])


@pytest.fixture(scope="module")
def simulated():
    return pd.concat([simulate(seed) for seed in SEEDS])


@pytest.fixture(scope="module")
def both(streamed, simulated):
    """The records of each kind: streamed, simulated."""
    one, other = (dict(list(flows.groupby("activity"))) for flows in (streamed, simulated))
    assert set(one) == set(other) == set(KINDS)
    return {kind: (one[kind], other[kind]) for kind in KINDS}


@pytest.fixture(scope="module")
def counts_by_day():
    """Records of each kind and day, streamed and simulated, for one seed."""
    records, other = 360_000, simulate(9)
    counts = [
        pd.crosstab(flows["activity"], flows["day"])
        for flows in (as_frame(blocks(records, 9)), other)
    ]
    return counts[0] * len(other) / records, counts[1]


class TestWhatIsAskedFor:
    @pytest.mark.parametrize("records", [1, 2, 7, 1000, 36_525, 999_983, 1_000_000])
    def test_exactly_as_many_records(self, records):
        assert sum(len(block["time"]) for block in blocks(records)) == records

    @pytest.mark.parametrize("seed", range(20))
    def test_exactly_as_many_whatever_the_seed(self, seed):
        assert sum(len(block["time"]) for block in blocks(500 + seed, seed)) == 500 + seed

    @pytest.mark.parametrize("records", [1, 1000])
    def test_few_are_a_flow_table_too(self, records):
        check_flows(as_frame(blocks(records)))

    def test_as_many_where_an_hour_has_many_blocks(self, monkeypatch):
        monkeypatch.setattr(stream, "_BLOCK", 256)
        some = list(blocks(200_001))
        sizes = [len(block["time"]) for block in some]
        assert sum(sizes) == 200_001
        assert max(sizes) < 1.1 * 256
        assert min(sizes) > 0
        check_flows(as_frame(some))

    @pytest.mark.parametrize("records", [0, -1, MAX_RECORDS + 1])
    def test_a_number_that_cannot_be(self, records):
        with pytest.raises(InputError, match=f"records must be 1 to .*, not {records}$"):
            blocks(records)

    @pytest.mark.parametrize("records", [1.5, "many", None])
    def test_no_whole_number(self, records):
        with pytest.raises(InputError, match="records must be a whole number"):
            blocks(records)

    def test_the_same_seed_gives_the_same_bytes(self):
        once, again = (list(blocks(50_000, 7)) for _ in range(2))
        assert len(once) == len(again)
        for one, other in zip(once, again, strict=True):
            assert {k: v.tobytes() for k, v in one.items()} == {
                k: v.tobytes() for k, v in other.items()
            }

    def test_another_seed_gives_other_records(self):
        one, other = (as_frame(blocks(5000, seed)) for seed in (7, 8))
        for column in ("time", "src", "duration_s", "bytes_out", "packets", "iat_cv_10min"):
            assert (one[column] == other[column]).mean() < 0.9, column

    def test_blocks_are_nobody_elses(self):
        first, second = (block for block, _ in zip(blocks(10_000), range(2), strict=False))
        kept = {name: values.copy() for name, values in second.items()}
        for values in first.values():
            values[:] = 1
        assert all((second[name] == kept[name]).all() for name in kept)

    def test_another_scenario(self):
        quiet = Scenario(BENIGN, tuple(c for c in CAMPAIGNS if c.hides_in == "web"))
        families = {code for block in blocks(30_000, 1, quiet) for code in block["family"]}
        assert vocabularies(quiet)["family"] == ("benign", "dos", "beacon")
        assert families == {0, 1, 2}
        none = Scenario(BENIGN, ())
        assert sum(len(block["time"]) for block in blocks(3000, 1, none)) == 3000
        assert not any(block["label"].any() for block in blocks(3000, 1, none))


class TestTable:
    def test_it_is_a_flow_table_in_the_order_of_the_schema(self, hundred_thousand):
        check_flows(hundred_thousand)
        assert hundred_thousand.columns.tolist() == [column.name for column in COLUMNS]

    def test_records_are_ordered_by_time_within_and_between_blocks(self):
        last = 0
        for block in blocks(500_000):
            assert (np.diff(block["time"]) >= 0).all()
            assert block["time"][0] >= last
            last = block["time"][-1]
        assert last // 3600 == 14 * 24 - 1

    def test_kinds_are_shuffled_within_a_second(self):
        block = max(blocks(1_000_000), key=lambda block: len(block["time"]))
        kind, same = block["activity"].astype(int), np.diff(block["time"]) == 0
        assert same.sum() > 3000
        rising = np.diff(kind)[same] > 0
        falling = np.diff(kind)[same] < 0
        assert abs(rising.sum() - falling.sum()) < 4 * np.sqrt(rising.sum() + falling.sum())

    def test_a_packet_carries_what_a_packet_can(self, hundred_thousand):
        total = hundred_thousand["bytes_out"] + hundred_thousand["bytes_in"]
        per_packet = total / hundred_thousand["packets"]
        assert per_packet.min() >= 40
        assert per_packet.max() <= 1500

    def test_the_counts_of_ten_minutes_agree_with_each_other(self, hundred_thousand):
        flows = hundred_thousand
        assert (flows["peers_10min"] <= flows["connections_10min"]).all()
        assert (flows["failed_10min"] <= flows["connections_10min"]).all()
        assert flows["peers_10min"].min() == 1
        assert flows["failed_10min"].max() == 250

    @pytest.mark.parametrize("column", ["duration_s", "bytes_out", "bytes_in", "iat_cv_10min"])
    def test_values_are_those_that_simulate_can_give(self, column, hundred_thousand, simulated):
        known = np.isin(hundred_thousand[column], simulated[column].unique())
        # The rarest large flows occur in one table and not in the other.
        assert known.mean() > 0.999

    def test_sources_inside_have_names_and_those_outside_addresses(self, hundred_thousand):
        outside = hundred_thousand["src"].str.match(r"\d+\.\d+\.\d+\.\d+$")
        assert (outside == (hundred_thousand["internal"] == 0)).all()


def largest_gap(one, other):
    """The largest distance between two empirical distribution functions."""
    both = np.unique(np.concatenate([one, other]))
    of_one, of_other = (
        np.searchsorted(np.sort(values), both, side="right") / len(values)
        for values in (one, other)
    )
    return np.abs(of_one - of_other).max()


def gap_by_chance(one, other):
    """What independent samples of these sizes exceed once in 3000 times (Kolmogorov-Smirnov)."""
    return 2.0 * np.sqrt(1 / len(one) + 1 / len(other))


def assert_same_shares(one, other):
    for value in set(one) | set(other):
        a, b = (one == value).mean(), (other == value).mean()
        pooled = (a * len(one) + b * len(other)) / (len(one) + len(other))
        chance = np.sqrt(pooled * (1 - pooled) * (1 / len(one) + 1 / len(other)))
        assert abs(a - b) <= 4.0 * chance + 1e-4, (value, a, b)


@pytest.mark.parametrize("kind", KINDS)
class TestSameTrafficAsSimulate:
    @pytest.mark.parametrize("column", QUANTITIES)
    def test_each_quantity(self, kind, column, both):
        one, other = (flows[column].to_numpy() for flows in both[kind])
        assert largest_gap(one, other) < gap_by_chance(one, other)

    def test_hours_of_the_day(self, kind, both):
        one, other = (flows["time"] % 86_400 for flows in both[kind])
        assert largest_gap(one, other) < gap_by_chance(one, other)

    def test_services_and_sides(self, kind, both):
        places = [
            flows["port_class"] + " " + flows["proto"] + " " + flows["internal"].astype(str)
            for flows in both[kind]
        ]
        assert_same_shares(*places)

    def test_sources(self, kind, both):
        one, other = (flows["src"] for flows in both[kind])
        stems = [hosts.str[:3] for hosts in (one, other)]
        assert_same_shares(*stems)
        if kind not in FAMILIES:
            # As many hosts inside, however few records a host has.
            inside = [set(hosts[hosts.str.contains("-")]) for hosts in (one, other)]
            assert len(inside[0]) >= len(inside[1])
            assert len(inside[0] - inside[1]) <= 0.05 * len(inside[0])

    def test_days(self, kind, counts_by_day):
        """The same seed means the same volumes, but for the rounding of each cell."""
        one, other = (counts.loc[kind].reindex(range(14), fill_value=0) for counts in counts_by_day)
        # At most three campaigns are rounded, each by itself; large kinds to a part in 1000.
        assert (one - other).abs().max() < 2.5 + other.max() * 1e-3
        assert (one[other == 0] < 1).all()


@pytest.mark.parametrize("column", QUANTITIES)
def test_the_tails_are_clipped_alike(column, both):
    """Which the largest gap between distributions would hardly show."""
    tails = (0.002, 0.01, 0.99, 0.998)
    one, other = (flows[column].quantile(tails).tolist() for flows in both["web"])
    assert one == pytest.approx(other, rel=0.12, abs=1)


def test_medians_drift_from_day_to_day_as_in_simulate():
    """With sixty times the drift of the two weeks, which would hardly show."""
    drifting = Scenario(BENIGN[:1], (), drift=0.3)
    one, other = as_frame(blocks(80_000, 3, drifting)), simulate(3, drifting)
    medians = [np.log(flows.groupby("day")["bytes_out"].median()) for flows in (one, other)]
    assert np.ptp(medians[1]) > 1
    # Values are stored in tenths of their logarithm.
    assert (medians[0] - medians[1]).abs().max() < 0.11


@pytest.mark.parametrize("stealth", [(0, 1, 0, 1), (0.1, 0.2, 0.9, 1), (0.5, 0.5, 0.5, 0.5)])
def test_attacks_are_as_stealthy_as_in_simulate(stealth):
    """A range of stealth is drawn from, and moves from the first day to the last."""
    scan = Campaign(CAMPAIGNS[0].profile, "inventory", (400,) * 14, stealth)
    hiding = Scenario(BENIGN[-1:], (scan,))
    one, other = as_frame(blocks(50_000, 3, hiding)), simulate(3, hiding)
    for days in (range(3), range(11, 14)):
        a, b = (
            flows.loc[(flows["label"] == 1) & flows["day"].isin(days), "failed_10min"]
            for flows in (one, other)
        )
        assert largest_gap(a, b) < gap_by_chance(a, b)


def test_stealth_moves_evenly_from_the_first_day_to_the_last():
    moving = Campaign(CAMPAIGNS[0].profile, "inventory", (1,) * 14, (0.0, 0.26, 0.13, 0.39))
    ranges = np.array([week.stealth_range(moving, day) for day in range(14)])
    assert ranges == pytest.approx(np.arange(14)[:, None] * 0.01 + [0, 0.26])


def test_quantities_vary_together_as_they_do_in_simulate(both):
    """Two quantities that shared random bits would show here."""
    one, other = (flows[[*QUANTITIES, "internal", "time"]].rank().corr() for flows in both["web"])
    assert (one - other).abs().max().max() < 0.03


def test_neighbours_do_not_depend_on_each_other(both):
    ranks = both["web"][0][QUANTITIES].rank()
    for column in QUANTITIES:
        assert abs(ranks[column].autocorr(1)) < 0.01, column


def test_the_share_of_attacks(streamed, simulated):
    assert streamed["label"].mean() == pytest.approx(simulated["label"].mean(), rel=0.005)
    test_days = streamed[streamed["day"] >= 10]
    assert test_days["label"].mean() == pytest.approx(0.041, abs=0.0005)


def test_attacks_come_from_the_hosts_of_simulate():
    """The few sources of a campaign's day are drawn from the same seed."""
    one, other = as_frame(blocks(300_000, 9)), simulate(9)
    for day in (2, 11):
        sources = []
        for flows in (one, other):
            dos = flows[(flows["family"] == "dos") & (flows["internal"] == 0)]
            sources.append(set(dos.loc[dos["day"] == day, "src"]))
        assert 4 <= len(sources[1]) <= len(sources[0]) <= 8
        assert sources[1] <= sources[0]


class TestMemory:
    def peak(self, records):
        tracemalloc.start()
        try:
            for _ in blocks(records):
                pass
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    def test_it_does_not_grow_with_the_records(self, monkeypatch):
        monkeypatch.setattr(stream, "_BLOCK", 1024)
        few, many = self.peak(150_000), self.peak(600_000)
        assert many < 1.1 * few + 100_000


class TestCounts:
    @pytest.mark.parametrize("start", [0.0, 0.3, 0.999_999, np.nextafter(1.0, 0.0)])
    @pytest.mark.parametrize("total", [0, 1, 17, 10**12])
    def test_totals_are_kept_and_shares_rounded(self, total, start):
        weights = np.array([3.0, 0.0, 1.0, 2.5, 0.0])
        counts = share_out(total, weights, start)
        assert counts.sum() == total
        assert (np.abs(counts - total * weights / weights.sum()) < 1 + 1e-3).all()
        assert (counts[weights == 0] == 0).all()

    def test_over_all_starts_every_share_is_met(self):
        weights = np.array([0.2, 0.5, 0.3])
        starts = (np.arange(1000) + 0.5) / 1000
        counts = [share_out(1, weights, start) for start in starts]
        assert np.mean(counts, axis=0) == pytest.approx(weights)

    def test_nothing_is_shared_out_where_nothing_weighs(self):
        assert share_out(np.array([0, 4]), np.array([[0, 0], [1, 1]]), np.zeros(2)).tolist() == [
            [0, 0],
            [2, 2],
        ]

    @pytest.mark.parametrize("most", [1, 10, 64, 1000])
    def test_windows_hold_an_hour(self, most):
        counts = np.array([400, 3, 0, 97])
        found = list(windows(counts, most, np.random.default_rng(1)))
        assert sum(some for *_, some in found).tolist() == counts.tolist()
        numbers = {number for _, number, _ in found}
        assert len(numbers) == 1
        assert numbers.pop() * most >= counts.sum()
        assert [window for window, *_ in found] == sorted({window for window, *_ in found})


def test_two_weeks_is_the_default():
    one, other = blocks(2000), blocks(2000, 231, TWO_WEEKS)
    assert all((a["time"] == b["time"]).all() for a, b in zip(one, other, strict=True))
