"""Mistral OCR, and servers that speak its protocol."""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pagemill.model.pages import Block, Box
from pagemill.reading.clean import solid_length
from pagemill.reading.provider import Refusal
from pagemill.reading.remote.answers import LOOP_SHARE, USUAL_CONFIDENCE, Read, judge_answer
from pagemill.reading.remote.base import Answer, Picture
from pagemill.reading.remote.endpoint import Address, Json, RemoteEndpoint
from pagemill.reading.remote.grounding import box_between
from pagemill.reading.remote.loops import without_loop
from pagemill.reading.remote.markdown_blocks import blocks_of
from pagemill.reading.remote.prompts import picture_url
from pagemill.reading.remote.regions import Region, region_blocks
from pagemill.reading.remote.statuses import NotUnderstood

SETTINGS = "PAGEMILL_MISTRAL"
PATH = "/ocr"
# Blocks with boxes are taken only if they hold what the page as a whole does.
LEAST_SHARE_IN_BLOCKS = 0.9

Fields = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class MistralConfig:
    """Which model is asked, and where."""

    api_key: str = field(default="", repr=False)
    base_url: str = "https://api.mistral.ai/v1"
    model: str = "mistral-ocr-latest"
    timeout_seconds: float = 120.0
    connections: int = 64

    def address(self) -> Address:
        """Where requests go."""
        return Address(self.base_url, SETTINGS, self.api_key, self.timeout_seconds, self.connections)


class MistralProvider:
    """Reads pages with Mistral OCR."""

    name = "mistral"
    longest_side_pixels = 2500

    def __init__(self, config: MistralConfig) -> None:
        self._config = config
        self._endpoint = RemoteEndpoint(config.address())
        self._plain = threading.Event()

    def version(self) -> str:
        """The model."""
        return self._config.model

    def available(self) -> str | None:
        """None if an address, a key and a model are set; nothing is sent."""
        missing = [name for name in ("api_key", "model") if not getattr(self._config, name)]
        named = {"api_key": f"set {SETTINGS}_KEY", "model": f"set {SETTINGS}_MODEL"}
        return self._config.address().wrong() or (named[missing[0]] if missing else None)

    def read(self, picture: Picture) -> Answer:
        """Ask for the Markdown and the blocks of a page."""
        return answer_in(self._ask(picture), picture)

    def close(self) -> None:
        """End the connections."""
        self._endpoint.close()

    def _ask(self, picture: Picture) -> Json:
        """The server's answer; one that knows no blocks is asked again, and from then on, without them."""
        request = plain_request(self._config, picture)
        if self._plain.is_set():
            return self._endpoint.ask(PATH, request)
        try:
            wanted = {"include_blocks": True, "confidence_scores_granularity": "page"}
            return self._endpoint.ask(PATH, {**request, **wanted})
        except NotUnderstood:
            answer = self._endpoint.ask(PATH, request)
            self._plain.set()
            return answer


def plain_request(config: MistralConfig, picture: Picture) -> Json:
    """A request that every version of the protocol knows."""
    return {
        "model": config.model,
        "document": {"type": "image_url", "image_url": picture_url(picture)},
        "include_image_base64": False,
    }


def answer_in(answer: Json, picture: Picture) -> Answer:
    """The answer for the one page that was asked for."""
    pages = _list(answer.get("pages"))
    if not pages:
        raise Refusal(
            "the answer has no pages; check that the address leads to a server that speaks Mistral's OCR protocol"
        )
    page = pages[0]
    return judge_answer(_read(page, picture), _confidence(page))


def _confidence(page: Fields) -> float:
    score = _dict(page.get("confidence_scores")).get("average_page_confidence_score")
    return round(min(max(float(score), 0.0), 1.0), 3) if isinstance(score, int | float) else USUAL_CONFIDENCE


def _read(page: Fields, picture: Picture) -> Read:
    markdown = page.get("markdown")
    if not isinstance(markdown, str):
        raise Refusal("the answer's page has no Markdown")
    sheet = _Sheet.of(page, picture)
    whole = without_loop(markdown)
    if len(whole) < len(markdown):
        return Read(blocks_of(sheet.with_tables(whole), sheet.place), LOOP_SHARE)
    return Read(_blocks(page, markdown, sheet))


def _blocks(page: Fields, markdown: str, sheet: "_Sheet") -> list[Block]:
    """The blocks with boxes if there are any and they are complete, else those of the Markdown."""
    regions = [sheet.region(block) for block in _list(page.get("blocks"))]
    boxed = sum(solid_length(region.content) for region in regions)
    if regions and boxed >= LEAST_SHARE_IN_BLOCKS * solid_length(markdown):
        return [block for region in regions for block in region_blocks(region, sheet.place)]
    return blocks_of(sheet.with_tables(markdown), sheet.place)


@dataclass(frozen=True, slots=True)
class _Sheet:
    """What belongs to a page beside its words: its size in pixels, and its pictures and tables by their names."""

    picture: Picture
    wide: float
    high: float
    images: Mapping[str, Fields]
    tables: Mapping[str, str]

    @staticmethod
    def of(page: Fields, picture: Picture) -> "_Sheet":
        """The sheet of a page; a server that does not say its size has not changed it."""
        size = _dict(page.get("dimensions"))
        images = {str(image.get("id")): image for image in _list(page.get("images"))}
        tables = {str(table.get("id")): str(table.get("content", "")) for table in _list(page.get("tables"))}
        wide, high = _number(size.get("width")), _number(size.get("height"))
        return _Sheet(picture, wide or picture.pixels_wide, high or picture.pixels_high, images, tables)

    def place(self, name: str) -> Box | None:
        """The box of a picture by its name."""
        return self.box(self.images[name]) if name in self.images else None

    def box(self, block: Fields) -> Box | None:
        """The box of whatever has two corners."""
        names = ("top_left_x", "top_left_y", "bottom_right_x", "bottom_right_y")
        corners = [_number(block.get(name)) for name in names]
        known = [corner for corner in corners if corner is not None]
        if len(known) < len(names):
            return None
        left, top, right, bottom = known
        return box_between(
            left / self.wide, top / self.high, right / self.wide, bottom / self.high, self.picture
        )

    def region(self, block: Fields) -> Region:
        """A block of the answer."""
        content = self.tables.get(str(block.get("table_id"))) or str(block.get("content") or "")
        score = _number(_dict(block.get("confidence_scores")).get("average_content_confidence_score"))
        return Region(str(block.get("type")), content, self.box(block), score)

    def with_tables(self, markdown: str) -> str:
        """The Markdown with the tables in place of the links that stand for them."""
        for name, table in self.tables.items():
            markdown = markdown.replace(f"[{name}]({name})", f"\n\n{table}\n\n")
        return markdown


def _list(value: object) -> Sequence[Fields]:
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else ()


def _dict(value: object) -> Fields:
    return value if isinstance(value, dict) else {}


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and value >= 0 else None
