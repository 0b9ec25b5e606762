"""What is wrong with a stored notebook, on notebooks made up for one fault each."""

from decimal import Decimal

import nbformat
import pytest
from nbformat import v4

from labkit.course.guards import problems, prose_numbers
from labkit.course.notebooks import execute


def printing(text, count=1, source="show()"):
    """A code cell that was executed and printed a text."""
    return v4.new_code_cell(
        source, execution_count=count, outputs=[v4.new_output("stream", name="stdout", text=text)]
    )


def notebook(*cells):
    return v4.new_notebook(cells=list(cells))


def told(prose, printed="nothing\n", known=()):
    """The problems of a notebook that prints one text and says another."""
    return problems(notebook(v4.new_markdown_cell(prose), printing(printed)), known)


def test_nothing_is_wrong_with_a_right_notebook():
    right = notebook(
        v4.new_markdown_cell("# Recall\nIt is 0.185, or 18.5 %."),
        printing("recall 0.18518518\n", 1),
        v4.new_code_cell(""),
        printing("80\n", 2),
    )
    assert problems(right) == []


@pytest.mark.parametrize(
    ("counts", "wrong"),
    [
        ((1, None), ["cell 3 was not executed"]),
        ((None, None), ["cell 2 was not executed", "cell 3 was not executed"]),
        (
            (2, 1),
            [
                "cell 2 was executed out of order (count 2, in order it is 1)",
                "cell 3 was executed out of order (count 1, in order it is 2)",
            ],
        ),
        ((1, 3), ["cell 3 was executed out of order (count 3, in order it is 2)"]),
        ((5, 6), ["cell 2", "cell 3"]),
    ],
)
def test_cells_are_executed_once_each_from_the_top(counts, wrong):
    cells = [v4.new_code_cell("1", execution_count=count) for count in counts]
    found = problems(notebook(v4.new_markdown_cell("Prose counts as a cell."), *cells))
    assert len(found) == len(wrong)
    assert all(line.startswith(expected) for line, expected in zip(found, wrong, strict=True))


@pytest.mark.parametrize(
    "cells", [[], [v4.new_markdown_cell("Only text.")], [v4.new_code_cell(" \n")]]
)
def test_a_notebook_without_code_is_a_fault(cells):
    (found,) = problems(notebook(*cells))
    assert "no code cell" in found


def test_an_unknown_magic_is_a_fault_though_no_exception_is_stored():
    stderr = v4.new_output(
        "stream", name="stderr", text="\nUsageError: Line magic function `%no` not found.\n"
    )
    cell = v4.new_code_cell("%no\nx = 0", execution_count=1, outputs=[stderr])
    assert problems(notebook(cell)) == [
        "cell 1 writes to stderr: UsageError: Line magic function `%no` not found."
    ]


@pytest.mark.parametrize("text", ["", "\n", "a warning"])
def test_any_output_on_stderr_is_a_fault(text):
    cell = v4.new_code_cell(
        "1", execution_count=1, outputs=[v4.new_output("stream", name="stderr", text=text)]
    )
    (found,) = problems(notebook(cell))
    assert found.startswith("cell 1 writes to stderr")


def test_a_stored_exception_is_a_fault():
    error = v4.new_output("error", ename="KeyError", evalue="'a'", traceback=[])
    cell = v4.new_code_cell("{}['a']", execution_count=1, outputs=[error])
    assert problems(notebook(cell)) == ["cell 1 ends in KeyError"]


@pytest.mark.parametrize("address", ["0x7f3a2c1d9e50", "0x000001E5D4C8B5E0"])
@pytest.mark.parametrize("kind", ["stream", "result"])
def test_a_memory_address_is_a_fault_however_the_platform_writes_it(address, kind):
    text = f"<object at {address}>"
    output = (
        v4.new_output("stream", name="stdout", text=text)
        if kind == "stream"
        else v4.new_output("execute_result", {"text/plain": text, "text/html": text})
    )
    (found,) = problems(notebook(v4.new_code_cell("x", execution_count=1, outputs=[output])))
    assert found == f"cell 1 prints a memory address, {address}"


@pytest.mark.parametrize(
    ("prose", "printed", "supported"),
    [
        ("AP is 0.653.", "0.653", True),
        ("AP is 0.653.", "0.6532481", True),
        ("AP is 0.653.", "0.635", False),
        ("AP is 0.65.", "0.651", True),
        ("AP is 0.65.", "0.6549", True),
        ("AP is 0.65.", "0.655", True),
        ("AP is 0.66.", "0.655", True),
        ("AP is 0.65.", "0.6551", False),
        ("AP is 0.65.", "0.6449", False),
        # The digits of another number are no support.
        ("AP is 0.65.", "10.65", False),
        ("AP is 0.65.", "0.0.65", False),
        ("AP is 0.65.", "x0.65", False),
        ("AP is 0.65.", "65", False),
        ("AP is 10.65.", "0.65", False),
        # Prose may round a number but add no digit to it.
        ("AP is 0.6531.", "0.653", False),
        ("AP is 0.70.", "0.7", True),
        ("AP is 0.70.", "0.74", False),
        # A percentage is a share, to the digits that are written.
        ("Recall is 18.5 %.", "0.18518", True),
        ("Recall is 18.5\\%.", "0.18518", True),
        ("Recall is 18.5%.", "18.5 %", True),
        ("Recall is 18.5 %.", "18.5", False),
        ("Recall is 18.5 %.", "0.19", False),
        ("Recall is 0.185.", "18.5 %", True),
        ("It is 20 %.", "0.2", True),
        ("It is 20 %.", "0.24", False),
        ("It is 100 %.", "0.6", False),
        ("It is 4.1 %.", "0.0413", True),
        # Whole numbers of three digits or more.
        ("There are 432 attacks.", "432", True),
        ("There are 432 attacks.", "4320", False),
        ("There are 432 attacks.", "0.432", False),
        ("There are 10,432 records.", "10432", True),
        ("There are 10432 records.", "10,432", True),
        ("There are 1,985 records.", "2,985", False),
        ("There are 12,345.6 bytes.", "12,345.6", True),
        ("There are 432 attacks.", "4,3,2", False),
        # Powers of ten written out.
        ("p is 0.00012.", "1.2e-04", True),
        ("p is 0.00012.", "1.2e-05", False),
        ("AP is 0.65.", "1.7976931348623157e+308", False),
        # Emphasis hides nothing.
        ("AP is **0.65** and _0.72_.", "0.65", False),
        ("AP is 0.65 (from 0.72).", "[0.65,0.72]", True),
    ],
)
def test_a_number_in_prose_must_have_been_printed(prose, printed, supported):
    assert (told(prose, printed) == []) is supported


def test_an_unsupported_number_is_named_with_its_cell():
    assert told("Recall is 18.5 % and AP 0.65.", "0.185") == [
        "cell 1 says 0.65, which no output and no lesson says"
    ]


@pytest.mark.parametrize(
    "prose",
    [
        "The rule is `score >= 0.987`.",
        "```\nthreshold = 0.987\n```",
        "See https://example.org/0.987/987 or [here](https://example.org/9.87).",
        "As Figure 2.8 and figures 2.9(a) show; see Lesson 2.3 and section 4.5.",
        "Elkan (2001), Fawcett (2006) and 1999.",
        "A 95 % interval, or a 95 % Wilson interval.",
        "Of a thousand records, 1000, or 1,000; a week has 7 days, all 9 alerts.",
        "15 minutes on days 8 to 11, 12 and 13, and on day 10 (notebook 08).",
    ],
)
def test_what_reports_nothing_needs_no_output(prose):
    assert told(prose) == []


@pytest.mark.parametrize(
    "prose",
    [
        "Code `x` and a lone ` here.\n\nAP is 0.987.\n\nAnother ` there.",
        "Figure 2.8: AP is 0.987.",
        "In 2006 it was 0.987.",
        "[AP is 0.987](https://example.org)",
        "| model | AP |\n|---|---|\n| plain | 0.987 |",
    ],
)
def test_a_number_beside_such_parts_still_does(prose):
    assert told(prose) == ["cell 1 says 0.987, which no output and no lesson says"]


def test_the_lesson_may_be_quoted():
    assert told("The lesson has AP 0.653 and recall 18.5 %.", known=[0.653, 0.185]) == []
    assert len(told("The lesson has AP 0.653.", known=[0.635])) == 1


def test_numbers_in_tables_of_html_count_but_those_in_tags_do_not():
    html = '<style>td {width: 987px}</style><td style="width: 321px">0.654</td>'
    output = v4.new_output("execute_result", {"text/plain": "table", "text/html": html})
    cell = v4.new_code_cell("t", execution_count=1, outputs=[output])
    found = problems(notebook(v4.new_markdown_cell("0.654, 987 and 321"), cell))
    assert [line.split()[3] for line in found] == ["987,", "321,"]


def test_percentages_are_read_as_shares_with_their_digits():
    assert prose_numbers("4.10 % of 2,500") == [
        ("4.10 %", Decimal("0.0410")),
        ("2,500", Decimal("2500")),
    ]


def test_cleared_outputs_pass_here_and_differ_when_executed_again(tmp_path):
    cleared = notebook(v4.new_code_cell("print(2 + 2)", execution_count=1))
    assert problems(cleared) == []
    again = nbformat.from_dict(cleared)
    execute(again, tmp_path)
    assert again.cells[0].outputs == [v4.new_output("stream", name="stdout", text="4\n")]


@pytest.mark.parametrize(
    "source", ["_ = plots.reliability(bins)", "_ = figures.draw_families(t)", "axes.plot(x, y)"]
)
def test_a_figure_that_is_drawn_must_be_stored(source):
    cell = v4.new_code_cell(source, execution_count=1)
    assert problems(notebook(cell)) == ["cell 1 draws a figure, but none is stored"]
    alt = {"image/png": {"alt": "Two curves."}}
    cell.outputs = [v4.new_output("display_data", {"image/png": "aGk="}, metadata=alt)]
    assert problems(notebook(cell)) == []


def test_the_second_figure_of_a_kernel_appears_too(tmp_path):
    draw = (
        "from labkit import plots\nfrom labkit.course import show\nimport pandas as pd\n"
        "show(plots.shares_by_family(pd.DataFrame({'d': [0.5]}, index=['dos'])), alt='One bar.')"
    )
    twice = notebook(v4.new_code_cell(draw), v4.new_code_cell(draw))
    execute(twice, tmp_path)
    assert problems(twice) == []


@pytest.mark.parametrize("prose", ["between 24 and 67 alerts", "99 percent", "99 per cent"])
def test_counts_of_two_digits_and_percent_in_words_are_checked(prose):
    assert told(prose) != []
    assert told(prose, printed="24 to 67 alerts, 0.99\n") == []


def test_prose_without_a_word_is_named():
    assert told("  \n") == ["cell 1 is prose without a word"]


def drawn(**metadata):
    """A cell that shows a picture, with what stands beside it."""
    data = {"image/png": "aGk=", "text/plain": "recall 0.25"}
    picture = v4.new_output("display_data", data, metadata=metadata)
    return v4.new_code_cell("show(figure)", execution_count=1, outputs=[picture])


@pytest.mark.parametrize("metadata", [{}, {"image/png": {}}, {"image/png": {"alt": "  "}}])
def test_a_picture_without_words_is_a_fault(metadata):
    assert problems(notebook(drawn(**metadata))) == [
        "cell 1 shows a figure without an alternative text"
    ]


def test_a_pictures_words_say_only_what_was_printed_elsewhere():
    words = {"image/png": {"alt": "Recall stays below 0.25."}}
    assert problems(notebook(drawn(**words))) == [
        "cell 1 says 0.25, which no output and no lesson says"
    ]
    assert problems(notebook(drawn(**words), printing("0.25\n", 2))) == []
    assert problems(notebook(drawn(**words)), [0.25]) == []


def test_the_name_of_an_exercise_is_no_number():
    assert told("### Exercise 10-12: see exercise 11-3") == []
