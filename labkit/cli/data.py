"""The commands of the flow records: data make, data verify."""

from pathlib import Path
from typing import Annotated

import typer

from labkit.cli.app import data_app
from labkit.cli.progress import progress
from labkit.errors import InputError


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
