"""What makes a notebook one to learn from: its opening, its exercises, its close."""

import re

import nbformat
import pytest

from labkit.course.cells import exercise_cells, exercise_problems, without_solutions
from labkit.course.comparing import compare
from labkit.course.exercises import exercises_of
from labkit.course.notebooks import course_notebooks, execute

NOTEBOOKS = course_notebooks()
OPENING = re.compile(
    r"# .+\n\n\*\*You will be able to\*\* .+\n\n\*\*You need\*\* .+\*\*Time:\*\* \d+ minutes\.",
    re.DOTALL,
)
SOURCES = {
    "Fawcett (2006)", "Davis and Goadrich (2006)", "Saito and Rehmsmeier (2015)", "Elkan (2001)",
    "Niculescu-Mizil and Caruana (2005)", "Arp et al. (2022)", "DeLong",
}  # fmt: skip

each_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def prose(path):
    cells = nbformat.read(path, as_version=4).cells
    return [cell.source for cell in cells if cell.cell_type == "markdown"]


@each_notebook
def test_opens_with_aim_need_and_time(path):
    assert OPENING.match(prose(path)[0])


@each_notebook
def test_ends_with_a_summary_and_two_things_to_try(path):
    text = "\n\n".join(prose(path))
    assert "\n## Summary\n" in text
    assert text.count("**Try next:**") == 1


def test_every_source_of_the_course_is_cited():
    everything = "\n".join(text for path in NOTEBOOKS for text in prose(path))
    assert {source for source in SOURCES if source not in everything} == set()


@each_notebook
def test_holds_its_exercises_whole_and_in_order(path):
    notebook = nbformat.read(path, as_version=4)
    assert exercise_problems(notebook) == []
    names = [asked.name for asked in exercises_of(path.name[:2])]
    assert list(exercise_cells(notebook)) == names


@each_notebook
def test_every_solution_is_right(path):
    for name, cells in exercise_cells(nbformat.read(path, as_version=4)).items():
        assert [output.text for output in cells["check"].outputs] == [f"{name} right.\n"]


@each_notebook
def test_runs_to_the_end_with_all_blanks_left_blank(path):
    source = nbformat.read(path, as_version=4)
    blank = without_solutions(source)
    execute(blank, path.parent)
    # What a student's blanks do not touch reports what the course's own notebook does.
    assert compare(blank, source) == []
    for name, cells in exercise_cells(blank).items():
        said = "".join(output.text for output in cells["check"].outputs)
        assert said.startswith(f"{name} not answered. ")
        assert said.count("\n") == 1
