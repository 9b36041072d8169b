"""Taking the files out of a document, each into a file whose name is ours."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from pagemill.errors import PagemillError
from pagemill.model.visits import UnpackAnswer, UnpackedFile, UnpackRequest
from pagemill.reading.office.contained import ContainedFile
from pagemill.reading.office.contained_files import contained_files


class BudgetSpent(Exception):
    """The files have more bytes than may be unpacked."""


def unpack(request: UnpackRequest) -> UnpackAnswer:
    """The files of a document, up to the limits of the request; those before the damage of one that is damaged."""
    files: list[UnpackedFile] = []
    budget = Budget(request.most_bytes)
    found = contained_files(request.path, request.password)
    try:
        for number, one in enumerate(found, 1):
            if number > request.most_files:
                return UnpackAnswer(tuple(files), more=True)
            name = f"file-{number}"
            _write(one, Path(request.scratch) / name, budget)
            files.append(UnpackedFile(one.name, name))
    except BudgetSpent:
        return UnpackAnswer(tuple(files), more=True)
    except (PagemillError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        return UnpackAnswer(tuple(files), damaged=True)
    return UnpackAnswer(tuple(files))


class Budget:
    """How many bytes may still be written."""

    def __init__(self, left: int) -> None:
        self.left = left

    def spend(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        """The pieces, as long as there is room for them."""
        for piece in pieces:
            self.left -= len(piece)
            if self.left < 0:
                raise BudgetSpent
            yield piece


def _write(one: ContainedFile, file: Path, budget: Budget) -> None:
    """Write a file whole, or leave nothing of it."""
    whole = False
    try:
        with file.open("wb") as out:
            out.writelines(budget.spend(iter(one.pieces)))
        whole = True
    finally:
        if not whole:
            with suppress(FileNotFoundError):
                file.unlink()
