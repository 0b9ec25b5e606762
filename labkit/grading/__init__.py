"""Grading submitted notebooks: each runs in a sandbox, and is judged outside of it."""
