"""Flow records: the table's schema, the simulator, and the files in data/."""

from labkit.data.files import load_flows
from labkit.data.schema import check_flows

__all__ = ["check_flows", "load_flows"]
