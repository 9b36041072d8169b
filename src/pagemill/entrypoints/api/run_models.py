"""The shapes of requests that read a job again, and of the revisions that come of it."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema

from pagemill.model.enriching import MOST_ENRICHERS
from pagemill.model.jobs import StoredFailedPage
from pagemill.model.options import StoredOptions

# What can be said of it in a schema; `record_schemas` looks at the rest.
RecordSchema = Annotated[
    dict[str, Any],
    WithJsonSchema(
        {
            "type": "object",
            "required": ["type", "properties"],
            "properties": {"type": {"const": "object"}, "properties": {"type": "object"}},
        }
    ),
]


SOME_CHOICE: list[Any] = [
    {"required": [name], "properties": {name: {"not": {"type": "null"}}}}
    for name in ("provider", "ocr", "mode", "languages", "render")
]


class ReadAgainOptions(BaseModel):
    """How to read again; what is left out stays as it was."""

    model_config = ConfigDict(extra="forbid")

    ocr: Literal["auto", "force", "off"] | None = Field(
        None, description="Recognise text in pictures where a page needs it, on every page, or never."
    )
    mode: Literal["fast", "accurate"] | None = Field(None, description="Fast, or accurate but slower.")
    languages: list[str] | None = Field(
        None, max_length=8, description="Languages of scanned pages as ISO 639 codes; none to find them out."
    )
    render: bool | None = Field(None, description="Also render an office file to pages by LibreOffice.")


class RetryRequest(ReadAgainOptions):
    """What to read again, and how."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"only": "failed"}]})

    only: Literal["all", "failed"] = Field("all", description="All pages, or only those that failed.")
    password: str | None = Field(
        None, max_length=1_024, description="The document's password; it is not kept after a run."
    )


class PageReadRequest(ReadAgainOptions):
    """How one page is to be read again."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"anyOf": SOME_CHOICE})

    provider: str | None = Field(
        None,
        description="The provider that reads it: one that `/health` names as available; those of the job if left out.",
        max_length=100,
    )
    password: str | None = Field(
        None, description="The password of an encrypted document, which is not kept.", max_length=1_024
    )


class EnrichAgainRequest(BaseModel):
    """What is to be added to a result."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"enrich": ["entities"]}]})

    enrich: list[str] = Field(
        min_length=1,
        max_length=MOST_ENRICHERS,
        description="Names of enrichers: chunks, entities, facts, and those that are installed.",
    )
    password: str | None = Field(
        None,
        max_length=1_024,
        description="The document's password, if one of them needs it; it is not kept.",
    )


class ExtractRequest(BaseModel):
    """What is wanted of a document."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)

    record_schema: RecordSchema = Field(
        alias="schema", description="The JSON Schema of an object, with its properties; without `$ref`."
    )
    instructions: str = Field(
        "", max_length=4_000, description="Further instructions for the language model."
    )


class ExtractedField(BaseModel):
    """One value and where it comes from."""

    pointer: str = Field(description="Its JSON Pointer within `record`.", examples=["/total"])
    value: str | int | float | bool
    quote: str | None = Field(description="The words that it is taken from.")
    grounded: bool = Field(description="Whether the document has these words and they say the value.")
    page: int | None
    block: str | None
    box: list[float] | None = Field(description="`[x, y, width, height]` in points from the top left.")


class ExtractionCost(BaseModel):
    """What the language model was asked."""

    calls: int
    prompt_tokens: int
    completion_tokens: int
    price: float = Field(description="By `llm` in `PAGEMILL_PROVIDER_CALL_PRICES`.")


class Extracted(BaseModel):
    """The values that a schema asked of a document."""

    engine: str = Field(description="The model that answered, or `rules`.")
    record: dict[str, Any] = Field(
        description="The values in the shape of the schema; what was not found is left out."
    )
    values: list[ExtractedField]
    valid: bool = Field(description="Whether the record keeps to the schema.")
    errors: list[str] = Field(description="Where it does not.")
    not_supported: list[str] = Field(description="Fields that rules can't fill, and why.")
    cost: ExtractionCost


class Revision(BaseModel):
    """A result that a job has or had."""

    revision: int
    current: bool = Field(description="Whether it is the result of the job now.")
    run: int = Field(description="The run that made it.")
    created_at: str
    options: StoredOptions = Field(description="What it was read with.")
    pages: int
    failed_pages: list[StoredFailedPage]


class Revisions(BaseModel):
    """The results that a job has and had, newest first."""

    revisions: list[Revision]
