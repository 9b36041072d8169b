"""The headers Content-Digest and Repr-Digest (RFC 9530)."""

import base64
import binascii
import re

from pagemill.errors import DigestMismatch

DIGEST = re.compile(r"(?:^|,)\s*sha-256\s*=\s*([^,]*)", re.IGNORECASE)
BASE64 = re.compile(r":([^:]*):\s*")


def declared_digest(header: str | None) -> bytes | None:
    """The SHA-256 in a Content-Digest header (RFC 9530); other algorithms are not looked at."""
    found = DIGEST.search(header or "")
    if found is None:
        return None
    given = BASE64.fullmatch(found[1])
    try:
        # Without the colons it is neither bytes nor base64.
        return base64.b64decode(given[1] if given else ":", validate=True)
    except binascii.Error as error:
        raise DigestMismatch(
            "The sha-256 value in Content-Digest is not base64 between two colons."
        ) from error


def sha256_field(sha256: str) -> str:
    """The value of Content-Digest or Repr-Digest for a SHA-256 in hexadecimal digits."""
    return f"sha-256=:{base64.b64encode(bytes.fromhex(sha256)).decode()}:"
