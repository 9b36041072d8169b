"""ID tokens: verified against the keys of the provider, and against the log-in that they were asked for."""

import hmac
from collections.abc import Mapping
from dataclasses import dataclass

from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

from pagemill.errors import LoginFailed
from pagemill.model.login_rules import MOST_SUBJECT_CHARACTERS, Claims

# Signatures with a key pair alone: a client secret would let anybody who knows it sign, and `none` everybody.
ALGORITHMS = [
    "RS256",
    "RS384",
    "RS512",
    "PS256",
    "PS384",
    "PS512",
    "ES256",
    "ES384",
    "ES512",
    "Ed25519",
    "EdDSA",
]
LEEWAY_SECONDS = 60
MOST_TOKEN_CHARACTERS = 64_000


@dataclass(frozen=True, slots=True)
class ExpectedToken:
    """What an ID token must say."""

    issuer: str
    client_id: str
    nonce: str
    now: float


class UnknownSignature(Exception):
    """No key fits the signature of a token; the provider may have new keys."""


def verify_signature(token: str, keys: KeySet) -> Claims:
    """The claims of a token; raises UnknownSignature if no key fits, LoginFailed if it is no signed token at all."""
    if len(token) > MOST_TOKEN_CHARACTERS:
        raise invalid_token("it is too long")
    try:
        claims = jwt.decode(token, keys, algorithms=ALGORITHMS).claims
    except (JoseError, ValueError, TypeError, KeyError) as error:
        raise UnknownSignature(type(error).__name__) from error
    return claims


def check_claims(claims: Claims, expected: ExpectedToken) -> None:
    """LoginFailed unless the claims are those of a token that was made for this log-in, and just now."""
    if claims.get("iss") != expected.issuer:
        raise invalid_token("its issuer is another")
    check_audience(claims, expected.client_id)
    expires_at = number_in(claims, "exp")
    if expires_at is None or expires_at + LEEWAY_SECONDS < expected.now:
        raise invalid_token("it has expired; check the clocks of both machines")
    begins_at = max(number_in(claims, "nbf") or 0.0, number_in(claims, "iat") or 0.0)
    if begins_at - LEEWAY_SECONDS > expected.now:
        raise invalid_token("it is from the future; check the clocks of both machines")
    nonce = claims.get("nonce")
    if not isinstance(nonce, str) or not hmac.compare_digest(nonce.encode(), expected.nonce.encode()):
        raise invalid_token("it was made for another log-in")
    subject = claims.get("sub")
    if not isinstance(subject, str) or not 0 < len(subject) <= MOST_SUBJECT_CHARACTERS:
        raise invalid_token("it does not say who logs in")


def check_audience(claims: Claims, client_id: str) -> None:
    """LoginFailed unless a token was made for this installation."""
    named = claims.get("aud")
    audience = named if isinstance(named, list) else [named]
    party = claims.get("azp")
    is_ours = client_id in audience and (party is None or party == client_id)
    if not is_ours or (len(audience) > 1 and party is None):
        raise invalid_token("it was made for another application")


def number_in(claims: Mapping[str, object], name: str) -> float | None:
    """A time among the claims; None if it is missing or no number."""
    found = claims.get(name)
    return float(found) if isinstance(found, int | float) and not isinstance(found, bool) else None


def invalid_token(reason: str) -> LoginFailed:
    """The error for a token that does not count."""
    return LoginFailed(f"The provider's ID token is not accepted: {reason}. Start the log-in again.")
