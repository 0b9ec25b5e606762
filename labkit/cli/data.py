"""The commands of the flow records: data make, data verify, data import."""

import textwrap
from pathlib import Path
from typing import Annotated

import typer

from labkit.cli.app import data_app
from labkit.cli.progress import byte_progress, progress
from labkit.errors import InputError

_HEADINGS = 80, 14, 8
"""Letters of a heading in a line, where there is room, less and little."""
_NAME = 10
"""Letters of a file's name in a line, at the least."""


@data_app.command("make")
def data_make(
    seed: Annotated[
        int | None, typer.Option(min=0, help="Seed; the default is the course's.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder; the default is data/.")] = None,
    records: Annotated[
        int | None,
        typer.Option(help="Simulate this many records (100_000_000, say) as Parquet; needs --out."),
    ] = None,
) -> None:
    """Simulate the two weeks of traffic and write them with their checksum."""
    if records is None:
        from labkit.data import files

        typer.echo(f"wrote {files.make_flows(out or files.DATA, seed)}")
        return
    if out is None:
        raise InputError("--records needs --out: name a new folder for the Parquet parts")
    from labkit.data import parts

    folder = parts.write_parts(out, records, seed, progress=progress)
    typer.echo(f"wrote {records:,} records into {folder}")


@data_app.command("verify")
def data_verify(
    folder: Annotated[Path | None, typer.Argument(help="Folder; the default is data/.")] = None,
) -> None:
    """Check the flow records against their checksum."""
    from labkit.data import files

    files.verify_flows(folder or files.DATA)
    typer.echo(f"{files.FLOWS} is what {files.CHECKSUMS} says")


@data_app.command("import")
def data_import(
    files: Annotated[list[Path], typer.Argument(help="Files of labelled flows, of one format.")],
    out: Annotated[Path, typer.Option(help="File to write: .parquet, .csv or .csv.gz.")],
    form: Annotated[
        str,
        typer.Option(
            "--format",
            help="auto tells it by content: luflow, zeek, cic, unsw, nsl-kdd, argus, mapped.",
        ),
    ] = "auto",
    timezone: Annotated[
        str | None,
        typer.Option(help="Whose days count, such as Europe/Prague; the default is UTC."),
    ] = None,
    mapping: Annotated[
        Path | None, typer.Option(help="TOML or JSON that says which columns are which.")
    ] = None,
) -> None:
    """Read labelled flows in a public format and write them as one flow table."""
    from labkit.data import readers

    told = readers.import_flows(files, out, form, timezone, mapping, byte_progress)
    _print_summary(told)
    days = f", day 0 is {told['first_date']} ({told['timezone']})" if told["first_date"] else ""
    typer.echo(f"wrote {told['kept']:,} flows into {out}{days}")


def _print_summary(told: dict) -> None:
    """Print what became of the rows of every file, and what is to be known of the table."""
    from rich.markup import escape

    from labkit.data.readers.summary import rows_of_summary
    from labkit.terminal import console, natural_width, table

    headings, rows = rows_of_summary(told)
    terminal = console()
    for letters in _HEADINGS:
        parted = (textwrap.fill(one, letters, break_long_words=False) for one in headings)
        shown = table("", *map(escape, parted))
        for column in shown.columns[2:]:
            column.justify = "right"
        for row in rows:
            shown.add_row(*map(escape, row))
        excess = natural_width(shown, terminal) - terminal.width
        if excess <= 0:
            break
    else:
        # A path may be long: it breaks, so that numbers keep their room.
        name = shown.columns[0]
        name.no_wrap, name.overflow = False, "fold"
        name.width = max(_NAME, max(len(row[0]) for row in rows) - excess)
    terminal.print(shown)
    for note in told["notes"]:
        typer.echo(f"note: {note}")
