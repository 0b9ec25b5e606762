"""Readers of labelled flows in public formats, to one flow table.

The way of a file: `source` unpacks its bytes, `layout` tells its columns from the first lines and
`rows` parses them. A format (`luflow`, `zeek`, `cic`, `unsw`, `nslkdd`, `argus`, or `mapped` by a
`mapping` file) says what its `labels` and `times` are and makes features of its `columns`. `pieces`
drops and counts rows, `table` puts the pieces together, and `importing` returns or writes them.
Which format a file has is told in `formats`.
"""

from labkit.data.readers.formats import AUTO, NAMES
from labkit.data.readers.importing import import_flows, read_flows

__all__ = ["AUTO", "NAMES", "import_flows", "read_flows"]
