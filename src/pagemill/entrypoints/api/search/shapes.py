"""The shapes of search: what may be asked, and what is answered."""

from typing import Literal

from pydantic import BaseModel, Field

from pagemill.entrypoints.api.examples import EXAMPLE_ID
from pagemill.entrypoints.api.filter_parameters import QueryFilters
from pagemill.model.document_filters import FILTERS

MAX_QUERY = 1_000


class SearchWords(BaseModel):
    """What is searched for."""

    q: str = Field(
        min_length=1,
        max_length=MAX_QUERY,
        description='Words that must all be there; "a phrase" in quotes, the beginning of a word with `*`, '
        "what must not be there with `-`.",
    )
    mode: Literal["text", "vector", "hybrid"] = Field(
        "text",
        description="`text` finds words, `vector` what is nearest in meaning, `hybrid` the best of both by reciprocal rank "
        "fusion. The latter two need vectors (`PAGEMILL_EMBEDDINGS`).",
    )


class SearchParameters(QueryFilters, SearchWords):
    """What is searched for, and in which documents."""

    job_id: str | None = Field(None, max_length=36, description=FILTERS["job_id"].help)
    offset: int = Field(0, ge=0, le=1_000, description="How many hits to pass over.")
    limit: int = Field(20, ge=1, le=100, description="How many hits to answer with at most.")


class FoundBox(BaseModel):
    """Where something that was found is printed."""

    page: int
    block: str | None = Field(description="The id of the block in the JSON of the document.")
    box: list[float] | None = Field(
        description="`[x, y, width, height]` in points from the top left; null where none is known."
    )


class FoundChunk(BaseModel):
    """A chunk of a document that was found."""

    job_id: str = Field(examples=[EXAMPLE_ID])
    filename: str
    media_type: str
    created_at: str
    metadata: dict[str, str]
    chunk: str = Field(description="The id of the chunk in `chunks` of the job.", examples=["c3"])
    headings: list[str] = Field(description="The headings above it.")
    page: int = Field(description="The page of the first match.")
    boxes: list[FoundBox] = Field(description="Where the matches are printed.")
    snippet: str = Field(description="The part of the chunk that has most of the matches.")
    highlights: list[list[int]] = Field(description="First and last character of each match in the snippet.")
    score: float


class SearchResults(BaseModel):
    """What was found, best first."""

    total: int = Field(description="How many chunks match; no more than 1,000 are counted and ranked.")
    total_is_exact: bool = Field(description="Whether there are no more than `total`.")
    matched: str = Field(
        description="`all` if every hit that was found by words has all of them; `any` if none has, and they have some of "
        "the rarer words; `nearest` if hits were found by meaning alone.",
        examples=["all"],
    )
    hits: list[FoundChunk]


class UsedLabel(BaseModel):
    """A collection or a tag, and how many jobs have it."""

    name: str = Field(examples=["bills"])
    jobs: int = Field(examples=[12])


class UsedLabels(BaseModel):
    """The labels that jobs have, most used first; up to 1,000 of each."""

    collections: list[UsedLabel]
    tags: list[UsedLabel]
