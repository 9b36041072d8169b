"""Signed links: an address with which anybody can fetch one artifact of one job for a while, without a key."""

import hashlib
import hmac
from dataclasses import dataclass
from urllib.parse import quote, urlencode

from pagemill.errors import LinkInvalid

PATH = "/v1/links"
METHOD = "GET"


@dataclass(frozen=True, slots=True)
class SignedLink:
    """What a link is for and until when; nothing else can be fetched with it."""

    tenant: str
    job_id: str
    name: str
    expires: str

    def text(self) -> str:
        """What is signed; parts with a line break are refused."""
        return f"{METHOD}\n{self.tenant}\n{self.job_id}\n{self.name}\n{self.expires}"


class LinkSigner:
    """Makes and checks the links of one installation."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def address(self, link: SignedLink) -> str:
        """The path and query of a link."""
        query = {"tenant": link.tenant, "expires": link.expires, "signature": self._sign(link)}
        return f"{PATH}/{link.job_id}/{quote(link.name)}?{urlencode(query)}"

    def check(self, link: SignedLink, signature: str, now: float) -> None:
        """LinkInvalid unless the link was made here and has not run out."""
        is_ours = hmac.compare_digest(signature.encode(errors="replace"), self._sign(link).encode())
        if not is_ours or "\n" in f"{link.tenant}{link.job_id}{link.name}" or float(link.expires) < now:
            raise LinkInvalid()

    def _sign(self, link: SignedLink) -> str:
        return hmac.new(self._secret, link.text().encode(errors="replace"), hashlib.sha256).hexdigest()
