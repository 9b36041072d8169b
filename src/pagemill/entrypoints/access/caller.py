"""The caller of a request: whose key or session it came with."""

from starlette.requests import HTTPConnection

from pagemill.entrypoints.access.keys import KeyCheck
from pagemill.errors import Forbidden
from pagemill.model.tenants import Holder

# Where the middleware notes who sent a request.
HOLDER = "pagemill.holder"


def holder_of(request: HTTPConnection) -> Holder:
    """Who sent a request."""
    holder: Holder = request.scope[HOLDER]
    return holder


def keys_of(request: HTTPConnection) -> KeyCheck:
    """What knows the keys of each tenant."""
    keys: KeyCheck = request.app.state.keys
    return keys


def tenant_of(request: HTTPConnection) -> str:
    """Whose jobs a request may see."""
    return holder_of(request).tenant


def require_operator(request: HTTPConnection) -> None:
    """Keep what concerns all tenants to the operator's key; Forbidden for any other."""
    if not holder_of(request).is_operator:
        raise Forbidden()
