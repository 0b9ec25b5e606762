"""An evaluation: what was asked for, what was drawn, and what was measured of each detector."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from labkit.evaluation.options import Options
from labkit.evaluation.results import DetectorResult, PairResult


@dataclass(frozen=True)
class Resampling:
    """What the bootstrap drew.

    Attributes
    ----------
    unit
        "records", "days" or "groups": what is drawn whole and with replacement, for the attacks
        and for the normal records apart.
    drawn
        How many of them there are.
    replicates, seed
        Number of resamples, and the seed of their draws.
    reason
        Why nothing was drawn; None where something was.
    """

    unit: str
    drawn: int
    replicates: int
    seed: int
    reason: str | None = None


@dataclass(frozen=True)
class Source:
    """The file that the scores were read from, and what its columns were taken for."""

    file: str
    sha256: str
    label: str
    positive: str
    day: str | None
    group: str | None
    weight: str | None


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation:
    """How good one or several detectors are on labelled records; made by `labkit.evaluate`.

    Attributes
    ----------
    version
        Of labkit.
    source
        The file; None where arrays were passed.
    options
        What was asked for.
    detectors
        Name -> what was measured, in the order given.
    pairs
        Every two detectors compared, the later one minus the earlier.
    resampling
        What the bootstrap drew.
    notes
        What a reader should know before using any of it, one sentence each.
    """

    version: str
    source: Source | None
    options: Options
    detectors: Mapping[str, DetectorResult]
    pairs: tuple[PairResult, ...]
    resampling: Resampling
    notes: tuple[str, ...]

    def __repr__(self) -> str:
        first = next(iter(self.detectors.values()))
        return (
            f"Evaluation({', '.join(map(repr, self.detectors))}: {first.records:.10g} records, "
            f"{first.positives:.10g} attacks)"
        )

    def to_dict(self) -> dict:
        """Return everything as dicts, lists, texts and numbers that JSON knows.

        Nothing is rounded. nan becomes None, and an infinity the text "inf" or "-inf".
        """
        from labkit.evaluation.plain import plain

        return plain(self)

    def summary(self, width: int = 100) -> str:
        """Return the tables that `labkit evaluate` prints, as plain text."""
        from labkit.evaluation.summary import as_text

        return as_text(self, width)

    def to_html(self, command: str | None = None) -> str:
        """Return the report: one HTML page that needs no other file, no network and no script.

        Parameters
        ----------
        command
            What to run to get the same; by default the call with its options.
        """
        from labkit.evaluation.report import report

        return report(self, command)
