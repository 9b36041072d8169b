"""Classes over HTTP: which documents are labelled as examples of which class."""

from typing import Annotated, Any

from fastapi import APIRouter, Path
from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request
from starlette.responses import Response

from pagemill.desk import classes
from pagemill.entrypoints.access.caller import tenant_of
from pagemill.entrypoints.api import openapi
from pagemill.entrypoints.api.examples import EXAMPLE_ID
from pagemill.entrypoints.api.state import api_state
from pagemill.entrypoints.api.understanding.documentation import BODY_ERRORS
from pagemill.entrypoints.api.webhooks.routes import body_of
from pagemill.entrypoints.thread_pools import run_in_thread
from pagemill.entrypoints.wire.bodies import json_body
from pagemill.entrypoints.wire.negotiation import choose_media_type
from pagemill.entrypoints.wire.problems import invalid
from pagemill.entrypoints.wire.responses import json_response
from pagemill.errors import ArtifactNotMade, JobFailed, JobNotFinished, NotFound, TooManyExamples
from pagemill.model.document_types import UNKNOWN
from pagemill.model.labelled_classes import CLASS_NAME, CLASS_NAME_RULE, MOST_EXAMPLES_OF_CLASS

router = APIRouter(prefix="/v1", generate_unique_id_function=openapi.operation_id)
ClassName = Annotated[
    str, Path(json_schema_extra={"pattern": f"^{CLASS_NAME.pattern}$", "not": {"const": UNKNOWN}})
]
EXAMPLE: dict[str, Any] = {"job_ids": [EXAMPLE_ID]}
LABELLING = {
    200: {"model": classes.ClassView, "description": "The class with its examples."},
    **openapi.problems(NotFound, JobNotFinished, JobFailed, ArtifactNotMade, TooManyExamples, *BODY_ERRORS),
}


class ExamplesRequest(BaseModel):
    """Jobs that are examples of a class."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [EXAMPLE]})

    job_ids: list[str] = Field(
        min_length=1, max_length=MOST_EXAMPLES_OF_CLASS, description="Finished jobs of yours."
    )


class ClassCount(BaseModel):
    """A class and how many examples it has."""

    name: str = Field(examples=["purchase-order"])
    examples: int


class ClassList(BaseModel):
    """The classes of a tenant."""

    classes: list[ClassCount]


def class_name(text: str) -> str:
    """A name that a class can have; ValidationFailed if it can't."""
    if not CLASS_NAME.fullmatch(text) or text == UNKNOWN:
        raise invalid(("/class_name", CLASS_NAME_RULE))
    return text


@router.get(
    "/classes",
    summary="List the classes with labelled examples",
    response_model=None,
    responses={200: {"model": ClassList, "description": "The classes."}, **openapi.problems()},
)
async def list_classes(request: Request) -> Response:
    """The classes that documents were labelled with, each with the number of its examples."""
    choose_media_type(request)
    found = await run_in_thread(classes.count_examples, api_state(request).mill, tenant_of(request))
    return json_response({"classes": [{"name": name, "examples": count} for name, count in found.items()]})


@router.get(
    "/classes/{class_name}/examples",
    summary="List the examples of a class",
    response_model=None,
    responses={
        200: {"model": classes.ClassView, "description": "The class with its examples."},
        **openapi.problems(NotFound),
    },
)
async def show_examples(request: Request, class_name: ClassName) -> Response:
    """The jobs that are examples of a class."""
    choose_media_type(request)
    mill = api_state(request).mill
    return json_response(await run_in_thread(classes.show_class, mill, tenant_of(request), class_name))


@router.put(
    "/classes/{class_name}/examples",
    summary="Label the examples of a class",
    response_model=None,
    responses=LABELLING,
    openapi_extra=body_of("ExamplesRequest", EXAMPLE),
)
async def put_examples(request: Request, class_name: ClassName) -> Response:
    """Make these jobs the examples of a class, instead of those that it has.

    Documents that are enriched with `class` from now on are compared with them. A job is an example of one class at most;
    one that is deleted is none any more.
    """
    return json_response(await label(request, class_name, only=True))


@router.post(
    "/classes/{class_name}/examples",
    summary="Add examples to a class",
    response_model=None,
    responses=LABELLING,
    openapi_extra=body_of("ExamplesRequest", EXAMPLE),
)
async def add_examples(request: Request, class_name: ClassName) -> Response:
    """Make these jobs examples of a class, beside those that it has."""
    return json_response(await label(request, class_name, only=False))


async def label(request: Request, name: str, *, only: bool) -> classes.ClassView:
    """Label the jobs in a body."""
    choose_media_type(request)
    state = api_state(request)
    wanted = await json_body(request, ExamplesRequest, state.mill.settings)
    # Every document is read from its result, and there may be dozens.
    return await state.making.run(
        classes.add_examples, state.mill, tenant_of(request), class_name(name), wanted.job_ids, only=only
    )


@router.delete(
    "/classes/{class_name}",
    summary="Delete a class",
    status_code=204,
    response_model=None,
    responses={204: {"description": "It is deleted."}, **openapi.problems(NotFound)},
)
async def delete_class(request: Request, class_name: ClassName) -> Response:
    """Delete a class with its examples; jobs keep the class that they were given."""
    choose_media_type(request)
    mill = api_state(request).mill
    await run_in_thread(classes.remove_class, mill, tenant_of(request), class_name)
    return Response(status_code=204)


@router.delete(
    "/classes/{class_name}/examples/{job_id}",
    summary="Remove an example from a class",
    status_code=204,
    response_model=None,
    responses={204: {"description": "It is removed."}, **openapi.problems(NotFound)},
)
async def delete_example(request: Request, class_name: ClassName, job_id: str) -> Response:
    """Let a job be no example of a class any more; the job stays."""
    choose_media_type(request)
    mill = api_state(request).mill
    await run_in_thread(classes.remove_example, mill, tenant_of(request), class_name, job_id)
    return Response(status_code=204)
