"""The options of a submission as JSON: read by the same code as form fields, so that both mean the same."""

from typing import Annotated, Any

import orjson
from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema

from pagemill.entrypoints.api import option_docs
from pagemill.entrypoints.api.examples import EXAMPLE_URL
from pagemill.entrypoints.api.run_models import ExtractRequest

Names = str | list[str]
# Looked at with the other fields, as the text that it is in a form.
Order = Annotated[dict[str, Any], WithJsonSchema(ExtractRequest.model_json_schema())]


def limits_of(name: str) -> Any:
    """What the form field of that name may hold, for the document: its text is looked at with the others."""
    known = option_docs.OPTIONS[name]
    return Field(
        json_schema_extra={word: known[word] for word in ("enum", "minimum", "maximum") if word in known}
    )


class RequestedOptions(BaseModel):
    """What may be asked of a job; what is left out has the default of a form field of that name."""

    model_config = ConfigDict(extra="forbid")

    pages: str | None = Field(None, description="Pages to read, such as `1-3,7`; all if left out.")
    formats: Names | None = Field(
        None, description="What to make; Markdown, JSON, text and HTML if left out."
    )
    providers: Names | None = Field(None, description="Engines to read with, tried in this order.")
    keep_running_headers: bool | None = Field(None, description="Keep running headers and footers.")
    ocr: Annotated[str, limits_of("ocr")] | None = Field(
        None, description="OCR, recognising text in images: `auto`, `force` or `off`."
    )
    mode: Annotated[str, limits_of("mode")] | None = Field(
        None, description="`fast`, or `accurate` but slower."
    )
    languages: Names | None = Field(None, description="Languages of scanned pages as ISO 639 codes.")
    tracked_changes: Annotated[str, limits_of("tracked_changes")] | None = Field(
        None, description="What is read of tracked changes."
    )
    typography: Annotated[str, limits_of("typography")] | None = Field(
        None, description="`printed`, or `ascii` for quotes and dashes in ASCII."
    )
    embedded_files: Annotated[str, limits_of("embedded_files")] | None = Field(
        None, description="`list`, or `process` as documents of their own."
    )
    render: bool | None = Field(None, description="Also render an office file to pages by LibreOffice.")
    enrich: Names | None = Field(None, description="What is added to the result: names of enrichers.")
    extract: Order | None = Field(None, description="Values to extract, by a JSON `schema`.")
    split: Annotated[str, limits_of("split")] | None = Field(
        None, description="`off`, `suggest` or `auto`: documents in a stack of scans."
    )
    metadata: dict[str, str] | None = Field(None, description="Your own labels.")
    tags: Names | None = Field(None, description="Tags of the document, for lists and search.")
    collection: str | None = Field(None, description="The collection that the document belongs to.")
    priority: Annotated[int, limits_of("priority")] | None = Field(
        None, description="Higher is read earlier."
    )
    password: str | None = Field(None, description="The password of an encrypted document.", repr=False)
    expires_in: Annotated[float, limits_of("expires_in")] | None = Field(
        None, description="Seconds until everything is removed."
    )
    reuse: bool | None = Field(None, description="Answer from an equal result if there is one.")
    filename: str | None = Field(None, description="The name of the document, for display.")
    push_to: str | None = Field(None, description="A bucket or folder that the result is pushed to.")
    webhook_url: str | None = Field(
        None,
        description="An address that is notified of this job; with the options for all of a batch, of the batch.",
    )
    webhook_events: Names | None = Field(None, description="The events that it is notified of.")
    webhook_secret: str | None = Field(None, description="What signs the messages to it.", repr=False)

    def fields(self) -> list[tuple[str, str]]:
        """The options as form fields."""
        options = self.model_dump(include=set(RequestedOptions.model_fields), exclude_none=True)
        return [(name, field_text(value)) for name, value in options.items()]


class JsonSubmission(RequestedOptions):
    """A document by its URL, with its options."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {"url": EXAMPLE_URL, "headers": {"Authorization": "Bearer 2f6c1e0a"}, "pages": "1-3"}
            ]
        },
    )

    url: str = Field(description="Where the document is fetched from, by https:// or http://.", repr=False)
    headers: dict[str, str] = Field(
        default_factory=dict,
        description="Headers for that server, such as `Authorization`. They are kept encrypted until the document is here.",
        repr=False,
    )


def field_text(value: object) -> str:
    """A JSON value as a form has it."""
    match value:
        case bool():
            return str(value).lower()
        case float():
            return f"{value:f}".rstrip("0").rstrip(".")
        case list():
            return ",".join(value)
        case dict():
            return orjson.dumps(value).decode()
    return str(value)
