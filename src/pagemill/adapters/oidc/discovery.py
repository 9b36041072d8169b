"""What a provider publishes about itself: its discovery document and the keys that it signs with."""

from collections.abc import Mapping

import orjson
from joserfc.errors import JoseError
from joserfc.jwk import KeySet
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pagemill.adapters.oidc.configuration import check_url
from pagemill.adapters.outbound.client import FetchLimits, Outbound
from pagemill.errors import LoginProviderUnavailable, OutageError, PagemillError, Refused, RequestError

WELL_KNOWN = "/.well-known/openid-configuration"
LIMITS = FetchLimits(size_bytes=500_000, timeout_seconds=10.0, redirects=0)
CHALLENGE_METHOD = "S256"


class ProviderDescription(BaseModel):
    """The members of a discovery document that log-ins need."""

    model_config = ConfigDict(frozen=True)

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    end_session_endpoint: str | None = None
    token_endpoint_auth_methods_supported: list[str] = Field(default=["client_secret_basic"])
    code_challenge_methods_supported: list[str] | None = None
    authorization_response_iss_parameter_supported: bool = False


def fetch_description(outbound: Outbound, issuer: str) -> ProviderDescription:
    """The discovery document of an issuer; LoginProviderUnavailable says what is wrong with it."""
    try:
        found = ProviderDescription.model_validate(fetch_json(outbound, issuer + WELL_KNOWN))
    except ValidationError as error:
        fields = ", ".join(str(fault["loc"][0]) for fault in error.errors() if fault["loc"])
        raise unusable(f"its discovery document lacks a proper {fields or 'content'}") from error
    if found.issuer.rstrip("/") != issuer:
        raise unusable(f"it calls itself {found.issuer}, and PAGEMILL_OIDC_ISSUER is {issuer}")
    methods = found.code_challenge_methods_supported
    if methods is not None and CHALLENGE_METHOD not in methods:
        raise unusable("it does not support PKCE with S256")
    check_endpoints(found)
    return found


def check_endpoints(found: ProviderDescription) -> None:
    """LoginProviderUnavailable unless all endpoints may be talked to without being overheard."""
    for name in ("authorization_endpoint", "token_endpoint", "jwks_uri", "end_session_endpoint"):
        url: str | None = getattr(found, name)
        if url is None:
            continue
        try:
            check_url(url.partition("?")[0], name)
        except Refused as error:
            raise unusable(error.message) from error


def fetch_keys(outbound: Outbound, url: str) -> KeySet:
    """The keys that a provider signs with; those of kinds that are unknown here are left out."""
    found = fetch_json(outbound, url)
    listed = found.get("keys") if isinstance(found, Mapping) else None
    keys = [key for key in listed if is_usable(key)] if isinstance(listed, list) else []
    if not keys:
        raise unusable("it publishes no keys that ID tokens could be checked with")
    return KeySet.import_key_set({"keys": keys})


def is_usable(key: object) -> bool:
    """Whether a key is one for signatures, public, and of a kind that is known here."""
    if not isinstance(key, dict) or key.get("use", "sig") != "sig" or key.get("kty") == "oct":
        return False
    try:
        KeySet.import_key_set({"keys": [key]})
    except (JoseError, ValueError, KeyError, TypeError):
        return False
    return True


def fetch_json(outbound: Outbound, url: str) -> object:
    """A JSON document of the provider; LoginProviderUnavailable if it can't be had."""
    body = bytearray()
    try:
        outbound.fetch(url, {"Accept": "application/json"}, LIMITS, body.extend)
        return orjson.loads(body)
    except (RequestError, OutageError) as error:
        raise unreachable(error) from error
    except orjson.JSONDecodeError as error:
        raise unusable("its answer is not JSON") from error
    except PagemillError as error:
        raise unreachable(error) from error


def unreachable(error: PagemillError) -> LoginProviderUnavailable:
    """The error for a provider that can't be asked."""
    if error.code == "url_forbidden_address":
        return unusable("its address is in a private network that PAGEMILL_OIDC_ALLOW does not name")
    return unusable(error.message)


def unusable(reason: str) -> LoginProviderUnavailable:
    """The error for a provider that answers in a way that is of no use."""
    return LoginProviderUnavailable(f"The log-in provider can't be used: {reason.rstrip('.')}.")
