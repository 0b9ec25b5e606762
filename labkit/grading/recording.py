"""What stands in a check's place while a submission runs: the answer is written down, not judged.

This runs beside a student's code, which may do to it what it likes. Whatever reaches the file is
an answer and no more: what is right is known outside of the sandbox only.
"""

import json
import os
from collections.abc import Callable
from pathlib import Path

from labkit.course.answers import NotReadableError, called, is_blank, plain

ANSWERS = "LABKIT_ANSWERS"
"""The environment variable that names the file to write to."""
ANSWERS_FILE = "answers.jsonl"
REPORT = "report.json"
"""What a run leaves in its output folder: an answer a line, and what became of the cells."""
OUTPUT_BYTES_A_CELL = 200_000
KILLED = "a cell killed the kernel"
TOO_MUCH = f"a cell printed more than {OUTPUT_BYTES_A_CELL / 1e3:g} kB"
ENDINGS = (KILLED, TOO_MUCH)
"""All that a run may say of how it ended."""


def record(name: str, answer: Callable[[], object], calls: str = "[]") -> None:
    """Write an answer to the file of answers, as one line of JSON.

    Parameters
    ----------
    name
        The exercise.
    answer
        Gives the answer, when called; a function, so that a name that is missing is no error of
        the cell.
    calls
        As in `labkit.course.exercises.exercise.Exercise`, as JSON.
    """
    try:
        given = called(answer(), json.loads(calls))
        entry = {"answer": None if is_blank(given) else plain(given)}
    except NotReadableError as error:
        entry = {"fault": str(error)}
    except NameError as error:
        entry = {"fault": f"{error}: the cell that defines it is missing or was not run."}
    except Exception as error:
        entry = {"fault": f"The answer could not be read ({type(error).__name__})."}
    with Path(os.environ[ANSWERS]).open("a", encoding="utf-8") as file:
        file.write(json.dumps({"name": name, **entry}) + "\n")
    print(f"{name} noted.")
