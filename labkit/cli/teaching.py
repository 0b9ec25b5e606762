"""The commands of instructors and graders: release, grade, check."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from labkit.cli.app import app
from labkit.cli.progress import progress
from labkit.errors import InputError

GRADING_EXTRA = 'the packages for grading are installed by `pip install --editable ".[grading]"`'


@app.command()
def release(
    out: Annotated[Path, typer.Argument(help="Folder to release into.")],
    check: Annotated[
        bool, typer.Option("--check", help="Compare a release with its source, and write nothing.")
    ] = False,
    roster: Annotated[
        Path | None,
        typer.Option(help="CSV with a column id: give each student traffic of their own."),
    ] = None,
    secret: Annotated[
        Path | None,
        typer.Option(help="File with the course's secret, made if missing; needed with --roster."),
    ] = None,
    jobs: Annotated[int, typer.Option(help="Processes; -1 for one a core.")] = -1,
) -> None:
    """Write the students' version of the course: a folder and a zip, or a zip for each student."""
    from labkit.course import release as course

    files = course.release_files()
    if check:
        differences = course.release_differences(out, files)
        for difference in differences:
            typer.echo(difference)
        if differences:
            sys.exit(1)
        typer.echo(f"{out} is what its source says: {len(files)} files")
        return
    if (roster is None) != (secret is None):
        raise InputError("--roster and --secret go together: the secret keys each student's seed")
    if jobs == 0:
        raise InputError("--jobs 0 is no process at all; -1 is one a core")
    # Read first: what is wrong with it is said before anything is written.
    students = _students(out, roster, secret) if roster and secret else []
    course.write_release(out, files)
    typer.echo(f"wrote {len(files)} files into {out / course.NAME} and {course.NAME}.zip")
    if students and secret:
        _release_personal(out, students, secret, files, jobs)


def _students(out: Path, roster: Path, secret: Path) -> list[str]:
    from labkit.course import personal, release

    for path in (roster, secret):
        for handed_out in (out / release.NAME, out / "students"):
            if path.resolve().is_relative_to(handed_out.resolve()):
                raise InputError(f"{path} lies in what you hand out: keep it elsewhere")
    return personal.read_roster(roster)


def _release_personal(
    out: Path, students: list[str], secret: Path, files: dict[str, bytes], jobs: int
) -> None:
    from labkit.course import personal

    key = personal.course_secret(secret)
    done = {}
    with progress("students", len(students)) as advance:
        for one in personal.release_to(out, students, key, files, jobs):
            done[one.student] = one
            advance()
    path = personal.write_roster(out, [done[student] for student in students])
    again = sum(one.draws > 1 for one in done.values())
    typer.echo(
        f"wrote {len(done)} zips into {out / 'students'}; who has which: {path}\n"
        f"the lesson held on the first draw for {len(done) - again} students; "
        f"{again} were drawn again, {sum(one.draws for one in done.values())} draws in all"
    )


@app.command()
def grade(
    submissions: Annotated[Path, typer.Argument(help="Folder with a folder for each student.")],
    out: Annotated[Path, typer.Option(help="Folder for grades and feedback.")],
    released: Annotated[
        Path | None,
        typer.Option("--release", help="Folder of the personal releases: each on their own data."),
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Runs at a time.")] = os.cpu_count() or 1,
    no_sandbox: Annotated[
        bool, typer.Option("--no-sandbox", help="Run what students wrote with your own rights.")
    ] = False,
    seconds: Annotated[int, typer.Option(min=1, max=86_400, help="Limit of one notebook.")] = 300,
) -> None:
    """Execute submitted notebooks in a sandbox, judge their answers, write grades and feedback."""
    try:
        from labkit.grading import grading, reports, tasks, walls, watching
    except ModuleNotFoundError as error:
        raise InputError(f"{error.name} is missing: {GRADING_EXTRA}") from None
    except RuntimeError as error:  # Jupyter's, on looking for its settings
        raise InputError(f"{error} Set HOME to a folder.") from None

    if out.resolve().is_relative_to(submissions.resolve()):
        raise InputError(f"{out} lies in {submissions}, where each folder is a student's")
    bwrap = None if no_sandbox else walls.find_bubblewrap()
    grader = grading.Grader(watching.Limits(seconds=seconds), bwrap, jobs)
    found, strays = tasks.find_tasks(submissions, tasks.data_folders(released))
    finished = []
    try:
        with progress("notebooks", len(found)) as advance:
            for one in grading.grade_all(found, out, grader):
                finished.append(one)
                advance()
    except KeyboardInterrupt:
        typer.echo("stopped: the same command goes on from here", err=True)
        raise
    reports.write_reports(out, finished, strays)
    people = len(reports.needs_a_person(finished, strays))
    typer.echo(
        f"{len(finished)} notebooks graded: {out / 'grades.csv'}, {out / 'summary.html'}, "
        f"{out / 'feedback'}; {people} remarks for a person: {out / 'person.csv'}"
    )


@app.command()
def check(
    notebook: Annotated[Path, typer.Argument(help="A notebook with its stored outputs.")],
    reference: Annotated[
        Path | None,
        typer.Option(help="Notebook to compare with; the default is the course's of that name."),
    ] = None,
) -> None:
    """Compare a notebook's reported numbers with the reference's; exit code 1 if any differs."""
    from labkit.course import comparing

    differences = comparing.compare_files(notebook, reference)
    for difference in differences:
        typer.echo(difference)
    if differences:
        sys.exit(1)
    typer.echo(f"{notebook} reports what its reference reports")
