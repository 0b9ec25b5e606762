"""Reported numbers beside a reference's, on notebooks made up for one difference each."""

import json
import os

import nbformat
import pytest
from nbformat import v4

from labkit.course.comparing import compare, compare_files, reported
from labkit.course.notebooks import course_notebooks
from labkit.errors import InputError

TABLE = """\
        lesson   here
gb_auc   0.901  0.897
gb_ap    0.653  0.653
"""


def printing(text, *, count=1, identity="a", **metadata):
    output = v4.new_output("stream", name="stdout", text=text)
    return v4.new_code_cell(
        "show()", id=identity, execution_count=count, outputs=[output], metadata=metadata
    )


def notebook(*cells):
    return v4.new_notebook(cells=[v4.new_markdown_cell("# Prose", id="title"), *cells])


def named(text):
    return [(number.name, number.text) for number in reported(printing(text))]


def differences(here, reference):
    return compare(notebook(printing(here)), notebook(printing(reference)))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("AUC 0.9", [("AUC", "0.9")]),
        ("mean AP: 0.65, sd 0.01", [("mean AP", "0.65"), ("mean AP, sd", "0.01")]),
        ("36,205 records", [("the number", "36,205")]),
        ("a -1.5e-03", [("a", "-1.5e-03")]),
        ("gb2 and x0.5 and 03-1", [("gb2 and x0.5 and", "03"), ("gb2 and x0.5 and, -", "1")]),
        (
            "     alerts  tp\nday            \n10       20  19\n11       25  25\n",
            [("10, alerts", "20"), ("10, tp", "19"), ("11, alerts", "25"), ("11, tp", "25")],
        ),
        ("       base rate\nplain      0.041\n", [("plain, base rate", "0.041")]),
    ],
)
def test_numbers_have_names(text, names):
    assert named(text) == names


def test_the_same_notebook_agrees():
    assert differences(TABLE, TABLE) == []


@pytest.mark.parametrize("here", ["0.911", "0.883"])
def test_a_number_of_the_lesson_may_differ_by_the_lessons_tolerance(here):
    assert differences(TABLE.replace("0.897", here), TABLE) == []


@pytest.mark.parametrize("here", ["0.913", "0.881"])
def test_beyond_the_tolerance_it_is_named_with_its_cell(here):
    assert differences(TABLE.replace("0.897", here), TABLE) == [
        f"cell 2: gb_auc, here is {here}, the reference has 0.897"
    ]


@pytest.mark.parametrize(
    ("here", "agrees"), [("12.4", True), ("12.5", True), ("12.6", False), ("-12.4", False)]
)
def test_another_number_may_differ_by_its_last_digit(here, agrees):
    assert (differences(f"width {here}", "width 12.4") == []) is agrees


@pytest.mark.parametrize("here", ["81", "79", "80.5"])
def test_a_whole_number_may_not_differ(here):
    assert differences(f"alerts {here}", "alerts 80") != []


@pytest.mark.parametrize(
    ("here", "told"),
    [
        ("AUC 0.9\n", "cell 2: AP is missing, the reference has 0.5"),
        ("AUC 0.9\nAP 0.5\nF1 0.1\n", "cell 2: reports F1, which the reference does not"),
        ("AUC 0.9\nF1 0.5\n", "cell 2: reports F1 where the reference has AP"),
        ("", "cell 2: AUC is missing, the reference has 0.9"),
    ],
)
def test_other_numbers_are_told(here, told):
    assert differences(here, "AUC 0.9\nAP 0.5\n") == [told]


def test_what_was_not_run_or_ran_out_of_order_is_told():
    here = notebook(
        printing("AUC 0.9", count=2),
        printing("AP 0.5", count=1, identity="b"),
        printing("", count=None, identity="c"),
    )
    reference = notebook(printing("AUC 0.9"), printing("AP 0.5", count=2, identity="b"))
    assert compare(here, reference) == [
        "cell 3 was run out of order: as number 1, after number 2",
        "cell 4 was not run",
    ]


def test_cells_are_counted_as_a_reader_sees_them():
    own = v4.new_code_cell("1", id="own", execution_count=1)
    here = notebook(own, printing("AUC 0.7", count=2))
    assert compare(here, notebook(printing("AUC 0.9"))) == [
        "cell 3: AUC is 0.7, the reference has 0.9"
    ]


def test_a_missing_cell_is_told():
    assert compare(notebook(), notebook(printing("AUC 0.9"))) == [
        "cell 2 of the reference is missing: it reports AUC"
    ]


def test_a_cell_that_failed_is_told():
    error = v4.new_output("error", ename="KeyError", evalue="", traceback=[])
    failed = v4.new_code_cell("x", id="a", execution_count=1, outputs=[error])
    assert "cell 2 ends in an error" in compare(notebook(failed), notebook(printing("AUC 0.9")))


@pytest.mark.parametrize("tag", ["solution", "check"])
def test_solutions_and_checks_report_nothing(tag):
    assert reported(printing("03-1 right.", tags=[tag])) == []


@pytest.mark.parametrize("path", course_notebooks(), ids=lambda path: path.stem)
def test_every_course_notebook_agrees_with_itself(path):
    assert compare_files(path) == []


def test_a_notebook_that_the_course_has_not_needs_a_reference(tmp_path):
    path = tmp_path / "mine.ipynb"
    nbformat.write(notebook(printing("AUC 0.9")), path)
    with pytest.raises(InputError, match="the course has no notebook mine"):
        compare_files(path)
    assert compare_files(path, path) == []


@pytest.mark.parametrize(
    "number", ["1e9999999", "1e-9999999", "1e99999999999999999999", "9" * 10**6, "111," * 10**5]
)
def test_a_number_beyond_reckoning_is_none(number):
    assert differences(f"AUC {number}\n", "AUC 0.9\n") != []
    assert differences("AUC 0.9\n", f"AUC {number}\n") is not None


def test_what_a_notebook_printed_steers_no_terminal():
    (told,) = differences(f"\x1b]0;title\x07{'x' * 10**6} 0.9\n", "AUC 0.9\n")
    assert told.isprintable()
    assert len(told) < 200


def test_ids_may_be_missing_or_stand_twice(tmp_path):
    reference, path = tmp_path / "reference.ipynb", tmp_path / "notebook.ipynb"
    nbformat.write(notebook(printing("AUC 0.9")), reference)
    for damage in ("missing", "twice"):
        raw = json.loads(reference.read_text())
        if damage == "missing":
            for cell in raw["cells"]:
                del cell["id"]
        else:
            raw["cells"] *= 2
        path.write_text(json.dumps(raw))
        # A warning would be an error here.
        assert compare_files(path, reference)


def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.ipynb")
    for path in (tmp_path, tmp_path / "pipe.ipynb"):
        with pytest.raises(InputError, match="is not a file"):
            compare_files(path, path)
