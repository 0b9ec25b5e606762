"""The report: one page that stands alone, whatever the names; drawings that keep their shape."""

import re
from html.parser import HTMLParser
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from made_up_scores import scores

import labkit
from labkit.evaluation import evaluate, evaluate_file
from labkit.evaluation.report import curves
from labkit.metrics import ThresholdSweep
from labkit.plots import evaluation as drawn
from labkit.plots.evaluation import legible

HOSTILE = '<script>alert(1)</script> & "$\\alpha$" \'_% 分数'
SECTIONS = ["ranking", "base-rates", "budgets", "costs", "calibration", "pairs", "how"]
ASKED = {"budgets": [5, 20], "cost_fp": 1, "cost_fn": 20, "n_replicates": 40}


class Page(HTMLParser):
    """What a page holds: its elements, its texts, its ids, what was not closed."""

    EMPTY = frozenset({"meta", "br", "path", "use", "rect", "circle", "line"})

    def __init__(self, text):
        super().__init__()
        self.elements, self.ids, self.open, self.texts = [], [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        self.ids += [value for name, value in attributes if name == "id"]
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        self.ids += [value for name, value in attributes if name == "id"]

    def handle_endtag(self, tag):
        if tag not in self.EMPTY:
            assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)

    def of(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]


@pytest.fixture(scope="module")
def evaluated():
    y_true, by_name, day = scores()
    named = {HOSTILE: by_name["coarse"], "_sharp": by_name["sharp"]}
    return evaluate(y_true, named, day=day, **ASKED)


@pytest.fixture(scope="module")
def text(evaluated):
    return evaluated.to_html("labkit evaluate '<i>'.csv")


@pytest.fixture(scope="module")
def page(text):
    return Page(text)


def test_the_page_is_whole_and_every_id_is_its_own(page):
    assert page.open == []
    assert len(page.ids) == len(set(page.ids))
    assert page.of("title")


def test_it_needs_nothing_else(page, text):
    assert not {"script", "link", "img", "iframe", "object", "embed", "base", "form"} & {
        tag for tag, _ in page.elements
    }
    for _, attributes in page.elements:
        for name, value in attributes.items():
            assert not name.startswith("on")
            if name in {"href", "xlink:href", "src", "clip-path", "style"} and value:
                assert "//" not in value
                assert "url(" not in value.replace("url(#", "")
    assert "@import" not in text


def test_every_reference_leads_to_an_id(page, text):
    wanted = set(re.findall(r'href="#([^"]+)"|url\(#([^)]+)\)', text))
    assert {a or b for a, b in wanted} <= set(page.ids)


def test_names_are_shown_as_they_are_and_never_run(page, text):
    assert "<script>" not in text
    assert "<i>" not in text
    assert any(HOSTILE in one for one in page.texts)
    assert any("分数" in one for one in page.texts if "…" in one)
    assert any("labkit evaluate '<i>'.csv" in one for one in page.texts)


def test_each_figure_says_what_it_shows(page):
    figures = [attributes for attributes in page.of("svg") if "aria-label" in attributes]
    assert len(figures) == len(page.of("svg")) == len(page.of("figure")) == 8
    assert all(attributes["role"] == "img" for attributes in figures)
    labels = [attributes["aria-label"] for attributes in figures]
    assert len(set(labels)) == len(labels)
    assert all(len(label) > 60 for label in labels)
    assert any("ROC curves" in label and HOSTILE in label for label in labels)


def test_every_part_is_there(page, text, evaluated):
    assert [one["id"] for one in page.of("section")] == SECTIONS
    told = " ".join(page.texts)
    for words in (
        "draw the 7 days again, whole and with replacement",
        "score >= threshold",
        "cut by chance",
        f"labkit {labkit.__version__}",
        "Days without an attack: 1 of 7",
        "DeLong, as if records were independent",
    ):
        assert words in told
    for one in evaluated.detectors.values():
        assert f"{one.auc.estimate:.3f}" in told
        assert f"{one.budgets[0].precision.estimate:.3f}" in told


def test_the_same_evaluation_gives_the_same_page(evaluated, text):
    assert evaluated.to_html("labkit evaluate '<i>'.csv") == text


def test_the_call_stands_where_no_command_does(evaluated):
    told = " ".join(Page(evaluated.to_html()).texts)
    assert "labkit.evaluate(y_true, y_scores, ..., budgets=[5, 20]" in told
    assert "n_replicates=40, seed=0)" in told


def test_where_the_scores_came_from_is_told(tmp_path):
    y_true, by_name, _ = scores(200)
    path = tmp_path / "a & b.csv"
    pd.DataFrame({"y": y_true.astype(int), "s": by_name["coarse"]}).to_csv(path, index=False)
    told = " ".join(Page(evaluate_file(path, ["s"], "y", n_replicates=10).to_html()).texts)
    assert "Evaluation of a & b.csv" in told
    assert "SHA-256" in told
    assert str(tmp_path) not in told
    for absent in ("No alert budget was given", "No costs were given", "one detector only"):
        assert absent in told
    assert "they are no probabilities until calibrated" in told


@pytest.mark.parametrize(
    ("y_true", "y_score"),
    [
        ([0, 0, 0], [1, 2, 3]),
        ([1, 1], [0.5, 0.5]),
        ([1, 0], [0.2, 0.2]),
        ([1, 0, 0], [np.inf, -np.inf, np.inf]),
        ([0, 1], [1e-300, 1e300]),
    ],
)
def test_extremes_are_drawn_or_left_out(y_true, y_score):
    day = ["mon", *["tue"] * (len(y_true) - 1)]
    result = evaluate(y_true, y_score, day=day, budgets=[0, 1], cost_fp=1, cost_fn=2)
    page = Page(result.to_html())
    assert page.open == []
    assert [one["id"] for one in page.of("section")] == SECTIONS


def test_a_large_evaluation_stays_a_small_page():
    rng = np.random.default_rng(1)
    n = 200_000
    y_true = rng.random(n) < 0.01
    y_scores = {
        f"detector number {place} of many": rng.normal(size=n) + y_true * place
        for place in range(8)
    }
    day = rng.integers(0, 400, n)
    result = evaluate(
        y_true, y_scores, day=day, budgets=[5, 20, 80], cost_fp=1, cost_fn=9, n_replicates=4
    )
    text = result.to_html()
    assert len(text.encode()) < 1_000_000
    assert "The first 6 detectors are drawn; the tables list all 8" in text
    assert "1 of the 3 budgets are drawn" in text


class TestThinning:
    def test_few_points_all_stay(self):
        assert curves.thinned(np.arange(2000), np.arange(2000)).tolist() == list(range(2000))

    @pytest.mark.parametrize("descending", [False, True])
    def test_what_is_left_lies_within_a_column_of_what_was_there(self, descending):
        rng = np.random.default_rng(0)
        x = np.sort(rng.random(50_000))
        x = x[::-1] if descending else x
        y = np.cumsum(rng.normal(size=50_000))
        rows = curves.thinned(x, y, columns=300)
        assert len(rows) <= 1200
        assert (rows[0], rows[-1]) == (0, 49_999)
        assert (y[rows].min(), y[rows].max()) == (y.min(), y.max())
        # Every column keeps its lowest and its highest point.
        column = np.minimum((np.abs(x - x[0]) / np.ptp(x) * 300).astype(int), 299)
        for one in (0, 150, 299):
            kept, every = y[rows[column[rows] == one]], y[column == one]
            assert (kept.min(), kept.max()) == (every.min(), every.max())

    def test_a_roc_curve_keeps_its_area(self):
        rng = np.random.default_rng(3)
        y_true = rng.random(100_000) < 0.02
        sweep = ThresholdSweep.from_scores(y_true, rng.normal(size=100_000) + 2 * y_true)
        result = evaluate(y_true, rng.normal(size=100_000), n_replicates=0)
        one = result.detectors["score"]
        thin = curves.roc_table({"a": one})
        area = np.trapezoid(thin["recall"], thin["fpr"])
        assert area == pytest.approx(one.auc.estimate, abs=2e-4)
        assert len(thin) <= 2000 < len(sweep.thresholds)

    def test_equal_x_is_one_column(self):
        rows = curves.thinned(np.zeros(9000), np.arange(9000) % 7, columns=500)
        assert rows.tolist()[0] == 0
        assert rows.tolist()[-1] == 8999
        assert len(rows) <= 4


class TestDrawings:
    def test_names_are_legible_and_differ(self):
        long = ["x" * 40 + end for end in ("1", "2")]
        names = ["_a", "a$b$c", "tab\there", "", "x" * 13 + "…" + "x" * 11 + "1 (2)", *long]
        names += ["x" * 39 + "11", "x" * 50 + "1"]
        shown = list(legible(names).values())
        assert shown[:3] == [" _a", r"a\$b\$c", "tab here"]
        assert len(set(shown)) == len(shown)
        assert all(len(one) <= 32 for one in shown)

    def test_a_year_of_days_has_a_dozen_names(self):
        table = pd.DataFrame(
            {"alerts": 5, "tp": 1, "found": 2}, index=pd.date_range("2026-01-01", periods=365)
        )
        figure = drawn.budget_by_day({"a": table}, 4)
        axes = figure.axes[0]
        assert len(axes.get_xticks()) <= 14
        assert axes.get_xticklabels()[0].get_text() == "2026-01-01"
        plt.close(figure)

    def test_the_least_cost_is_marked_where_it_is(self):
        costs = pd.DataFrame({"threshold": [3.0, 2.0, 1.0], "cost": [5.0, 1.0, 4.0]})
        figure = drawn.costs_by_threshold({"a": costs}, {"a": (2.0, 1.0)}, {"a": 0.5})
        line, rule, dot = figure.axes[0].lines
        assert line.get_xydata().tolist() == [[3, 5], [2, 1], [1, 4]]
        assert dot.get_xydata().tolist() == [[2, 1]]
        assert rule.get_xdata()[0] == 0.5
        plt.close(figure)

    def test_the_curves_are_those_of_the_table(self):
        roc = pd.DataFrame({"curve": "a", "fpr": [0, 0, 1], "recall": [0, 0.5, 1]})
        pr = pd.DataFrame({"curve": "a", "recall": [0.5, 1], "precision": [1, 0.4]})
        budgets = pd.DataFrame(
            {"curve": ["a"], "budget": [1], "fpr": [0.0], "recall": [0.5], "precision": [1.0]}
        )
        figure = drawn.ranking_curves(roc, pr, budgets, 0.25)
        left, right = figure.axes
        assert left.lines[0].get_xydata().tolist() == [[0, 0], [0, 0.5], [1, 1]]
        assert right.lines[0].get_xydata().tolist() == [[0, 1], [0.5, 1], [1, 0.4]]
        assert right.lines[1].get_xydata().tolist() == [[0.5, 1]]
        assert right.lines[-1].get_ydata()[0] == 0.25
        assert [text.get_text() for text in figure.legends[0].get_texts()] == [
            "a", "random ranking",
        ]  # fmt: skip
        plt.close(figure)


def test_the_templates_are_in_the_package():
    folder = Path(labkit.__file__).parent / "evaluation" / "report" / "templates"
    assert {path.name for path in folder.iterdir()} == {"report.html", "report.css"}
