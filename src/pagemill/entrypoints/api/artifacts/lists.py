"""What there is of a document: the list of artifacts, and its tables and figures one by one."""

from dataclasses import asdict

from fastapi import APIRouter
from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response

from pagemill.desk import on_demand
from pagemill.entrypoints.api import models, openapi
from pagemill.entrypoints.api.artifacts.answers import MAKING_ERRORS, made_or_status, send_found
from pagemill.entrypoints.api.artifacts.documents import Revision, on_demand_responses
from pagemill.entrypoints.api.password_header import DRAWING, PASSWORD_HEADER, password_of
from pagemill.entrypoints.wire.negotiation import choose_media_type
from pagemill.entrypoints.wire.responses import json_response
from pagemill.errors import ArtifactNotMade, JobFailed
from pagemill.mill import Mill
from pagemill.model.artifacts import CSV, JPEG, PNG, MadeFile
from pagemill.model.formats import BY_NAME
from pagemill.press import Press

router = APIRouter(prefix="/v1", generate_unique_id_function=openapi.operation_id)


def list_responses(model: type[BaseModel]) -> openapi.Responses:
    """The responses of a route that lists what there is."""
    return {
        200: {"model": model, "description": "What there is."},
        **openapi.UNFINISHED,
        **openapi.problems(*openapi.OF_A_JOB, JobFailed, ArtifactNotMade, *MAKING_ERRORS),
    }


@router.get(
    "/jobs/{job_id}/artifacts",
    summary="List the artifacts of a job",
    response_model=None,
    responses=list_responses(models.Artifacts),
)
async def list_artifacts(request: Request, job_id: str) -> Response:
    """Everything that can be had of a finished job; `size_bytes` is null for what has not been requested yet."""
    choose_media_type(request)
    found = await made_or_status(request, job_id, existing_artifacts)
    if isinstance(found, Response):
        return found
    base = f"/v1/jobs/{job_id}"
    return json_response(
        {"artifacts": [asdict(one) | {"link": f"{base}/{BY_NAME[one.name].route}"} for one in found]}
    )


@router.get(
    "/jobs/{job_id}/tables",
    summary="List the tables of the document",
    response_model=None,
    responses=list_responses(models.Tables),
)
async def list_tables(request: Request, job_id: str) -> Response:
    """The tables in the order of the document, with the addresses of their CSV files."""
    choose_media_type(request)
    found = await made_or_status(request, job_id, on_demand.list_files, "tables")
    if isinstance(found, Response):
        return found
    return json_response({"tables": [table_view(job_id, file) for file in found]})


@router.get(
    "/jobs/{job_id}/tables/{name}",
    summary="Get one table as CSV",
    response_model=None,
    responses=on_demand_responses("text/csv"),
)
async def get_table(request: Request, job_id: str, name: str) -> Response:
    """One table, called as in the list, such as `p3-b4.csv`; a cell that a spreadsheet could run starts with an apostrophe."""
    choose_media_type(request, (CSV.partition(";")[0],))
    return send_found(request, await made_or_status(request, job_id, on_demand.table, name))


@router.get(
    "/jobs/{job_id}/images",
    summary="List the figures of the document",
    response_model=None,
    responses=list_responses(models.Images),
)
async def list_images(request: Request, job_id: str) -> Response:
    """The figures in the order of the document, with the addresses of their images."""
    choose_media_type(request)
    found = await made_or_status(request, job_id, on_demand.list_files, "images")
    if isinstance(found, Response):
        return found
    return json_response({"images": [image_view(job_id, file) for file in found]})


@router.get(
    "/jobs/{job_id}/images/{name}",
    summary="Get the image of a figure",
    response_model=None,
    responses=on_demand_responses(PNG, *DRAWING),
    openapi_extra=PASSWORD_HEADER,
)
async def get_image(request: Request, job_id: str, name: str, revision: Revision = None) -> Response:
    """One figure, called as in the list, such as `p3-b2.png`, cut out of its page at 200 dots per inch.

    With `.jpg` in place of `.png` it is a JPEG.
    """
    del revision
    choose_media_type(request, (JPEG if name.endswith(".jpg") else PNG,))
    found = await made_or_status(request, job_id, on_demand.image, name, password=password_of(request))
    return send_found(request, found)


def existing_artifacts(
    mill: Mill, tenant: str, job_id: str, *, press: Press | None
) -> list[on_demand.ArtifactState]:
    """The artifacts of a job, for which nothing need be made."""
    del press
    return on_demand.list_artifacts(mill, tenant, job_id)


def table_view(job_id: str, file: MadeFile) -> dict[str, object]:
    """A table as it is listed."""
    return {
        "name": file.name,
        "page": file.page,
        "caption": file.caption,
        "rows": file.rows,
        "columns": file.columns,
        "size_bytes": file.size_bytes,
        "link": f"/v1/jobs/{job_id}/tables/{file.name}",
    }


def image_view(job_id: str, file: MadeFile) -> dict[str, object]:
    """A figure as it is listed."""
    return {
        "name": file.name,
        "page": file.page,
        "caption": file.caption,
        "box": file.box,
        "link": f"/v1/jobs/{job_id}/images/{file.name}",
    }
