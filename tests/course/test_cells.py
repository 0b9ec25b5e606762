"""The cells of an exercise, on notebooks made up for one fault each."""

import pytest
from nbformat import v4

from labkit.course.cells import exercise_cells, exercise_problems, without_solutions


def cell(name, role, source):
    identity = f"ex-{name}" if role == "exercise" else f"ex-{name}-{role}"
    make = v4.new_markdown_cell if role == "exercise" else v4.new_code_cell
    return make(source, id=identity, metadata={"tags": [role]})


def exercise(name="03-1", **sources):
    texts = {
        "exercise": "### Exercise",
        "stub": "share = ...",
        "solution": "share = 9 / 99",
        "check": f'check("{name}", share)',
    } | sources
    return [cell(name, role, text) for role, text in texts.items()]


def notebook(*cells):
    return v4.new_notebook(cells=list(cells))


def test_nothing_is_wrong_with_a_right_exercise():
    assert exercise_problems(notebook(*exercise(), *exercise("03-2"))) == []


@pytest.mark.parametrize(
    ("stub", "solution"),
    [
        ("x = ...", "x = 3"),
        ("import numpy as np\n\nx = ...", "import numpy as np\n\ny = 2\nx = np.log(y)"),
        ("def f(a, b):\n    ...", "def f(a, b):\n    return a + b"),
        ("f(a, ...)", "f(a, b)"),
        ("x = ...  # one line\n", "# why\nx = 1"),
    ],
)
def test_a_stub_may_promise_what_its_solution_keeps(stub, solution):
    assert exercise_problems(notebook(*exercise(stub=stub, solution=solution))) == []


@pytest.mark.parametrize(
    ("stub", "line"),
    [
        ("y = ...", "y = ..."),
        ("share = ...\nother = ...", "other = ..."),
        ("import os\nshare = ...", "import os"),
        ("# count first\nshare = ...", "# count first"),
    ],
)
def test_a_stub_may_promise_nothing_else(stub, line):
    found = exercise_problems(notebook(*exercise(stub=stub)))
    assert found == [f"the stub of exercise 03-1 has a line its solution has not: {line}"]


def test_a_missing_cell_is_told():
    cells = [one for one in exercise() if one.id != "ex-03-1-stub"]
    found = exercise_problems(notebook(*cells))
    assert found == [
        "exercise 03-1 has the cells exercise, solution, check, not exercise, stub, solution, check"
    ]


def test_another_order_is_told():
    first, stub, solution, check = exercise()
    assert len(exercise_problems(notebook(first, solution, stub, check))) == 1


@pytest.mark.parametrize("source", ['check("03-2", share)', "print(share)", ""])
def test_a_check_of_something_else_is_told(source):
    found = exercise_problems(notebook(*exercise(check=source)))
    assert found == ["the check of exercise 03-1 is not one call of check"]


def test_a_missing_tag_is_told():
    cells = exercise()
    cells[2].metadata.clear()
    assert exercise_problems(notebook(*cells)) == [
        "the solution of exercise 03-1 lacks the tag solution"
    ]


def test_a_student_gets_no_solution_and_no_output():
    source = notebook(v4.new_code_cell("1", execution_count=1), *exercise())
    blank = without_solutions(source)
    assert [one.get("id") for one in blank.cells[1:]] == [
        "ex-03-1",
        "ex-03-1-stub",
        "ex-03-1-check",
    ]
    assert blank.cells[0].execution_count is None
    assert "solution" in exercise_cells(source)["03-1"]
