"""What a grader hands on: grades, a page a student, the class summary, the list for a person."""

import csv
import io
import re
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path

import pandas as pd
from jinja2 import Environment
from markupsafe import Markup, escape
from nbconvert.filters.markdown_mistune import markdown2html_mistune

from labkit.atomic import atomic_write
from labkit.course.cells import exercise_cells
from labkit.course.exercises import exercises_of
from labkit.course.misconceptions import MISCONCEPTIONS
from labkit.grading.grades import Grade
from labkit.grading.tasks import course_with_exercises

STATES = {"right": "right", "wrong": "not right", "unanswered": "not answered"}


def write_reports(out: Path, grades: Sequence[Grade], strays: Mapping[str, Sequence[str]]) -> None:
    """Write everything into a folder: grades.csv, person.csv, summary.html, feedback/STUDENT.html.

    Parameters
    ----------
    out
        Made if missing.
    grades
        Of all students and notebooks.
    strays
        What was not graded: student -> what and why.
    """
    by_student: dict[str, list[Grade]] = {student: [] for student in sorted(strays)}
    for grade in sorted(grades, key=lambda grade: (grade.student, grade.notebook)):
        by_student.setdefault(grade.student, []).append(grade)
    notebooks = sorted({grade.notebook for grade in grades})
    people = needs_a_person(grades, strays)
    _write(out / "grades.csv", grades_csv(by_student, notebooks))
    _write(out / "person.csv", _as_csv(["student", "notebook", "why"], people))
    for student, own in by_student.items():
        page = feedback_page(student, own, notebooks, strays.get(student, ()))
        _write(out / "feedback" / f"{student}.html", page)
    _write(out / "summary.html", summary_page(by_student, notebooks, people))


def grades_csv(by_student: Mapping[str, Sequence[Grade]], notebooks: Sequence[str]) -> str:
    """Return the table of points: a row a student, a column a notebook and one an exercise.

    An exercise of a notebook that was not handed in is empty, and counts as 0.
    """
    exercises = [asked for notebook in notebooks for asked in exercises_of(notebook[:2])]
    of = _points_of(notebooks)
    rows = []
    for student, grades in sorted(by_student.items()):
        points = {mark.name: mark.points for grade in grades for mark in grade.marks}
        own = {grade.notebook: grade.points for grade in grades}
        rows.append(
            {"student": student, "points": sum(own.values()), "of": of}
            | {notebook: own.get(notebook, "") for notebook in notebooks}
            | {asked.name: points.get(asked.name, "") for asked in exercises}
        )
    columns = ["student", "points", "of", *notebooks, *(asked.name for asked in exercises)]
    return _as_csv(columns, rows)


def needs_a_person(
    grades: Sequence[Grade], strays: Mapping[str, Sequence[str]]
) -> list[dict[str, str]]:
    """Return what a person should look at, one row a reason: student, notebook, why."""
    rows = [
        {"student": grade.student, "notebook": grade.notebook, "why": remark}
        for grade in grades
        for remark in grade.remarks
    ]
    rows += [
        {"student": student, "notebook": "", "why": f"not graded: {name}"}
        for student, names in strays.items()
        for name in names
    ]
    return sorted(rows, key=lambda row: (row["student"], row["notebook"], row["why"]))


def feedback_page(
    student: str, grades: Sequence[Grade], notebooks: Sequence[str], strays: Sequence[str]
) -> str:
    """Return a student's page: what was asked, what was answered, the hint, the points.

    Parameters
    ----------
    student, grades
        The student's own.
    notebooks
        All that the class handed in: the points are of these, as in grades.csv.
    strays
        What this student handed in that was not graded, and why.
    """
    graded = {grade.notebook for grade in grades}
    return _page(
        "student.html",
        student=student,
        grades=grades,
        points=sum(grade.points for grade in grades),
        of=_points_of(notebooks),
        missing=[name for name in notebooks if name not in graded],
        strays=strays,
        titles=_titles(),
        asked=_texts(),
        states=STATES,
    )


def outcome_counts(grades: Sequence[Grade]) -> pd.DataFrame:
    """Return how often each exercise was right, wrong in a known way, wrong otherwise, unanswered.

    Returns
    -------
    pandas.DataFrame
        One row an exercise, indexed by its name, in the course's order.
    """
    columns = ["right", "a known misconception", "wrong otherwise", "unanswered"]
    counts: dict[str, Counter] = {}
    for mark in (mark for grade in grades for mark in grade.marks):
        outcome = mark.state
        if outcome == "wrong":
            outcome = columns[1] if mark.misconception else columns[2]
        counts.setdefault(mark.name, Counter())[outcome] += 1
    table = pd.DataFrame.from_dict(counts, orient="index", columns=columns)
    return table.fillna(0).astype(int).sort_index()


def summary_page(
    by_student: Mapping[str, Sequence[Grade]],
    notebooks: Sequence[str],
    people: Sequence[Mapping[str, str]],
) -> str:
    """Return the class's page: how each exercise went, what was believed, what is left to do."""
    grades = [grade for own in by_student.values() for grade in own]
    believed = Counter(
        (mark.name, mark.title, mark.misconception)
        for grade in grades
        for mark in grade.marks
        if mark.misconception
    )
    totals = [sum(grade.points for grade in own) for own in by_student.values()]
    return _page(
        "summary.html",
        students=len(by_student),
        notebooks=len(grades),
        median=f"{statistics.median(totals):g}" if totals else "0",
        of=_points_of(notebooks),
        picture=_picture(outcome_counts(grades)) if grades else "",
        beliefs=[
            {"name": name, "title": title, "belief": MISCONCEPTIONS.get(slug, slug), "count": count}
            for (name, title, slug), count in sorted(
                believed.items(), key=lambda item: (-item[1], item[0])
            )
        ],
        people=people,
    )


def _points_of(notebooks: Sequence[str]) -> int:
    return sum(asked.points for name in notebooks for asked in exercises_of(name[:2]))


def _picture(counts: pd.DataFrame) -> Markup:
    import matplotlib.pyplot as plt

    from labkit.plots.outcomes import exercise_outcomes

    figure = exercise_outcomes(counts)
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None})
    plt.close(figure)
    # Only our own drawing, of our own exercises' names: safe as it is.
    return Markup(buffer.getvalue().partition("<svg")[2].join(["<svg", ""]))


def _page(template: str, **values: object) -> str:
    folder = files("labkit.grading") / "templates"
    # Everything is escaped but what is marked as safe: what students write is only ever shown.
    environment = Environment(autoescape=True, trim_blocks=True)
    environment.filters["code"] = _code
    css = Markup((folder / "page.css").read_text(encoding="utf-8"))
    page = environment.from_string((folder / template).read_text(encoding="utf-8"))
    return page.render(css=css, **values)


def _code(text: str) -> Markup:
    """Return a line in which what stands in backticks is shown as code."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text))))


@cache
def _titles() -> dict[str, str]:
    return {
        name: notebook.cells[0].source.splitlines()[0].lstrip("# ")
        for name, notebook in course_with_exercises().items()
    }


@cache
def _texts() -> dict[str, Markup]:
    """Return the text of every exercise as HTML: name -> text, from the course's own notebooks."""
    return {
        name: Markup(markdown2html_mistune(cells["exercise"].source))
        for notebook in course_with_exercises().values()
        for name, cells in exercise_cells(notebook).items()
    }


def _as_csv(columns: Sequence[str], rows: Sequence[Mapping[str, object]]) -> str:
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: _harmless(value) for name, value in row.items()} for row in rows)
    return buffer.getvalue()


def _harmless(value: object) -> object:
    """Return a cell that is no formula and steers no terminal: names are the students' own."""
    if not isinstance(value, str):
        return value
    value = "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in value)
    return f"'{value}" if value.startswith(("=", "+", "-", "@")) else value


def _write(path: Path, text: str) -> None:
    with atomic_write(path) as file:
        # An answer or a file's name may hold halves of signs, which no file can.
        file.write(text.encode("utf-8", errors="replace"))
