"""Webhook endpoints: registered, changed, rotated, tried out and removed; their deliveries: listed and replayed."""

from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import Response

from pagemill.desk import webhooks
from pagemill.entrypoints.access.caller import tenant_of
from pagemill.entrypoints.api import openapi
from pagemill.entrypoints.api.state import api_state
from pagemill.entrypoints.api.webhooks import shapes
from pagemill.entrypoints.thread_pools import run_in_thread
from pagemill.entrypoints.wire.bodies import json_body
from pagemill.entrypoints.wire.negotiation import choose_media_type
from pagemill.entrypoints.wire.problems import invalid
from pagemill.entrypoints.wire.responses import json_response
from pagemill.errors import (
    DeliveryActive,
    InvalidCursor,
    InvalidJson,
    NotFound,
    UnsupportedMediaType,
    UrlForbiddenAddress,
    ValidationFailed,
    WebhookLimit,
    WebhookUrlInvalid,
)
from pagemill.model.webhooks import WantedEndpoint
from pagemill.rule_actions import tenant_secret

router = APIRouter(prefix="/v1", generate_unique_id_function=openapi.operation_id)
BODY = (InvalidJson, UnsupportedMediaType, ValidationFailed)
ADDRESS = (WebhookUrlInvalid, UrlForbiddenAddress)
State = Literal["pending", "sending", "delivered", "failed", "cancelled"]


def body_of(model: str, example: dict[str, Any], *, required: bool = True) -> dict[str, Any]:
    """The documentation of a JSON body."""
    schema = {"$ref": f"#/components/schemas/{model}"}
    content = {"application/json": {"schema": schema, "examples": {"usual": {"value": example}}}}
    return {"requestBody": {"required": required, "content": content}}


@router.post(
    "/webhooks",
    summary="Register a webhook",
    status_code=201,
    response_model=None,
    responses={
        201: {"model": shapes.EndpointMade, "description": "The endpoint and its secret."},
        **openapi.problems(*BODY, *ADDRESS, WebhookLimit),
    },
    openapi_extra=body_of(
        "EndpointRequest", {"url": "https://app.example/hook", "events": ["job.completed"]}
    ),
)
async def add_webhook(request: Request) -> Response:
    """Have events sent to an address, signed after Standard Webhooks; the secret is shown this once."""
    choose_media_type(request)
    mill = api_state(request).mill
    body = await json_body(request, shapes.EndpointRequest, mill.settings)
    wanted = WantedEndpoint(**body.model_dump())
    made = await run_in_thread(webhooks.add_endpoint, mill, tenant_of(request), wanted)
    return json_response(made, 201, {"location": f"/v1/webhooks/{made['id']}"})


@router.get(
    "/webhooks",
    summary="List webhooks",
    response_model=None,
    responses={
        200: {"model": shapes.EndpointList, "description": "The endpoints."},
        **openapi.problems(),
    },
)
async def list_webhooks(request: Request) -> Response:
    """The registered endpoints, oldest first, without their secrets."""
    choose_media_type(request)
    found = await run_in_thread(webhooks.list_endpoints, api_state(request).mill, tenant_of(request))
    return json_response({"webhooks": found})


@router.get(
    "/webhooks/job-secret",
    summary="See the secret for addresses of jobs",
    response_model=None,
    responses={200: {"model": shapes.JobSecret, "description": "The secret."}, **openapi.problems()},
)
async def show_job_secret(request: Request) -> Response:
    """The secret that signs what is sent to the `webhook_url` of a job that brought no `webhook_secret`."""
    choose_media_type(request)
    mill, tenant = api_state(request).mill, tenant_of(request)
    return json_response({"secret": tenant_secret(mill, tenant)}, headers={"cache-control": "no-store"})


@router.get(
    "/webhooks/{endpoint_id}",
    summary="Look at a webhook",
    response_model=None,
    responses={
        200: {"model": shapes.EndpointShown, "description": "The endpoint."},
        **openapi.problems(NotFound),
    },
)
async def show_webhook(request: Request, endpoint_id: str) -> Response:
    """An endpoint, and how many of its deliveries are in which state."""
    choose_media_type(request)
    mill = api_state(request).mill
    return json_response(await run_in_thread(webhooks.show_endpoint, mill, tenant_of(request), endpoint_id))


@router.patch(
    "/webhooks/{endpoint_id}",
    summary="Change a webhook",
    response_model=None,
    responses={
        200: {"model": shapes.EndpointShown, "description": "The endpoint as it is now."},
        **openapi.problems(*BODY, *ADDRESS, NotFound),
    },
    openapi_extra=body_of("EndpointChange", {"enabled": True}, required=False),
)
async def change_webhook(request: Request, endpoint_id: str) -> Response:
    """Change the address or the events of an endpoint, or enable it again after it was disabled."""
    choose_media_type(request)
    mill = api_state(request).mill
    body = await json_body(request, shapes.EndpointChange, mill.settings)
    changes = {
        name: value for name, value in body.model_dump(exclude_unset=True).items() if keeps(name, value)
    }
    tenant = tenant_of(request)
    return json_response(await run_in_thread(webhooks.change_endpoint, mill, tenant, endpoint_id, changes))


def keeps(name: str, value: object) -> bool:
    """Whether a field says something: null does only where an endpoint can be without it."""
    return value is not None or name == "progress_pages"


@router.delete(
    "/webhooks/{endpoint_id}",
    summary="Delete a webhook",
    status_code=204,
    response_model=None,
    responses={204: {"description": "The endpoint is gone."}, **openapi.problems(NotFound)},
)
async def delete_webhook(request: Request, endpoint_id: str) -> Response:
    """Remove an endpoint; deliveries that still wait for it are cancelled."""
    await run_in_thread(webhooks.remove_endpoint, api_state(request).mill, tenant_of(request), endpoint_id)
    return Response(status_code=204)


@router.post(
    "/webhooks/{endpoint_id}/rotate",
    summary="Rotate the secret of a webhook",
    response_model=None,
    responses={
        200: {"model": shapes.EndpointMade, "description": "The endpoint and its new secret."},
        **openapi.problems(*BODY, NotFound),
    },
    openapi_extra=body_of("RotateRequest", {"overlap_seconds": 86_400}, required=False),
)
async def rotate_webhook(request: Request, endpoint_id: str) -> Response:
    """Make a new secret; until the overlap is over, messages carry a signature of each.

    Rotating once more within that time drops the oldest secret at once.
    """
    choose_media_type(request)
    mill = api_state(request).mill
    body = await json_body(request, shapes.RotateRequest, mill.settings)
    tenant = tenant_of(request)
    return json_response(
        await run_in_thread(webhooks.rotate_secret, mill, tenant, endpoint_id, body.overlap_seconds)
    )


@router.post(
    "/webhooks/{endpoint_id}/test",
    summary="Try a webhook out",
    status_code=202,
    response_model=None,
    responses={
        202: {"model": shapes.DeliveryShown, "description": "The delivery of the test message."},
        **openapi.problems(NotFound),
    },
)
async def try_webhook(request: Request, endpoint_id: str) -> Response:
    """Send a `webhook.test` message; look at the delivery to see how it was answered."""
    choose_media_type(request)
    sent = await run_in_thread(webhooks.send_test, api_state(request).mill, tenant_of(request), endpoint_id)
    return json_response(sent, 202, {"location": f"/v1/deliveries/{sent['id']}"})


@router.post(
    "/webhooks/{endpoint_id}/replay",
    summary="Replay what failed for a webhook",
    status_code=202,
    response_model=None,
    responses={
        202: {"model": shapes.Replayed, "description": "How many are sent once more."},
        **openapi.problems(*BODY, NotFound),
    },
    openapi_extra=body_of("ReplayRequest", {"since": "2026-11-15T00:00:00Z"}),
)
async def replay_failed(request: Request, endpoint_id: str) -> Response:
    """Send every delivery that failed since a time once more, each under its own id."""
    choose_media_type(request)
    mill = api_state(request).mill
    body = await json_body(request, shapes.ReplayRequest, mill.settings)
    since, tenant = seconds_of(body.since), tenant_of(request)
    count = await run_in_thread(webhooks.replay_failed, mill, tenant, endpoint_id, since)
    return json_response({"replayed": count}, 202)


def seconds_of(text: str) -> float:
    """A time in the form of RFC 3339; one without a zone is in UTC."""
    try:
        at = datetime.fromisoformat(text)
    except ValueError as error:
        raise invalid(("/since", "a time is written as in 2026-11-15T09:30:00Z")) from error
    return at.replace(tzinfo=at.tzinfo or UTC).timestamp()


@router.get(
    "/deliveries",
    summary="List webhook deliveries",
    response_model=None,
    responses={
        200: {"model": shapes.DeliveryPage, "description": "Some deliveries."},
        **openapi.problems(ValidationFailed, InvalidCursor),
    },
)
async def list_deliveries(
    request: Request,
    webhook: Annotated[str | None, Query(max_length=36, description="Only those of this endpoint.")] = None,
    job: Annotated[str | None, Query(max_length=36, description="Only those about this job.")] = None,
    state: Annotated[State | None, Query(description="Only those in this state.")] = None,
    cursor: Annotated[
        str | None, Query(max_length=36, description="`next_cursor` of the list before.")
    ] = None,
    limit: Annotated[int, Query(ge=1, le=200, description="How many to list at most.")] = 50,
) -> Response:
    """What was sent or is to be sent to webhooks, newest first."""
    choose_media_type(request)
    wanted = webhooks.DeliveryFilter(webhook, job, state)
    found = await run_in_thread(
        webhooks.list_deliveries,
        api_state(request).mill,
        tenant_of(request),
        wanted,
        before=cursor,
        limit=limit,
    )
    return json_response(
        {"deliveries": found, "next_cursor": found[-1]["id"] if len(found) == limit else None}
    )


@router.get(
    "/deliveries/{delivery_id}",
    summary="Look at a webhook delivery",
    response_model=None,
    responses={
        200: {"model": shapes.DeliveryShown, "description": "The delivery."},
        **openapi.problems(NotFound),
    },
)
async def show_delivery(request: Request, delivery_id: str) -> Response:
    """A delivery with its payload, and every attempt with the status and a short answer."""
    choose_media_type(request)
    mill = api_state(request).mill
    return json_response(await run_in_thread(webhooks.show_delivery, mill, tenant_of(request), delivery_id))


@router.post(
    "/deliveries/{delivery_id}/replay",
    summary="Replay a webhook delivery",
    status_code=202,
    response_model=None,
    responses={
        202: {"model": shapes.DeliveryShown, "description": "The delivery is sent once more."},
        **openapi.problems(NotFound, DeliveryActive),
    },
)
async def replay_delivery(request: Request, delivery_id: str) -> Response:
    """Send a delivery that has ended once more, under the same `webhook-id`; one that waits for its next attempt is sent now."""
    choose_media_type(request)
    mill = api_state(request).mill
    return json_response(await run_in_thread(webhooks.replay, mill, tenant_of(request), delivery_id), 202)
