"""Questions to documents: answered by the language model from passages that were found, with citations that are verified."""

from collections.abc import Generator, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from threading import Event

from typing_extensions import TypedDict

from pagemill.db import answer_passages
from pagemill.desk.extraction import stored_document
from pagemill.desk.on_demand import finished_job
from pagemill.desk.search import HitBox, box_of, find_passages
from pagemill.errors import ArtifactNotMade
from pagemill.language_model import count_use, open_chat, price_of, require_chat
from pagemill.mill import Mill
from pagemill.model.document_filters import DocumentFilter
from pagemill.model.extraction import ModelUse
from pagemill.model.formats import ARTIFACT_NAMES
from pagemill.model.passages import Place
from pagemill.model.search_queries import MAX_TERMS, parse_query
from pagemill.model.search_words import words_of
from pagemill.reading.extraction.grounding import bare_text, passages_of
from pagemill.reading.extraction.quoted_answers import (
    WINDOW_CHARACTERS,
    AnswerParser,
    VerifiedQuote,
    numbered_passages,
    stream_answer,
)

# As many passages are looked at, if a question is asked of more than one short document.
MOST_PASSAGES = 24
NOTHING_FOUND = "Nothing in these documents has the words of the question."
NOT_SUPPORTED = "The language model gave no answer that these documents support."


class Citation(TypedDict):
    """Words of a document that support an answer, and where they are printed."""

    number: int
    """What the answer refers to it by, in brackets."""
    job_id: str
    filename: str
    page: int
    quote: str
    boxes: list[HitBox]


class ModelCost(TypedDict):
    """What a language model was asked, and what that is charged."""

    calls: int
    prompt_tokens: int
    completion_tokens: int
    price: float


class AskAnswer(TypedDict):
    """The answer to a question, or why there is none."""

    answered: bool
    answer: str | None
    reason: str | None
    """Why there is no answer."""
    citations: list[Citation]
    unverified_quotes: list[str]
    """What the model quoted and the documents don't have."""
    unsupported_numbers: list[str]
    """Numbers of the answer that no citation has: look at them twice."""
    uncited_numbers: list[int]
    """Numbers in brackets of the answer that no citation has: the model named a passage and quoted nothing of it."""
    engine: str
    cost: ModelCost


@dataclass(frozen=True, slots=True)
class SourcePassage:
    """A passage that an answer may cite."""

    job_id: str
    filename: str
    text: str
    places: tuple[Place, ...]


def ask(
    mill: Mill, wanted: DocumentFilter, question: str, stopping: Event | None = None
) -> Generator[str | AskAnswer, None, None]:
    """The answer in pieces as it comes, and at last as a whole; nothing comes before something supports it.

    Once `stopping` is set, the model is asked for no more, and nothing more comes.
    """
    config = require_chat(mill.settings)
    sources = find_sources(mill, wanted, question)
    if not sources:
        yield refusal_of(NOTHING_FOUND, config.model)
        return
    reader = AnswerParser(numbered_passages(one.text for one in sources))
    use = ModelUse()
    with open_chat(config) as model:
        try:
            yield from stream_answer(model, question, reader, stopping)
        finally:
            use = model.use
            count_use(mill, wanted.tenant, use)
    if stopping is None or not stopping.is_set():
        yield answer_of(reader, sources, config.model, cost_view(mill, use))


def ask_whole(mill: Mill, wanted: DocumentFilter, question: str) -> AskAnswer:
    """The answer as a whole."""
    last = [piece for piece in ask(mill, wanted, question) if not isinstance(piece, str)][-1]
    return last


def find_sources(mill: Mill, wanted: DocumentFilter, question: str) -> list[SourcePassage]:
    """The passages that a question is answered from: a short document as a whole, otherwise what is found in the index."""
    if wanted.job_id is not None:
        whole = whole_document(mill, wanted.tenant, wanted.job_id)
        if sum(len(one.text) for one in whole) <= WINDOW_CHARACTERS:
            return whole
    # A question may have more words than a query.
    words = list(dict.fromkeys(words_of(question)))[:MAX_TERMS]
    if not words:
        return []
    hits = find_passages(mill, wanted, parse_query(" ".join(words)), offset=0, limit=MOST_PASSAGES)["hits"]
    keys = [(hit["job_id"], int(hit["chunk"][1:])) for hit in hits]
    found = mill.db.read(lambda conn: answer_passages.passages_of_jobs(conn, wanted.tenant, keys))
    names = {hit["job_id"]: hit["filename"] for hit in hits}
    return [SourcePassage(key[0], names[key[0]], *found[key]) for key in keys if key in found]


def whole_document(mill: Mill, tenant: str, job_id: str) -> list[SourcePassage]:
    """The passages of a document in order; a little more than one question holds, if it is long."""
    done = finished_job(mill, tenant, job_id)
    if ARTIFACT_NAMES["json"] not in done.result.artifacts:
        raise ArtifactNotMade("Answers are taken from the JSON, which the job was not asked for.")
    found: list[SourcePassage] = []
    size = 0
    with stored_document(mill, done) as document:
        for one in passages_of(document.pages()):
            place = Place(0, one.page, one.block, one.box)
            found.append(SourcePassage(job_id, done.document.filename, one.text, (place,)))
            size += len(one.text)
            if size > WINDOW_CHARACTERS:
                break
    return found


def refusal_of(reason: str, engine: str, cost: ModelCost | None = None) -> AskAnswer:
    """No answer, and why."""
    return {
        "answered": False,
        "answer": None,
        "reason": reason,
        "citations": [],
        "unverified_quotes": [],
        "unsupported_numbers": [],
        "uncited_numbers": [],
        "engine": engine,
        "cost": cost or {"calls": 0, "prompt_tokens": 0, "completion_tokens": 0, "price": 0.0},
    }


def answer_of(
    reader: AnswerParser, sources: Sequence[SourcePassage], engine: str, cost: ModelCost
) -> AskAnswer:
    """What was answered; a refusal if nothing supports it."""
    if not reader.is_supported or not reader.answer.strip():
        return {**refusal_of(NOT_SUPPORTED, engine, cost), "unverified_quotes": reader.unverified}
    return {
        "answered": True,
        "answer": reader.answer.strip(),
        "reason": None,
        "citations": [cite(one, sources[one.passage - 1]) for one in dict.fromkeys(reader.quotes)],
        "unverified_quotes": reader.unverified,
        "unsupported_numbers": reader.unsupported_numbers(),
        "uncited_numbers": reader.uncited_numbers(),
        "engine": engine,
        "cost": cost,
    }


def cite(quote: VerifiedQuote, source: SourcePassage) -> Citation:
    """A quote with where it is printed."""
    places = places_of(quote.quote, source)
    return {
        "number": quote.named,
        "job_id": source.job_id,
        "filename": source.filename,
        "page": places[0].page,
        "quote": quote.quote,
        "boxes": [box_of(place) for place in places],
    }


def places_of(quote: str, source: SourcePassage) -> Sequence[Place]:
    """The parts of a passage that have a quote; all of them if it runs over several."""
    bare = bare_text(quote)
    starts = [place.start for place in source.places]
    ends = [*(after for _, after in pairwise(starts)), len(source.text)]
    own = [
        place
        for place, end in zip(source.places, ends, strict=True)
        if bare in bare_text(source.text[place.start : end])
    ]
    return own or source.places


def cost_view(mill: Mill, use: ModelUse) -> ModelCost:
    """What a question cost."""
    return {**asdict(use), "price": price_of(mill, use)}  # type: ignore[typeddict-item]
