"""Builds log-in redirects to an OpenID Connect provider, and exchanges codes for tokens."""

import base64
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import quote, urlencode

import orjson
from joserfc.jwk import KeySet

from pagemill.adapters.oidc import discovery
from pagemill.adapters.oidc.configuration import OidcConfig
from pagemill.adapters.oidc.discovery import CHALLENGE_METHOD, ProviderDescription
from pagemill.adapters.oidc.id_tokens import (
    ExpectedToken,
    UnknownSignature,
    check_claims,
    invalid_token,
    verify_signature,
)
from pagemill.adapters.outbound.client import Call, Outbound
from pagemill.adapters.outbound.posting import Reply
from pagemill.errors import LoginFailed, LoginProviderUnavailable, PagemillError
from pagemill.model.login_rules import Claims

KEEP_SECONDS = 3_600.0
# A token with an unknown key has the keys fetched again, but no more often than this.
KEYS_PAUSE_SECONDS = 10.0
TIMEOUT_SECONDS = 10.0
LARGEST_ANSWER_BYTES = 500_000
OK, BAD_REQUEST, UNAUTHORIZED = 200, 400, 401
# How a provider says that it does not know this installation.
CLIENT_ERRORS = frozenset({"invalid_client", "unauthorized_client"})


@dataclass(frozen=True, slots=True)
class AuthorizationRequest:
    """What a browser takes to the provider."""

    redirect_uri: str
    state: str
    nonce: str
    challenge: str


@dataclass(frozen=True, slots=True)
class AuthorizationCode:
    """What a browser brings back, and what belongs to it here."""

    code: str
    redirect_uri: str
    nonce: str
    verifier: str
    # The issuer that the answer names (RFC 9207).
    issuer: str | None = None


class OidcProvider:
    """Talks to one provider; remembers what it publishes. Its methods block, and may be called from many threads."""

    def __init__(
        self,
        config: OidcConfig,
        outbound: Outbound | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.config = config
        self._outbound = outbound or Outbound(config.networks)
        self._clock = clock
        self._lock = threading.Lock()
        self._description: tuple[ProviderDescription, float] | None = None
        self._keys: tuple[KeySet, float] | None = None

    def description(self) -> ProviderDescription:
        """The provider's discovery document, at most an hour old."""
        with self._lock:
            if self._description is None or self._description[1] + KEEP_SECONDS < self._clock():
                found = discovery.fetch_description(self._outbound, self.config.issuer)
                self._description = found, self._clock()
            return self._description[0]

    def keys(self, max_age_seconds: float = KEEP_SECONDS) -> KeySet:
        """The provider's keys, at most so old."""
        url = self.description().jwks_uri
        with self._lock:
            if self._keys is None or self._keys[1] + max_age_seconds < self._clock():
                self._keys = discovery.fetch_keys(self._outbound, url), self._clock()
            return self._keys[0]

    def authorization_url(self, request: AuthorizationRequest) -> str:
        """Where a browser is sent to log in."""
        query = {
            "response_type": "code",
            "client_id": self.config.client_id,
            "redirect_uri": request.redirect_uri,
            "scope": self.config.scopes,
            "state": request.state,
            "nonce": request.nonce,
            "code_challenge": request.challenge,
            "code_challenge_method": CHALLENGE_METHOD,
        }
        return with_query(self.description().authorization_endpoint, query)

    def log_out_url(self, return_to: str) -> str | None:
        """Where a browser ends its session with the provider itself; None if the provider has no such address."""
        end = self.description().end_session_endpoint
        if end is None:
            return None
        query = {"client_id": self.config.client_id, "post_logout_redirect_uri": return_to}
        return with_query(end, query)

    def redeem(self, code: AuthorizationCode) -> Claims:
        """The verified claims of the account behind a code; LoginFailed if it is worth nothing."""
        check_issuer(self.description(), code.issuer)
        token = self._id_token(code)
        claims = self._verify(token)
        expected = ExpectedToken(
            issuer=self.description().issuer,
            client_id=self.config.client_id,
            nonce=code.nonce,
            now=self._clock(),
        )
        check_claims(claims, expected)
        return claims

    def close(self) -> None:
        """End all connections to the provider."""
        self._outbound.close()

    def _verify(self, token: str) -> Claims:
        """The claims of a token, by the keys that are known, or else by those that the provider has now."""
        try:
            return verify_signature(token, self.keys())
        except UnknownSignature:
            try:
                return verify_signature(token, self.keys(KEYS_PAUSE_SECONDS))
            except UnknownSignature as error:
                raise invalid_token("none of the provider's keys fits its signature") from error

    def _id_token(self, code: AuthorizationCode) -> str:
        description = self.description()
        form = {
            "grant_type": "authorization_code",
            "code": code.code,
            "redirect_uri": code.redirect_uri,
            "code_verifier": code.verifier,
        }
        headers = {"Accept": "application/json", "Content-Type": "application/x-www-form-urlencoded"}
        proof_form, proof_headers = self._client_proof(description)
        call = Call(
            url=description.token_endpoint,
            headers=headers | proof_headers,
            body=urlencode(form | proof_form).encode(),
            timeout_seconds=TIMEOUT_SECONDS,
            largest_answer_bytes=LARGEST_ANSWER_BYTES,
        )
        try:
            return token_in(self._outbound.post(call))
        except (LoginFailed, LoginProviderUnavailable):
            raise
        except PagemillError as error:
            raise discovery.unreachable(error) from error

    def _client_proof(self, description: ProviderDescription) -> tuple[dict[str, str], dict[str, str]]:
        """The form fields and headers by which the provider knows this installation."""
        own = self.config
        if not own.client_secret:
            return {"client_id": own.client_id}, {}
        methods = description.token_endpoint_auth_methods_supported
        if "client_secret_basic" not in methods and "client_secret_post" in methods:
            return {"client_id": own.client_id, "client_secret": own.client_secret}, {}
        pair = f"{quote(own.client_id, safe='')}:{quote(own.client_secret, safe='')}"
        return {}, {"Authorization": f"Basic {base64.b64encode(pair.encode()).decode()}"}


def check_issuer(description: ProviderDescription, issuer: str | None) -> None:
    """LoginFailed if the answer to a log-in names another provider, or none though this one always names itself."""
    if issuer is None and description.authorization_response_iss_parameter_supported:
        raise LoginFailed("The answer does not say which provider it is from. Start the log-in again.")
    if issuer is not None and issuer != description.issuer:
        raise LoginFailed("Another provider than that of this installation answered. Start the log-in again.")


def token_in(reply: Reply) -> str:
    """The ID token in an answer of the token endpoint; LoginFailed says why there is none."""
    try:
        answer = orjson.loads(reply.body)
    except orjson.JSONDecodeError as error:
        raise discovery.unusable(f"its token endpoint answered {reply.status} without JSON") from error
    members = answer if isinstance(answer, dict) else {}
    token = members.get("id_token")
    if reply.status == OK and isinstance(token, str):
        return token
    if reply.status not in (OK, BAD_REQUEST, UNAUTHORIZED):
        raise discovery.unusable(f"its token endpoint answered {reply.status}")
    if members.get("error") in CLIENT_ERRORS:
        raise LoginFailed(
            "The log-in provider does not know this installation. Its operator must check "
            "PAGEMILL_OIDC_CLIENT_ID and PAGEMILL_OIDC_CLIENT_SECRET."
        )
    raise LoginFailed()


def with_query(url: str, query: dict[str, str]) -> str:
    """A URL with parameters added."""
    return f"{url}{'&' if '?' in url else '?'}{urlencode(query)}"
