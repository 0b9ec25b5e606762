"""Judging and operating a rare-event detector.

The course's way is one way: records -> split -> scores -> sweep -> decision -> figure -> notebook.
Import from the floor you need: `labkit.data`, `labkit.metrics`, `labkit.decisions`, `labkit.lab2`.
"""

__version__ = "0.1.0"
