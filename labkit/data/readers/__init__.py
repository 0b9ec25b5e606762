"""Readers of labelled flows in public formats, to one flow table."""

from labkit.data.readers.detect import AUTO, NAMES
from labkit.data.readers.reading import read_flows
from labkit.data.readers.writing import import_flows

__all__ = ["AUTO", "NAMES", "import_flows", "read_flows"]
