"""The progress bars of all commands: things done, or bytes read."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def progress(what: str, total: int) -> Iterator:
    """Show a progress bar on stderr; yields what advances it by one."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(what, total=total)

        def advance(now: str = "") -> None:
            bar.update(task, advance=1, description=f"{what} {now}".rstrip())

        yield advance


@contextmanager
def byte_progress(what: str, total: int) -> Iterator:
    """Show a progress bar of bytes on stderr; yields what advances it by a number of them."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TransferSpeedColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(what, total=total)

        def advance(number: int) -> None:
            bar.update(task, advance=number)

        yield advance
