"""Each student's own traffic: from a secret and the student's id, and with the lesson true on it.

The seed is a keyed hash (HMAC-SHA256) of the id and of how often was drawn before, so that the same
student always gets the same records, and nobody without the secret can tell whose they are or
draw them again. Draws go on until every claim of the lesson holds.
"""

import csv
import hmac
import io
import json
import os
import secrets
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from joblib import Parallel, delayed

from labkit.atomic import atomic_write
from labkit.course.exercises import all_exercises
from labkit.course.exercises.exercise import Traffic, key_of
from labkit.course.release import digest, with_notice, zipped
from labkit.data.files import packed_flows, verify_flows
from labkit.errors import InputError
from labkit.lab2.lesson import broken_claims

if TYPE_CHECKING:
    from labkit.lab2.experiment import Experiment

MOST_DRAWS = 1000
NOTICE = """\
> **Your own traffic.** The records in `data/` are yours alone. The numbers in this text are those
> of the course's traffic: yours will differ a little, and what the text concludes from them holds
> for yours too. Checks know your records."""


@dataclass(frozen=True)
class Personal:
    """One student's traffic.

    Parameters
    ----------
    student
        The id, as in the roster.
    code
        What the student's file is called: a keyed hash of the id.
    draws
        How many draws it took until the lesson held.
    release
        Checksum of the release that the file was made from.
    """

    student: str
    code: str
    draws: int
    release: str


def read_roster(path: Path) -> list[str]:
    """Return the students' ids: the column "id" of a CSV file, or its only column.

    Raises
    ------
    InputError
        When the file or the column is missing, or an id is empty, stands twice (in whatever case)
        or holds signs that cannot be seen.
    """
    try:
        rows = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig"))))
    except FileNotFoundError:
        raise InputError(f"{path} is missing") from None
    except (UnicodeDecodeError, csv.Error, IsADirectoryError):
        raise InputError(f"{path} is not a CSV file in UTF-8") from None
    if not rows:
        raise InputError(f"{path} names no student: a header and one id a line are needed")
    column = "id" if "id" in rows[0] else next(iter(rows[0]))
    if column != "id" and len(rows[0]) > 1:
        raise InputError(f"{path} has no column id, but {', '.join(map(str, rows[0]))}")
    if {";", "\t"} & set(column):
        raise InputError(f"{path} has its columns parted by ; or tabs: save it with commas")
    lines: dict[str, int] = {}
    students = []
    for line, row in enumerate(rows, start=2):
        student = (row[column] or "").strip()
        if not student:
            raise InputError(f"{path}, line {line}: the id is empty")
        if not student.isprintable():
            raise InputError(f"{path}, line {line}: {student!r} holds signs that cannot be seen")
        # Folders are named by ids, and not every system tells Ada from ada.
        folded = unicodedata.normalize("NFC", student).casefold()
        if folded in lines:
            raise InputError(f"{path}, line {line}: {student} stands in line {lines[folded]} too")
        lines[folded] = line
        students.append(student)
    return students


def course_secret(path: Path) -> bytes:
    """Return the course's secret from its file, which is made, for its owner's eyes, if missing.

    Raises
    ------
    InputError
        When the file holds less than 16 bytes or cannot be read.
    """
    try:
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "w") as file:
                file.write(secrets.token_hex(32) + "\n")
        secret = path.read_bytes().strip()
    except OSError as error:
        raise InputError(f"{path} cannot be used as the secret: {error.strerror}") from None
    if len(secret) < 16:
        raise InputError(f"{path} holds {len(secret)} bytes: a secret needs at least 16")
    return secret


def student_code(secret: bytes, student: str) -> str:
    """Return the name that a student's file goes by."""
    return hmac.digest(secret, f"code\0{student}".encode(), "sha256").hex()[:12]


def student_seed(secret: bytes, student: str, draw: int) -> int:
    """Return the seed of one draw of a student's traffic, within [0, 2**63)."""
    keyed = hmac.digest(secret, f"seed\0{draw}\0{student}".encode(), "sha256")
    return int.from_bytes(keyed[:8], "big") >> 1


def draw_traffic(secret: bytes, student: str) -> tuple["Experiment", int]:
    """Draw a student's traffic until all of the lesson's claims hold on it.

    Returns
    -------
    lab : Experiment
        Lab 2 on the records, which it holds.
    draws : int
        How many draws that took, from 1.

    Raises
    ------
    InputError
        When a thousand draws were not enough: the simulator no longer tells the lesson's story.
    """
    from labkit.data.traffic import simulate
    from labkit.lab2.experiment import numbers, run

    for draw in range(1, MOST_DRAWS + 1):
        lab = run(simulate(student_seed(secret, student, draw)))
        if not broken_claims(numbers(lab)):
            return lab, draw
    raise InputError(f"the lesson held on none of {MOST_DRAWS} draws of traffic")


def answer_key(traffic: Traffic) -> dict[str, object]:
    """Return a right answer to every exercise on the given traffic, as plain values."""
    from labkit.course.answers import plain

    return {asked.name: plain(key_of(asked, traffic).right) for asked in all_exercises()}


def release_to(
    out: Path, students: Sequence[str], secret: bytes, base: Mapping[str, bytes], n_jobs: int = -1
) -> Iterator[Personal]:
    """Write every student's own release and its answer key; yield them as they are done.

    Into `out/students/`, one zip a student, named by the code; into `out/instructor/`, which is not
    handed out, one key a student. What an earlier run finished is not done again.

    Parameters
    ----------
    out
        Folder of the release.
    students
        Ids.
    secret
        Of the course.
    base
        The release that all have in common, as `release_files` returned it.
    n_jobs
        Processes, as in joblib.
    """
    noticed, version = with_notice(base, NOTICE), digest(base)
    finished = {student: _finished(out, secret, student, version) for student in students}
    yield from (done for done in finished.values() if done)
    yield from Parallel(n_jobs=n_jobs, return_as="generator_unordered")(
        delayed(_release_one)(out, student, secret, noticed, version)
        for student, done in finished.items()
        if not done
    )


def write_roster(out: Path, personal: Sequence[Personal]) -> Path:
    """Write which file is whose into `out/instructor/roster.csv`, in the order given."""
    path = out / "instructor" / "roster.csv"
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, list(Personal.__dataclass_fields__), lineterminator="\n")
    writer.writeheader()
    writer.writerows(asdict(one) for one in personal)
    with atomic_write(path) as file:
        file.write(buffer.getvalue().encode())
    return path


def _release_one(
    out: Path, student: str, secret: bytes, base: Mapping[str, bytes], version: str
) -> Personal:
    lab, draws = draw_traffic(secret, student)
    personal = Personal(student, student_code(secret, student), draws, version)
    packed = packed_flows(lab.flows)
    data = out / "instructor" / personal.code
    for name, content in packed.items():
        with atomic_write(data / name) as file:
            file.write(content)
    files = {**base, **{f"data/{name}": content for name, content in packed.items()}}
    with atomic_write(out / "students" / f"{personal.code}.zip") as file:
        file.write(zipped(files))
    key = answer_key(Traffic(done=lab))
    # Last: a student of whom this lies there is done.
    with atomic_write(data / "key.json") as file:
        file.write((json.dumps({**asdict(personal), "key": key}, indent=1) + "\n").encode())
    return personal


def _finished(out: Path, secret: bytes, student: str, version: str) -> Personal | None:
    """Return what an earlier run finished for a student from this release, if it is whole."""
    code = student_code(secret, student)
    data = out / "instructor" / code
    try:
        done = json.loads((data / "key.json").read_text(encoding="utf-8"))
        personal = Personal(*(done[name] for name in Personal.__dataclass_fields__))
        verify_flows(data)
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return None
    is_whole = personal.release == version and (out / "students" / f"{code}.zip").is_file()
    return personal if is_whole else None
