"""What every provider has to keep to, as classes of tests for authors of providers.

A test class of yours takes one of them as its base and says how the provider is made; pytest finds the tests. Nothing
here needs pytest, so any runner that calls the methods whose names begin with `test_` will do.
"""

import tempfile
import threading
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from pagemill.model.pages import Block, Box, Page
from pagemill.reading.contract_samples import picture_of, pixels_of, three_pages
from pagemill.reading.ocr.recogniser import Pixels, Recogniser
from pagemill.reading.provider import Provider, Refusal
from pagemill.reading.remote.base import Answer, Picture, Remote, TryLater

# Boxes are rounded, and characters may reach a little over the edge.
TOLERANCE_POINTS = 2.0
THREADS = 8


class Named(Protocol):
    """What providers of all kinds have in common."""

    name: str

    def version(self) -> str:
        """The version of what reads."""
        ...

    def available(self) -> str | None:
        """None if it can be used here."""
        ...


class _NamedContract(ABC):
    """What holds for providers of all kinds."""

    @abstractmethod
    def subject(self) -> Named:
        """The provider that is tested."""

    def test_it_has_a_name_that_fits_into_settings(self) -> None:
        """A name is what people put into `PAGEMILL_PROVIDERS`, between commas."""
        name = self.subject().name
        assert name, "a provider needs a name"
        assert name == name.strip().lower(), f"{name!r} has to be lower-case"
        assert not set(name) & set(", =:/+"), f"{name!r} holds a character that settings divide by"

    def test_its_version_stays_the_same(self) -> None:
        """The version is part of what decides whether a result may be used again."""
        first, second = self.subject().version(), self.subject().version()
        assert first, "a provider needs a version"
        assert first == second, "the version changes from one instance to the next"

    def test_it_can_be_used_here(self) -> None:
        """Run these tests where everything that the provider needs is there."""
        reason = self.subject().available()
        assert reason is None, f"it can't be used here: {reason}"


class ProviderContract(_NamedContract):
    """What holds for providers that read pages of a PDF: override `provider`."""

    @abstractmethod
    def provider(self) -> Provider:
        """A provider that is ready to read."""

    def subject(self) -> Provider:
        """The provider that is tested."""
        return self.provider()

    def document(self) -> bytes:
        """A PDF of three pages with words on each; override it if the provider needs another kind."""
        return three_pages()

    def test_pages_come_in_the_order_asked(self) -> None:
        """Each number asked for comes back once, in its place."""
        for wanted in ([1, 2, 3], [3, 1], [2]):
            assert [page.number for page in self.read(wanted)] == wanted

    def test_pages_say_who_read_them_and_how_large_they_are(self) -> None:
        """What goes into the result for every page."""
        for page in self.read([1, 2, 3]):
            assert page.provider == self.provider().name, f"page {page.number} names another provider"
            assert page.error is None, f"page {page.number} was not read: {page.error}"
            assert page.width > 0, f"page {page.number} has no size"
            assert page.height > 0, f"page {page.number} has no size"
            assert 0 <= page.confidence <= 1, f"page {page.number} is surer than one can be"

    def test_blocks_have_ids_of_their_own_and_stand_on_the_page(self) -> None:
        """Ids are `p{page}-b{count}`; boxes are in points from the top left corner."""
        for page in self.read([1, 2, 3]):
            ids = [block.id for block in page.blocks]
            assert ids, f"page {page.number} has no blocks"
            assert len(ids) == len(set(ids)), f"two blocks of page {page.number} share an id"
            assert all(one.startswith(f"p{page.number}-b") for one in ids), f"odd ids: {ids}"
            assert_on_page(page.blocks, page.width, page.height)

    def test_the_same_pages_give_the_same_result(self) -> None:
        """A result may depend on the file and the pages asked for, and on nothing else."""
        assert self.read([1, 2, 3]) == self.read([1, 2, 3])

    def test_a_page_that_is_not_there_is_an_error_of_that_page(self) -> None:
        """The other pages are read all the same."""
        first, absent = self.read([1, 9])
        assert first.error is None
        assert absent.number == 9
        assert absent.error is not None, "a page that is not there was read"

    def test_what_is_no_document_is_refused(self) -> None:
        """With Refusal, or with an error on each page; never with another exception."""
        try:
            pages = self.read([1], b"This is no document at all.")
        except Refusal:
            return
        assert all(page.error is not None for page in pages), "something was read where nothing is"

    def read(self, pages: Sequence[int], document: bytes | None = None) -> list[Page]:
        """The pages of a document in a folder of its own."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "document.pdf")
            path.write_bytes(self.document() if document is None else document)
            return list(self.provider().read(str(path), pages, None))


class RecogniserContract(_NamedContract):
    """What holds for recognisers, which read the text in a picture: override `recogniser`."""

    @abstractmethod
    def recogniser(self) -> Recogniser:
        """A recogniser that is ready to read."""

    def subject(self) -> Recogniser:
        """The recogniser that is tested."""
        return self.recogniser()

    def words(self) -> tuple[str, ...]:
        """What is drawn, a line each; override it if the recogniser reads another script."""
        return ("Water mill", "Wind and weather", "Built in 1742")

    def pixels(self) -> Pixels:
        """A clean picture with the words in black on white."""
        return pixels_of(self.words())

    def test_it_reads_the_words_of_a_clean_picture(self) -> None:
        """In any order, however the spaces fall."""
        found = "".join(line.text for line in self.recogniser().recognise(self.pixels(), ["en"]))
        bare = "".join(found.split()).lower()
        missed = [words for words in self.words() if "".join(words.split()).lower() not in bare]
        assert not missed, f"{missed} not found in {found!r}"

    def test_lines_stand_in_the_picture(self) -> None:
        """Boxes are in pixels from the top left corner."""
        pixels = self.pixels()
        high, wide = pixels.shape[:2]
        for line in self.recogniser().recognise(pixels, []):
            assert_inside(line.box, wide, high)
            assert 0 <= line.confidence <= 1, f"{line.text!r} is surer than one can be"

    def test_the_same_picture_gives_the_same_lines(self) -> None:
        """Nothing but the picture and the languages may matter."""
        recogniser = self.recogniser()
        assert recogniser.recognise(self.pixels(), []) == recogniser.recognise(self.pixels(), [])

    def test_the_picture_is_left_as_it_was(self) -> None:
        """Others may look at it afterwards."""
        pixels = self.pixels()
        before = pixels.tobytes()
        self.recogniser().recognise(pixels, [])
        assert pixels.tobytes() == before, "the picture was changed"

    def test_an_empty_picture_has_no_lines(self) -> None:
        """White paper, and a scrap too small for any text."""
        for size in ((300, 300), (8, 8)):
            assert self.recogniser().recognise(pixels_of((), *size), []) == []


class RemoteContract(_NamedContract):
    """What holds for providers that send pictures over the network: override `remote`."""

    @abstractmethod
    def remote(self) -> Remote:
        """A provider whose server answers; use one of your own that answers the same each time."""

    def unreachable(self) -> Remote | None:
        """The same provider with an address where no server listens; None leaves that test out."""
        return None

    def secret(self) -> str | None:
        """The key that the provider was given, which must not leak; None leaves that test out."""
        return None

    def subject(self) -> Remote:
        """The provider that is tested."""
        return self.remote()

    def picture(self) -> Picture:
        """A page with a few words."""
        return picture_of(("Water mill", "Built in 1742"))

    def test_it_says_how_large_a_picture_it_wants(self) -> None:
        """Pages are rendered for it; below this size, text is too small for anybody."""
        assert self.remote().longest_side_pixels >= 500, "no page can be read that small"

    def test_its_blocks_stand_on_the_page(self) -> None:
        """Boxes are in points, not in pixels; ids are given later."""
        picture, answer = self.picture(), self.remote().read(self.picture())
        assert 0 <= answer.confidence <= 1, "it is surer than one can be"
        assert answer.blocks, "nothing was read"
        assert not [block.id for block in answer.blocks if block.id], "ids are given later, by page"
        assert_on_page(answer.blocks, picture.width, picture.height)

    def test_many_threads_may_ask_at_once(self) -> None:
        """Each gets the answer to its own question."""
        remote = self.remote()
        expected = remote.read(self.picture())
        found: list[Answer] = []
        threads = [
            threading.Thread(target=lambda: found.append(remote.read(self.picture()))) for _ in range(THREADS)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert found == [expected] * THREADS, "threads got in each other's way"

    def test_a_server_that_is_away_is_tried_later(self) -> None:
        """With TryLater, so that the page is not lost."""
        remote = self.unreachable()
        if remote is None:
            return
        try:
            remote.read(self.picture())
        except TryLater:
            return
        raise AssertionError("it answered without a server")

    def test_it_shows_its_key_to_nobody(self) -> None:
        """Not in what is printed of it, nor in its version."""
        secret = self.secret()
        shown = f"{self.remote()!r} {vars(self.remote())!r} {self.remote().version()}"
        assert secret is None or secret not in shown, "the key can be seen"


def assert_on_page(blocks: Sequence[Block], width: float, height: float) -> None:
    """Fail if a box reaches over the edge of the page."""
    for block in blocks:
        if block.box:
            assert_inside(block.box, width, height)


def assert_inside(box: Box, width: float, height: float) -> None:
    """Fail if a box is not inside a rectangle of that size, or has no area."""
    assert box.width > 0, f"{box} has no width"
    assert box.height > 0, f"{box} has no height"
    inside = (
        box.x >= -TOLERANCE_POINTS
        and box.y >= -TOLERANCE_POINTS
        and box.right <= width + TOLERANCE_POINTS
        and box.bottom <= height + TOLERANCE_POINTS
    )
    assert inside, f"{box} is not inside {width} x {height}"
