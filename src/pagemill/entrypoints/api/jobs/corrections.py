"""Corrections over HTTP: made, and listed."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request
from starlette.responses import Response

from pagemill.desk import corrections
from pagemill.entrypoints.access.caller import holder_of
from pagemill.entrypoints.api import openapi
from pagemill.entrypoints.api.state import api_state
from pagemill.entrypoints.thread_pools import run_in_thread
from pagemill.entrypoints.wire.bodies import json_body
from pagemill.entrypoints.wire.negotiation import choose_media_type
from pagemill.entrypoints.wire.problems import invalid
from pagemill.entrypoints.wire.responses import json_response
from pagemill.errors import (
    ArtifactNotMade,
    ContentTooLarge,
    CorrectionInvalid,
    InvalidEncoding,
    InvalidJson,
    JobActive,
    JobNotFinished,
    RevisionConflict,
    TooManyCorrections,
    UnsupportedMediaType,
    ValidationFailed,
)
from pagemill.model.artifacts import BLOCK_NAME
from pagemill.model.corrections import MOST_CHANGES, MOST_CHARACTERS

router = APIRouter(prefix="/v1", generate_unique_id_function=openapi.operation_id)
SOME_CHANGE: list[Any] = [
    {"required": [name], "properties": {name: {"minItems": 1}}} for name in ("blocks", "facts")
]
VALUE_OR_REMOVAL: list[Any] = [
    {"required": ["value"], "properties": {"value": {"type": "string"}}},
    {"required": ["remove"], "properties": {"remove": {"const": True}}},
]
EXAMPLE: dict[str, Any] = {
    "revision": 1,
    "author": "Anna",
    "note": "read against the paper",
    "blocks": [
        {"block": "p1-b2", "text": "Invoice 4711", "kind": "heading", "level": 1},
        {"block": "p1-b5", "cells": [{"row": 1, "column": 2, "text": "1,250.00"}]},
        {"block": "p1-b7", "after": "p1-b3"},
    ],
    "facts": [{"page": 1, "type": "amount", "text": "1,250.00", "value": "1250.00"}],
}
BlockName = Annotated[str, Field(pattern=rf"^{BLOCK_NAME}$", description="The id of a block in the JSON.")]
TextKind = Literal[
    "heading",
    "paragraph",
    "list_item",
    "code",
    "caption",
    "footnote",
    "formula",
    "header",
    "footer",
]
# No count is larger: what PostgreSQL keeps as an integer.
MOST = 2**31 - 1


class CorrectedCell(BaseModel):
    """New text of a cell of a table."""

    model_config = ConfigDict(extra="forbid")

    row: int = Field(
        ge=0, le=MOST, description="Counted from 0; the header is the first row, if there is one."
    )
    column: int = Field(ge=0, le=MOST, description="Counted from 0.")
    text: str = Field(max_length=MOST_CHARACTERS)


class CorrectedBlock(BaseModel):
    """What is changed of a block; what is left out stays as it is."""

    model_config = ConfigDict(extra="forbid")

    block: BlockName
    text: str | None = Field(None, max_length=MOST_CHARACTERS, description="Its text; a table has `cells`.")
    kind: TextKind | None = Field(None, description="What it is.")
    level: int | None = Field(
        None, ge=0, le=6, description="The rank of a heading from 1, or the depth of a list item from 0."
    )
    cells: list[CorrectedCell] = Field([], max_length=10_000, description="New texts of cells of a table.")
    after: BlockName | None = Field(
        None,
        description="The block of the same page that it is to follow; null makes it the first of its page.",
    )
    remove: bool = Field(False, description="Take it out of the document.")


class CorrectedValue(BaseModel):
    """What a fact of the document is, or that it is none."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"anyOf": VALUE_OR_REMOVAL})

    page: int = Field(ge=1, le=MOST)
    type: str = Field(
        min_length=1,
        max_length=100,
        description="The type of an entity, such as `amount`, or the name or label of a pair of `facts`.",
    )
    text: str = Field(max_length=1_000, description="What is printed.")
    value: str | None = Field(None, max_length=1_000, description="The right value.")
    block: BlockName | None = Field(None, description="The block that it is in.")
    remove: bool = Field(False, description="It is no such fact.")


class CorrectRequest(BaseModel):
    """What is to be changed of a document, by somebody who has looked at a revision of it."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [EXAMPLE], "anyOf": SOME_CHANGE})

    revision: int = Field(
        ge=1, le=MOST, description="The revision that was looked at: the `revision` of the job."
    )
    author: str = Field("", max_length=200, description="Who corrected it, as they call themselves.")
    note: str = Field("", max_length=1_000)
    blocks: list[CorrectedBlock] = Field(
        [], max_length=MOST_CHANGES, description="Carried out in this order."
    )
    facts: list[CorrectedValue] = Field([], max_length=MOST_CHANGES)


class MadeCorrection(BaseModel):
    """What somebody changed, and when."""

    revision: int = Field(description="The revision that it made.")
    based_on: int = Field(description="The revision that was looked at.")
    created_at: str
    author: str
    key_id: str = Field(description="The key that it was sent with.")
    note: str
    blocks: list[dict[str, Any]]
    facts: list[dict[str, Any]]


class MadeCorrections(BaseModel):
    """The corrections that are in the present result, oldest first."""

    corrections: list[MadeCorrection]


@router.post(
    "/jobs/{job_id}/corrections",
    summary="Correct a document",
    response_model=None,
    responses={
        200: {
            "content": openapi.JOB_CONTENT,
            "description": "The job with the corrected result, its next revision.",
        },
        **openapi.problems(
            *openapi.OF_A_JOB,
            JobActive,
            JobNotFinished,
            RevisionConflict,
            TooManyCorrections,
            CorrectionInvalid,
            ArtifactNotMade,
            ValidationFailed,
            InvalidJson,
            InvalidEncoding,
            ContentTooLarge,
            UnsupportedMediaType,
        ),
    },
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {
                "application/json": {
                    "schema": {"$ref": "#/components/schemas/CorrectRequest"},
                    "examples": {"blocks and a fact": {"value": EXAMPLE}},
                }
            },
        }
    },
)
async def correct_job(request: Request, job_id: str) -> Response:
    """Change the text, the kind, the order and the cells of blocks, and the values of facts, of a job that has ended.

    All artifacts and the search index have it at once. The former result is kept as a revision and can be restored. A
    corrected result is never given to another job.
    """
    choose_media_type(request)
    state, holder = api_state(request), holder_of(request)
    mill = state.mill
    wanted = await json_body(request, CorrectRequest, mill.settings)
    if not wanted.blocks and not wanted.facts:
        raise invalid(("/blocks", "there is nothing to correct"))
    if faults := fact_faults(wanted.facts):
        raise invalid(*faults)
    correction = corrections.Correction(
        based_on=wanted.revision,
        blocks=[one.model_dump(exclude_unset=True) for one in wanted.blocks],
        facts=[one.model_dump(exclude_unset=True) for one in wanted.facts],
        author=wanted.author,
        key_id=holder.key_id,
        note=wanted.note,
    )
    return json_response(
        await state.making.run(corrections.correct, mill, holder.tenant, job_id, correction, mill.press)
    )


def fact_faults(facts: list[CorrectedValue]) -> list[tuple[str, str]]:
    """The facts that have neither a value nor the wish to remove them."""
    return [
        (f"/facts/{place}/value", "give the right value, or remove the fact with `remove`")
        for place, one in enumerate(facts)
        if one.value is None and not one.remove
    ]


@router.get(
    "/jobs/{job_id}/corrections",
    summary="List the corrections of a document",
    response_model=None,
    responses={
        200: {"model": MadeCorrections, "description": "What was corrected, oldest first."},
        **openapi.problems(*openapi.OF_A_JOB, JobNotFinished),
    },
)
async def list_corrections(request: Request, job_id: str) -> Response:
    """What people changed of the present result, with who, when and what."""
    choose_media_type(request)
    mill, tenant = api_state(request).mill, holder_of(request).tenant
    found = await run_in_thread(corrections.list_corrections, mill, tenant, job_id)
    return json_response({"corrections": found})
