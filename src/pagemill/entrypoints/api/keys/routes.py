"""Keys: made, listed, looked at and revoked by administrators; and the audit log of what they did.

A key with the scope `admin` administers the keys of its tenant, the operator's key those of all.
"""

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import Response

from pagemill.db import audit
from pagemill.desk import tenant_keys
from pagemill.entrypoints.access.caller import holder_of, keys_of
from pagemill.entrypoints.api import openapi
from pagemill.entrypoints.api.keys import shapes
from pagemill.entrypoints.api.state import api_state
from pagemill.entrypoints.thread_pools import run_in_thread
from pagemill.entrypoints.wire.bodies import json_body
from pagemill.entrypoints.wire.negotiation import choose_media_type
from pagemill.entrypoints.wire.responses import json_response
from pagemill.errors import (
    Forbidden,
    InvalidEncoding,
    InvalidJson,
    KeysNotNeeded,
    NotFound,
    UnsupportedMediaType,
    ValidationFailed,
)
from pagemill.model.tenants import Holder

router = APIRouter(prefix="/v1", generate_unique_id_function=openapi.operation_id)
NO_STORE = {"cache-control": "no-store"}
BODY = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {
                "schema": {"$ref": "#/components/schemas/KeyRequest"},
                "examples": {"reader": {"value": {"name": "dashboard", "scopes": ["read"]}}},
            }
        },
    }
}


def visible_tenant(holder: Holder) -> str | None:
    """The tenant whose keys the caller may list; None for all."""
    return None if holder.is_operator else holder.tenant


def actor_of(holder: Holder) -> str:
    """The caller as the audit log names them."""
    return f"key {holder.key_id}"


@router.post(
    "/keys",
    summary="Make a key",
    status_code=201,
    response_model=None,
    responses={
        201: {"model": shapes.KeyMade, "description": "The key, shown this once."},
        **openapi.problems(
            InvalidJson,
            InvalidEncoding,
            UnsupportedMediaType,
            ValidationFailed,
            Forbidden,
            KeysNotNeeded,
        ),
    },
    openapi_extra=BODY,
)
async def add_key(request: Request) -> Response:
    """Make a key for your tenant, or as the operator for any; a tenant's first key makes the tenant."""
    choose_media_type(request)
    mill, holder = api_state(request).mill, holder_of(request)
    body = await json_body(request, shapes.KeyRequest, mill.settings)
    if not await keys_of(request).are_needed():
        raise KeysNotNeeded()
    tenant = body.tenant or holder.tenant
    if tenant != holder.tenant and not holder.is_operator:
        raise Forbidden("Keys of another tenant are made by the operator alone. Leave `tenant` out.")
    made = await run_in_thread(
        tenant_keys.add,
        mill.db,
        tenant,
        body.name,
        scopes=body.scopes,
        expires_in_seconds=body.expires_in,
        actor=actor_of(holder),
    )
    keys_of(request).forget()
    view = shapes.key_view(made.row) | {"key": made.key}
    return json_response(view, 201, {"location": f"/v1/keys/{made.row.id}", **NO_STORE})


@router.get(
    "/keys",
    summary="List keys",
    response_model=None,
    responses={
        200: {"model": shapes.KeyList, "description": "The keys."},
        **openapi.problems(),
    },
)
async def list_keys(request: Request) -> Response:
    """The keys of your tenant, or as the operator of all, revoked ones too, without what they are."""
    choose_media_type(request)
    db, tenant = api_state(request).mill.db, visible_tenant(holder_of(request))
    found = await run_in_thread(tenant_keys.list_keys, db, tenant)
    return json_response({"keys": [shapes.key_view(key) for key in found]}, headers=NO_STORE)


@router.get(
    "/keys/{key_id}",
    summary="Look at a key",
    response_model=None,
    responses={
        200: {"model": shapes.KeyShown, "description": "The key, without what it is."},
        **openapi.problems(NotFound),
    },
)
async def show_key(request: Request, key_id: str) -> Response:
    """A key: what it is for, until when, and when it was last used."""
    choose_media_type(request)
    db, tenant = api_state(request).mill.db, visible_tenant(holder_of(request))
    found = await run_in_thread(tenant_keys.find_key, db, tenant, key_id)
    return json_response(shapes.key_view(found), headers=NO_STORE)


@router.delete(
    "/keys/{key_id}",
    summary="Revoke a key",
    status_code=204,
    response_model=None,
    responses={
        204: {"description": "The key is worth nothing."},
        **openapi.problems(NotFound),
    },
)
async def revoke_key(request: Request, key_id: str) -> Response:
    """Make a key worthless at once; its event streams, long polls, uploads and sessions end. Twice is fine."""
    db, holder = api_state(request).mill.db, holder_of(request)
    await run_in_thread(tenant_keys.revoke_id, db, visible_tenant(holder), key_id, actor_of(holder))
    keys_of(request).forget()
    return Response(status_code=204)


@router.get(
    "/audit",
    summary="Read the audit log",
    response_model=None,
    responses={
        200: {"model": shapes.AuditLogPage, "description": "Some lines of the log."},
        **openapi.problems(ValidationFailed),
    },
)
async def read_audit_log(
    request: Request,
    before: Annotated[int | None, Query(ge=0, le=2**53, description="Only lines below this id.")] = None,
    limit: Annotated[int, Query(ge=1, le=1_000, description="How many to list at most.")] = 100,
) -> Response:
    """Who made and revoked keys, paused lanes, drained workers and the like, newest first."""
    choose_media_type(request)
    db, tenant = api_state(request).mill.db, visible_tenant(holder_of(request))
    lines = await run_in_thread(db.read, lambda conn: audit.newest(conn, tenant, before, limit))
    next_before = lines[-1].id if len(lines) == limit else None
    view = {"lines": [shapes.audit_view(line) for line in lines], "next_before": next_before}
    return json_response(view, headers=NO_STORE)
