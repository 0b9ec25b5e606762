"""Readers of labelled flows in public formats, to one flow table."""

from labkit.data.readers.formats import AUTO, NAMES
from labkit.data.readers.importing import import_flows, read_flows

__all__ = ["AUTO", "NAMES", "import_flows", "read_flows"]
