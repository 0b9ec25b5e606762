"""The `labkit` command itself, which the other modules add their commands to."""

import typer

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    # Plain text: a wrong option then ends in one line too, not in a box.
    rich_markup_mode=None,
    help="A lab course on judging and operating a rare-event detector.",
)
data_app = typer.Typer(no_args_is_help=True, help="The flow records in data/.")
app.add_typer(data_app, name="data")
