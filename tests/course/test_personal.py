"""Each student's own traffic: always the same, known to nobody else, the lesson true on it."""

import json
import shutil
import stat
import sys
import zipfile
from pathlib import Path

import pytest

from labkit.course import personal
from labkit.course.answers import judge
from labkit.course.exercises import exercise
from labkit.course.exercises.exercise import Traffic
from labkit.course.personal import (
    course_secret,
    draw_traffic,
    read_roster,
    release_to,
    student_code,
    student_seed,
    write_roster,
)
from labkit.course.release import NAME, release_files
from labkit.data import load_flows
from labkit.data.traffic import simulate
from labkit.errors import InputError
from labkit.lab2.experiment import numbers, run
from labkit.lab2.lesson import CLAIMS, STORY, broken_claims

SECRET = b"a secret of the course, long enough"
STUDENTS = ["s1234567@example.org", "Ünsal, Ayşe"]


def test_a_seed_is_a_keyed_hash():
    seeds = {
        student_seed(secret, student, draw)
        for secret in (SECRET, b"another secret, as long")
        for student in STUDENTS
        for draw in (1, 2)
    }
    assert len(seeds) == 8
    assert all(0 <= seed < 2**63 for seed in seeds)
    # HMAC-SHA256 over "seed", the draw and the id, parted by NULs: the first 8 bytes, halved.
    # printf 'seed\0001\000a' | openssl dgst -sha256 -hmac key -hex
    assert student_seed(b"key", "a", 1) == 0xC996EF5FB5AED38B >> 1


def test_a_code_tells_nothing_of_the_student():
    codes = [student_code(SECRET, student) for student in STUDENTS]
    assert len(set(codes)) == 2
    assert all(len(code) == 12 and int(code, 16) >= 0 for code in codes)
    assert student_code(b"another secret, as long", STUDENTS[0]) not in codes


@pytest.mark.parametrize(
    ("text", "students"),
    [
        ("id\na\nb\n", ["a", "b"]),
        ("\ufeffname,id\nAda,a\nBob, b \n", ["a", "b"]),
        ("student\r\na\r\n", ["a"]),
        ('id\n"a,b"\n', ["a,b"]),
    ],
)
def test_a_roster_is_a_column_of_ids(tmp_path, text, students):
    path = tmp_path / "students.csv"
    path.write_bytes(text.encode())
    assert read_roster(path) == students


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (None, "is missing"),
        (b"", "names no student"),
        (b"id\n", "names no student"),
        (b"name,mail\na,b\n", "has no column id, but name, mail"),
        (b"id,n\na,1\n,2\n", "line 3: the id is empty"),
        (b"id\na\nb\na\n", "line 4: a stands in line 2 too"),
        (b"id\n\xff\n", "is not a CSV file in UTF-8"),
        ("id\na\n".encode("utf-16"), "is not a CSV file in UTF-8"),
        ("id\na\n".encode("utf-16-le"), "line 2: .* holds signs that cannot be seen"),
        (b'id\n"a\nb"\n', "line 2: 'a.*b' holds signs that cannot be seen"),
        ("id\na\u202eb\n".encode(), "line 2: .* holds signs that cannot be seen"),
        (b"id\nAda@x\n ada@X\n", "line 3: ada@X stands in line 2 too"),
        ("id\nAyşe\nAys\u0327e\n".encode(), "line 3: .* stands in line 2 too"),
        (b"id;name\na;Ada\n", "parted by ; or tabs: save it with commas"),
        (b"id\tname\na\tAda\n", "parted by ; or tabs"),
    ],
)
def test_a_wrong_roster_is_named_with_its_line(tmp_path, content, told):
    path = tmp_path / "students.csv"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError, match=told):
        read_roster(path)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows knows no such permissions")
def test_a_secret_is_made_once_and_for_its_owner_alone(tmp_path):
    path = tmp_path / "keys" / "secret"
    secret = course_secret(path)
    assert len(secret) >= 32
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert course_secret(path) == secret


def test_a_short_secret_is_refused(tmp_path):
    (tmp_path / "secret").write_text("guess me\n")
    with pytest.raises(InputError, match="holds 8 bytes: a secret needs at least 16"):
        course_secret(tmp_path / "secret")
    with pytest.raises(InputError, match="cannot be used as the secret"):
        course_secret(tmp_path)


def test_draws_go_on_until_the_lesson_holds(monkeypatch):
    told = [["day 11 has the most alerts"], ["isotonic_ap"], []]
    monkeypatch.setattr("labkit.course.personal.broken_claims", lambda _: told.pop(0))
    lab, draws = draw_traffic(SECRET, "a")
    assert draws == 3
    assert lab.flows.equals(simulate(student_seed(SECRET, "a", 3)))


def test_draws_come_to_an_end(monkeypatch):
    monkeypatch.setattr("labkit.course.personal.MOST_DRAWS", 1)
    monkeypatch.setattr("labkit.course.personal.broken_claims", lambda _: ["it"])
    with pytest.raises(InputError, match="held on none of 1 draws"):
        draw_traffic(SECRET, "a")


def test_every_claim_and_the_story_count():
    found = numbers(run(load_flows()))
    assert broken_claims(found) == []
    broken = found | {"isotonic_ap": 1.0, "fixed_threshold_min_day": 20}
    assert set(broken_claims(broken)) == {
        "isotonic_ap",
        "isotonic regression costs average precision",
        "every test day is over the budget of 20",
    }
    assert set(broken_claims(broken)) <= {*CLAIMS, *STORY}


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    out = tmp_path_factory.mktemp("release")
    base = release_files()
    done = list(release_to(out, STUDENTS, SECRET, base, n_jobs=1))
    write_roster(out, done)
    return out, base, {one.student: one for one in done}


def contents(out, one):
    with zipfile.ZipFile(out / "students" / f"{one.code}.zip") as archive:
        return {name.removeprefix(f"{NAME}/"): archive.read(name) for name in archive.namelist()}


def test_each_student_gets_the_release_with_other_records(released):
    out, base, done = released
    files = [contents(out, done[student]) for student in STUDENTS]
    assert set(files[0]) == set(files[1]) == set(base)
    changed = {name for name in base if files[0][name] != base[name]}
    assert {"data/flows.csv.gz", "data/checksums.txt"} < changed
    assert all(name.startswith(("data/", "notebooks/")) for name in changed)
    assert files[0]["data/flows.csv.gz"] != files[1]["data/flows.csv.gz"]


def test_neither_ids_nor_the_secret_are_in_a_released_file(released):
    out, _, done = released
    for one in done.values():
        packed = b"\0".join(
            part for name, text in contents(out, one).items() for part in (name.encode(), text)
        )
        for hidden in (*STUDENTS, one.code, SECRET.decode(), SECRET.hex()):
            assert hidden.encode() not in packed
            assert hidden == one.code or not list((out / "students").glob(f"*{hidden}*"))


def test_the_lesson_holds_on_what_a_student_gets(released):
    out, _, done = released
    for one in done.values():
        flows = load_flows(out / "instructor" / one.code / "flows.csv.gz")
        assert broken_claims(numbers(run(flows))) == []


def test_the_key_is_that_of_the_students_own_records(released):
    out, _, done = released
    one = done[STUDENTS[0]]
    kept = json.loads((out / "instructor" / one.code / "key.json").read_text())["key"]
    own, course = Traffic(out / "instructor" / one.code / "flows.csv.gz"), Traffic()
    differs = 0
    for name, answer in kept.items():
        assert judge(exercise(name).key(own), answer).state == "right", name
        differs += judge(exercise(name).key(course), answer).state != "right"
    assert differs > 5


def test_the_roster_says_who_has_which(released):
    out, _, done = released
    text = (out / "instructor" / "roster.csv").read_text()
    for student in STUDENTS:
        assert done[student].code in text
    assert text.startswith("student,code,draws,release\n")


def test_a_second_run_does_only_what_is_left(released, monkeypatch, tmp_path):
    folder, base, done = released
    out = tmp_path / "copy"
    shutil.copytree(folder, out)

    def draw(secret, student):
        raise AssertionError(f"{student} was drawn again")

    monkeypatch.setattr(personal, "draw_traffic", draw)
    assert {one.student: one for one in release_to(out, STUDENTS, SECRET, base, n_jobs=1)} == done
    for student, damaged in (
        (STUDENTS[0], Path("students", f"{done[STUDENTS[0]].code}.zip")),
        (STUDENTS[1], Path("instructor", done[STUDENTS[1]].code, "flows.csv.gz")),
    ):
        (out / damaged).unlink()
        with pytest.raises(AssertionError, match=f"{student} was drawn again"):
            list(release_to(out, [student], SECRET, base, n_jobs=1))


def test_a_new_release_gives_a_student_the_same_records(released, tmp_path):
    out, base, done = released
    student = STUDENTS[0]
    (again,) = release_to(tmp_path, [student], SECRET, base | {"NEWS": b"new"}, n_jobs=1)
    assert again.release != done[student].release
    name = "data/flows.csv.gz"
    assert contents(tmp_path, again)[name] == contents(out, done[student])[name]
