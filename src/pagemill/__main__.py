"""`python -m pagemill` is the command `pagemill`."""

from pagemill.entrypoints.cli import main

main()
