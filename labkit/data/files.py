"""What lies in data/: make it, load it, verify it."""

import gzip
import hashlib
import io
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

from labkit.atomic import atomic_write
from labkit.data.schema import check_flows
from labkit.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

DATA = Path(__file__).resolve().parents[2] / "data"
FLOWS = "flows.csv.gz"
CHECKSUMS = "checksums.txt"
# Thirty times what the two weeks take: no more is unpacked, whatever a file claims to hold.
MAX_BYTES = 100_000_000
# Whose traffic it was cannot be told from a file that is gone: a student's own, or another seed's,
# must not be overwritten with the course's.
REMEDY = (
    "take it again from where you had it, such as your zip; "
    "`labkit data make` writes the course's own traffic and no other"
)
MOVE_AWAY = f"move it away, then {REMEDY}"


def flows_as_csv(flows: "pd.DataFrame") -> bytes:
    """Return a flow table as CSV, the same bytes on every platform."""
    return flows.to_csv(index=False, lineterminator="\n").encode()


def make_flows(folder: Path = DATA, seed: int | None = None) -> Path:
    """Simulate the two weeks and write them, with their checksums, into a folder.

    Parameters
    ----------
    folder
        Where flows.csv.gz and checksums.txt go; made if missing.
    seed
        Seed of the simulator; None is the course's own.

    Returns
    -------
    pathlib.Path
        The flow file.
    """
    from labkit.data.traffic import DEFAULT_SEED, simulate

    flows = simulate(DEFAULT_SEED if seed is None else seed)
    check_flows(flows)
    for name, content in packed_flows(flows).items():
        with atomic_write(Path(folder) / name) as file:
            file.write(content)
    return Path(folder) / FLOWS


def packed_flows(flows: "pd.DataFrame") -> dict[str, bytes]:
    """Return the files that hold a flow table and its checksum: name -> bytes."""
    content = flows_as_csv(flows)
    buffer = io.BytesIO()
    # No file name and no time in the header: the same records give the same bytes.
    with gzip.GzipFile(filename="", mode="wb", fileobj=buffer, mtime=0) as packed:
        packed.write(content)
    line = f"{hashlib.sha256(content).hexdigest()}  {_content_name(Path(FLOWS))}\n"
    return {FLOWS: buffer.getvalue(), CHECKSUMS: line.encode()}


def verify_flows(folder: Path = DATA) -> None:
    """Raise unless flows.csv.gz is whole and holds what checksums.txt says.

    The checksum is of the CSV inside, since compressors differ and records may not.

    Raises
    ------
    InputError
        When either file is missing, damaged or not the other's; says how to mend it.
    """
    _read_verified(Path(folder) / FLOWS)


def load_flows(path: Path | None = None) -> "pd.DataFrame":
    """Load the flow table, after checking it against its checksum.

    Parameters
    ----------
    path
        A flow file; None is the course's own. Its checksums.txt lies beside it.

    Returns
    -------
    pandas.DataFrame
        One flow a row, ordered by time; the columns are `labkit.data.schema.COLUMNS`.

    Raises
    ------
    InputError
        When the file is missing, damaged, or no flow table.
    """
    import pandas as pd

    path = DATA / FLOWS if path is None else Path(path)
    content = _read_verified(path)
    try:
        flows = pd.read_csv(io.BytesIO(content), index_col=False)
        check_flows(flows)
    except ValueError as error:
        raise InputError(f"{path}: {error}") from None
    return flows


def _content_name(path: Path) -> str:
    return path.name.removesuffix(".gz")


def _read_verified(path: Path) -> bytes:
    """Return the CSV inside a gzip file if its checksum is the one on record."""
    try:
        with gzip.open(path) as packed:
            content = packed.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise InputError(f"{path} is missing: {REMEDY}") from None
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise InputError(f"{path} is damaged ({error}): {REMEDY}") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}): {MOVE_AWAY}") from None
    if len(content) > MAX_BYTES:
        raise InputError(f"{path} is damaged (over {MAX_BYTES:,} bytes unpacked): {REMEDY}")
    wanted = _recorded_checksum(path)
    if hashlib.sha256(content).hexdigest() != wanted:
        raise InputError(f"{path} does not match {CHECKSUMS} beside it: {REMEDY}")
    return content


def _recorded_checksum(path: Path) -> str:
    record = path.with_name(CHECKSUMS)
    try:
        lines = record.read_text(encoding="utf-8-sig").splitlines()
    except FileNotFoundError:
        raise InputError(f"{record} is missing: {REMEDY}") from None
    except OSError as error:
        raise InputError(f"{record} cannot be read ({error.strerror}): {MOVE_AWAY}") from None
    except UnicodeDecodeError:
        lines = []
    # The last line counts, and both forms that checksum tools write: "sum  name" and "sum *name".
    for line in reversed(lines):
        checksum, _, name = line.partition(" ")
        if name[1:] == _content_name(path):
            return checksum.lower()
    raise InputError(f"{record} has no line for {_content_name(path)}: {REMEDY}")
