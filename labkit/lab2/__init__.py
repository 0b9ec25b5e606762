"""Lab 2: two weeks of traffic, two detectors, and every number the lab reports."""

from labkit.lab2.split import TemporalSplit

__all__ = ["TemporalSplit"]
