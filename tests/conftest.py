import os

from hypothesis import settings

# Before scikit-learn loads, here and in the kernels that tests start.
os.environ.setdefault("OMP_NUM_THREADS", "1")

settings.register_profile("ci", derandomize=True, deadline=None, max_examples=60)
settings.load_profile("ci")


def pytest_terminal_summary(terminalreporter):
    """Report what each notebook took of its time budget."""
    seconds = [
        value
        for report in terminalreporter.stats.get("passed", [])
        for name, value in report.user_properties
        if name == "notebook_seconds"
    ]
    for notebook, spent in sorted(map(tuple, seconds)):
        terminalreporter.write_line(f"{spent:5.1f} s of 60 s  {notebook}")
