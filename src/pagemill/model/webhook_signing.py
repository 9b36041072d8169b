"""Signatures after Standard Webhooks 1.0: an HMAC over the id, the time and the body, one for each valid secret."""

import base64
import binascii
import hashlib
import hmac
import secrets
from collections.abc import Sequence

PREFIX = "whsec_"
SECRET_BYTES = 32
SHORTEST_BYTES, LONGEST_BYTES = 24, 64


def encode_secret(key: bytes) -> str:
    """A secret in the form in which receivers keep it."""
    return PREFIX + base64.b64encode(key).decode()


def new_secret() -> str:
    """A secret that no one knows yet."""
    return encode_secret(secrets.token_bytes(SECRET_BYTES))


def decode_secret(secret: str) -> bytes:
    """The key in a secret; raises ValueError if it is not `whsec_` and 24 to 64 bytes in base64."""
    try:
        key = base64.b64decode(secret.removeprefix(PREFIX), validate=True)
    except binascii.Error as error:
        raise ValueError("a secret is whsec_ and 24 to 64 bytes in base64") from error
    if not secret.startswith(PREFIX) or not SHORTEST_BYTES <= len(key) <= LONGEST_BYTES:
        raise ValueError("a secret is whsec_ and 24 to 64 bytes in base64")
    return key


def signature(secret: str, message_id: str, timestamp: int, body: bytes) -> str:
    """The signature of a message with one secret."""
    signed = f"{message_id}.{timestamp}.".encode() + body
    digest = hmac.digest(decode_secret(secret), signed, hashlib.sha256)
    return f"v1,{base64.b64encode(digest).decode()}"


def signed_headers(
    secrets_valid: Sequence[str], message_id: str, timestamp: int, body: bytes
) -> dict[str, str]:
    """The headers of a message: with two valid secrets there are two signatures, the newer first."""
    signatures = (signature(secret, message_id, timestamp, body) for secret in secrets_valid)
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": " ".join(signatures),
    }
