"""`python -m labkit.cli` does what `labkit` does."""

from labkit.cli import main

main()
