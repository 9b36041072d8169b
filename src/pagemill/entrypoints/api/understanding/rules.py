"""Routing rules over HTTP: listed, made, changed, removed, and tried on a job."""

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from pagemill.desk import queries, rules
from pagemill.entrypoints.access.caller import tenant_of
from pagemill.entrypoints.api import openapi
from pagemill.entrypoints.api.artifacts.answers import MAKING_ERRORS
from pagemill.entrypoints.api.database_calls import run_query
from pagemill.entrypoints.api.state import api_state
from pagemill.entrypoints.api.understanding.documentation import BODY_ERRORS
from pagemill.entrypoints.api.understanding.rule_shapes import (
    RULE_EXAMPLE,
    RuleList,
    RuleMade,
    RuleRequest,
    RuleShown,
    TrialRequest,
    wanted_rule,
)
from pagemill.entrypoints.api.webhooks.routes import ADDRESS, body_of
from pagemill.entrypoints.thread_pools import run_in_thread
from pagemill.entrypoints.wire.bodies import json_body
from pagemill.entrypoints.wire.negotiation import choose_media_type
from pagemill.entrypoints.wire.responses import json_response
from pagemill.errors import (
    ArtifactNotMade,
    JobFailed,
    JobNotFinished,
    NotFound,
    PushNotAllowed,
    TooManyRules,
    UrlInvalid,
)

router = APIRouter(prefix="/v1", generate_unique_id_function=openapi.operation_id)
RULE_ERRORS = (*BODY_ERRORS, *ADDRESS, PushNotAllowed, UrlInvalid)


@router.get(
    "/rules",
    summary="List routing rules",
    response_model=None,
    responses={200: {"model": RuleList, "description": "The rules in order."}, **openapi.problems()},
)
async def list_rules(request: Request) -> Response:
    """The routing rules of the tenant, in the order in which they are tried."""
    choose_media_type(request)
    return json_response(
        {"rules": await run_in_thread(rules.list_rules, api_state(request).mill, tenant_of(request))}
    )


@router.post(
    "/rules",
    summary="Make a routing rule",
    status_code=201,
    response_model=None,
    responses={
        201: {"model": RuleMade, "description": "The rule."},
        **openapi.problems(*RULE_ERRORS, TooManyRules),
    },
    openapi_extra=body_of("RuleRequest", RULE_EXAMPLE),
)
async def add_rule(request: Request) -> Response:
    """Make a rule for documents that are handed in from now on; other processes follow within two seconds.

    Rules are tried in order, and every rule that matches acts, until one that says `stop`. A rule that asks for nothing but
    what comes with the document is decided when it is accepted; one that asks for a class or for entities when the
    document was read, in the transaction that publishes it. For such rules every document is enriched with `class` or
    `entities`, and is not answered from an earlier result.
    """
    choose_media_type(request)
    mill = api_state(request).mill
    wanted = wanted_rule(await json_body(request, RuleRequest, mill.settings))
    made = await run_in_thread(rules.add_rule, mill, tenant_of(request), wanted)
    return json_response(made, 201, {"location": f"/v1/rules/{made['id']}"})


@router.get(
    "/rules/{rule_id}",
    summary="Get a routing rule",
    response_model=None,
    responses={200: {"model": RuleShown, "description": "The rule."}, **openapi.problems(NotFound)},
)
async def show_rule(request: Request, rule_id: str) -> Response:
    """One rule."""
    choose_media_type(request)
    mill = api_state(request).mill
    return json_response(await run_in_thread(rules.show_rule, mill, tenant_of(request), rule_id))


@router.put(
    "/rules/{rule_id}",
    summary="Change a routing rule",
    response_model=None,
    responses={
        200: {"model": RuleMade, "description": "The rule as it is now."},
        **openapi.problems(NotFound, *RULE_ERRORS),
    },
    openapi_extra=body_of("RuleRequest", RULE_EXAMPLE),
)
async def change_rule(request: Request, rule_id: str) -> Response:
    """Replace a rule; without a position it stays where it is."""
    choose_media_type(request)
    mill = api_state(request).mill
    wanted = wanted_rule(await json_body(request, RuleRequest, mill.settings))
    return json_response(await run_in_thread(rules.change_rule, mill, tenant_of(request), rule_id, wanted))


@router.delete(
    "/rules/{rule_id}",
    summary="Delete a routing rule",
    status_code=204,
    response_model=None,
    responses={204: {"description": "It is deleted."}, **openapi.problems(NotFound)},
)
async def delete_rule(request: Request, rule_id: str) -> Response:
    """Delete a rule; what it did stays as it is."""
    choose_media_type(request)
    await run_in_thread(rules.remove_rule, api_state(request).mill, tenant_of(request), rule_id)
    return Response(status_code=204)


@router.post(
    "/jobs/{job_id}/rules",
    summary="Try routing rules on a job",
    response_model=None,
    responses={
        200: {"model": rules.RuleTrials, "description": "What each rule would do, or why it does not match."},
        **openapi.problems(
            *openapi.OF_A_JOB, JobNotFinished, JobFailed, ArtifactNotMade, *BODY_ERRORS, *MAKING_ERRORS
        ),
    },
    openapi_extra=body_of("TrialRequest", {"rules": [RULE_EXAMPLE]}, required=False),
)
async def try_rules(request: Request, job_id: str) -> Response:
    """A dry run: what the rules of the tenant, or those in the body, would do with a finished job. Nothing is changed."""
    choose_media_type(request)
    state, tenant = api_state(request), tenant_of(request)
    body = await json_body(request, TrialRequest, state.mill.settings)
    await run_query(queries.show_job, state.mill, tenant, job_id)
    drafts = [wanted_rule(one, f"/rules/{place}") for place, one in enumerate(body.rules)]
    found = await state.making.run(rules.try_rules, state.mill, tenant, job_id, drafts, state.mill.press)
    return json_response(found)
