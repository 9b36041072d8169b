"""What `pagemill doctor` finds out about the OpenID Connect provider: its settings, its discovery document, its keys."""

from collections.abc import Iterator
from contextlib import closing

from pagemill.adapters.oidc.configuration import oidc_config
from pagemill.adapters.oidc.provider import OidcProvider
from pagemill.entrypoints.access.sessions import OIDC_CALLBACK
from pagemill.entrypoints.cli.doctor.check import Check
from pagemill.errors import LoginProviderUnavailable, Refused
from pagemill.settings import Settings

NAME = "log-in provider"


def login_provider(settings: Settings) -> Iterator[Check]:
    """Whether people can log in with the provider of the settings; nothing without one."""
    try:
        config = oidc_config(settings)
    except Refused as refused:
        yield Check(NAME, "missing", refused.message, "`pagemill serve` refuses to start like this.")
        return
    if config is None:
        return
    with closing(OidcProvider(config)) as provider:
        try:
            keys = len(provider.keys().keys)
        except LoginProviderUnavailable as error:
            advice = (
                "Look at PAGEMILL_OIDC_ISSUER; log-ins fail until it answers, API keys work all the same."
            )
            yield Check(NAME, "missing", error.message, advice)
            return
    callback = f"{settings.public_url.rstrip('/') or f'http://127.0.0.1:{settings.port}'}{OIDC_CALLBACK}"
    found = f"{config.issuer} answers, with {keys} keys; {len(config.rules)} rules say who may log in"
    yield Check(NAME, "ok", found, f"Register {callback} there as the redirect URI.")
