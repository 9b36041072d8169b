"""The settings of log-ins with an OpenID Connect provider, checked."""

from dataclasses import dataclass, field
from ipaddress import ip_address
from urllib.parse import urlsplit

from pagemill.adapters.outbound.addresses import Network, allowed_networks
from pagemill.errors import Refused
from pagemill.model.login_rules import LoginRule, parse_rules
from pagemill.settings import Settings

OPENID = "openid"


@dataclass(frozen=True, slots=True)
class OidcConfig:
    """How to reach the provider, and who may log in."""

    issuer: str
    client_id: str
    client_secret: str = field(repr=False)
    scopes: str
    rules: tuple[LoginRule, ...]
    networks: tuple[Network, ...]


def oidc_config(settings: Settings) -> OidcConfig | None:
    """The provider of the settings, None if there is none; Refused says which setting is wrong."""
    if not settings.oidc_issuer:
        return None
    check_url(settings.oidc_issuer, "PAGEMILL_OIDC_ISSUER")
    check_presence(settings)
    secret = settings.oidc_client_secret
    return OidcConfig(
        issuer=settings.oidc_issuer.rstrip("/"),
        client_id=settings.oidc_client_id,
        client_secret=secret.get_secret_value() if secret else "",
        scopes=settings.oidc_scopes,
        rules=parse_rules(settings.oidc_access),
        networks=provider_networks(settings.oidc_allow),
    )


def check_presence(settings: Settings) -> None:
    """Refused if something is missing that log-ins need."""
    if not settings.oidc_client_id:
        raise Refused("PAGEMILL_OIDC_ISSUER needs PAGEMILL_OIDC_CLIENT_ID, the client id at the provider.")
    if not settings.oidc_access.strip():
        raise Refused(
            "PAGEMILL_OIDC_ISSUER needs PAGEMILL_OIDC_ACCESS, which says who may log in, "
            "such as groups=editors>acme:write; without rules no account may log in."
        )
    if OPENID not in settings.oidc_scopes.split():
        raise Refused("PAGEMILL_OIDC_SCOPES needs the scope openid.")
    if not settings.is_local and not settings.public_url:
        raise Refused(
            "PAGEMILL_OIDC_ISSUER needs PAGEMILL_PUBLIC_URL, the address that the provider sends browsers back to."
        )


def check_url(url: str, name: str) -> None:
    """Refused unless a URL is https, or http on this machine."""
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise Refused(f"{name} is not a URL: {error}.") from error
    if parts.scheme != "https" and not (parts.scheme == "http" and is_this_machine(parts.hostname or "")):
        raise Refused(f"{name} must begin with https://; http:// is for providers on this machine alone.")
    if not parts.hostname or parts.query or parts.fragment:
        raise Refused(f"{name} needs a host, and neither a query nor a fragment.")


def is_this_machine(host: str) -> bool:
    """Whether a host is this machine by its spelling."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def provider_networks(listed: str) -> tuple[Network, ...]:
    """The networks of PAGEMILL_OIDC_ALLOW; Refused if one is not in CIDR form."""
    try:
        return allowed_networks(listed)
    except Refused as error:
        raise Refused(error.message.replace("PAGEMILL_OUTBOUND_ALLOW", "PAGEMILL_OIDC_ALLOW")) from error
