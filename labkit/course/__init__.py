"""The course's notebooks: what they call, what runs them, and what checks what they say."""

from labkit.course.alt_text import show
from labkit.course.checking import check

__all__ = ["check", "show"]
