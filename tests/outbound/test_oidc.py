"""Log-ins with an OpenID Connect provider: its settings, its rules, and a provider that can't be trusted or reached."""

import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from joserfc import jwt
from joserfc.jwk import OctKey

from pagemill.adapters.oidc.configuration import oidc_config
from pagemill.adapters.oidc.provider import AuthorizationCode, OidcProvider
from pagemill.entrypoints.access.login_state import LoginStates, own_path
from pagemill.entrypoints.cli.doctor.login_provider import login_provider
from pagemill.errors import LoginFailed, LoginNotAllowed, LoginProviderUnavailable, Refused
from pagemill.model.login_rules import Claims, grant_login, parse_rules
from pagemill.model.tenants import Scope
from pagemill.settings import Settings
from tests.login_providers import CLIENT_ID, LOCAL_NETWORKS, ScriptedProvider, new_key, scripted_provider
from tests.mills import small_settings

CODE = AuthorizationCode(code="c", redirect_uri="http://localhost/back", nonce="n", verifier="v")
RULES = "groups=admins>acme:admin, groups=cn=editors,dc=acme>acme:write,email=*@acme.example>acme:read"


@pytest.fixture
def scripted() -> Iterator[ScriptedProvider]:
    """A provider that answers whatever a test wants, at first what is right."""
    with scripted_provider() as provider:
        now = int(time.time())
        provider.claims = {
            "iss": provider.issuer,
            "aud": CLIENT_ID,
            "sub": "anna",
            "nonce": "n",
            "iat": now,
            "exp": now + 300,
        }
        yield provider


def settings_for(issuer: str, **changes: object) -> Settings:
    """Settings with a provider."""
    own = {"oidc_issuer": issuer, "oidc_client_id": CLIENT_ID, "oidc_access": "sub=*>acme:read"}
    return small_settings(Path("unused"), **own | {"oidc_allow": LOCAL_NETWORKS} | changes)


def client_of(issuer: str, **changes: object) -> OidcProvider:
    """What asks a provider."""
    config = oidc_config(settings_for(issuer, **changes))
    assert config is not None
    return OidcProvider(config)


def redeem(provider: ScriptedProvider) -> Claims:
    """The claims behind a code."""
    with closing(client_of(provider.issuer)) as client:
        return client.redeem(CODE)


def test_a_token_that_is_right_in_every_way_is_taken(scripted: ScriptedProvider) -> None:
    assert redeem(scripted)["sub"] == "anna"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"iss": "https://other.example"}, "issuer"),
        ({"aud": "another"}, "another application"),
        ({"aud": [CLIENT_ID, "another"]}, "another application"),
        ({"azp": "another"}, "another application"),
        ({"exp": 1_000}, "expired"),
        ({"exp": None}, "expired"),
        ({"iat": 99_999_999_999}, "future"),
        ({"nonce": "m"}, "another log-in"),
        ({"nonce": None}, "another log-in"),
        ({"sub": ""}, "who logs in"),
    ],
)
def test_a_token_for_somebody_or_something_else_is_refused(
    scripted: ScriptedProvider, change: dict[str, Any], reason: str
) -> None:
    scripted.claims |= change
    with pytest.raises(LoginFailed, match=reason):
        redeem(scripted)


def test_a_token_that_the_provider_did_not_sign_is_refused(scripted: ScriptedProvider) -> None:
    scripted.published = [scripted.key]
    scripted.key = new_key("one")
    with pytest.raises(LoginFailed, match="signature"):
        redeem(scripted)


def test_a_token_without_a_signature_or_with_a_shared_secret_is_refused(scripted: ScriptedProvider) -> None:
    secret = OctKey.import_key("x" * 32)
    by_secret = jwt.encode({"alg": "HS256", "kid": "one"}, scripted.claims, secret)
    head, body, _ = scripted.signed().split(".")
    unsigned = f"eyJhbGciOiJub25lIn0.{body}."
    for token in (by_secret, unsigned, f"{head}.{body}.", "", "x", "a.b.c"):
        scripted.token = token or "."
        with pytest.raises(LoginFailed):
            redeem(scripted)


def test_new_keys_of_the_provider_are_found_but_not_looked_for_all_the_time(
    scripted: ScriptedProvider,
) -> None:
    times = [time.time()]
    config = oidc_config(settings_for(scripted.issuer))
    assert config is not None
    with closing(OidcProvider(config, clock=lambda: times[0])) as client:
        client.redeem(CODE)
        scripted.key = new_key("two")
        with pytest.raises(LoginFailed, match="signature"):
            client.redeem(CODE)
        assert scripted.asked.count("/jwks") == 1
        times[0] += 11
        assert client.redeem(CODE)["sub"] == "anna"
        assert scripted.asked.count("/jwks") == 2
        assert scripted.asked.count("/.well-known/openid-configuration") == 1


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"issuer": "https://other.example"}, "calls itself"),
        ({"token_endpoint": 3}, "token_endpoint"),
        ({"token_endpoint": "http://other.example/token"}, "https"),
        ({"jwks_uri": "file:///etc/passwd"}, "https"),
        ({"end_session_endpoint": "javascript:alert(1)"}, "end_session_endpoint"),
        ({"code_challenge_methods_supported": ["plain"]}, "PKCE"),
    ],
)
def test_a_discovery_document_that_can_not_be_trusted_is_not_used(
    scripted: ScriptedProvider, change: dict[str, Any], reason: str
) -> None:
    scripted.description = change
    with pytest.raises(LoginProviderUnavailable, match=reason):
        redeem(scripted)


def test_an_answer_names_its_provider_where_the_provider_always_does(scripted: ScriptedProvider) -> None:
    with closing(client_of(scripted.issuer)) as client:
        assert client.redeem(replace(CODE, issuer=scripted.issuer))["sub"] == "anna"
        with pytest.raises(LoginFailed, match="Another provider"):
            client.redeem(replace(CODE, issuer="https://other.example"))
    scripted.description = {"authorization_response_iss_parameter_supported": True}
    with closing(client_of(scripted.issuer)) as client:
        assert client.redeem(replace(CODE, issuer=scripted.issuer))["sub"] == "anna"
        with pytest.raises(LoginFailed, match="which provider"):
            client.redeem(CODE)


@pytest.mark.parametrize(
    "path", ["/session", "/session/oidc?next=/", "/%73ession/oidc", "/jobs/../session/oidc", "//other"]
)
def test_a_log_in_never_ends_at_the_start_of_another(path: str) -> None:
    assert own_path(path) == "/"
    assert own_path("/sessions?next=/session") == "/sessions?next=/session"


def test_a_provider_is_not_followed_elsewhere_nor_into_private_networks(scripted: ScriptedProvider) -> None:
    scripted.status = "302 Found"
    with pytest.raises(LoginProviderUnavailable):
        redeem(scripted)
    with (
        closing(client_of(scripted.issuer, oidc_allow="")) as client,
        pytest.raises(LoginProviderUnavailable, match="PAGEMILL_OIDC_ALLOW"),
    ):
        client.description()


def test_the_doctor_asks_the_provider(scripted: ScriptedProvider) -> None:
    (well,) = login_provider(settings_for(scripted.issuer, public_url="https://mill.example"))
    assert well.state == "ok"
    assert "https://mill.example/session/oidc/callback" in well.advice
    (away,) = login_provider(settings_for("http://localhost:9"))
    assert (away.state, "PAGEMILL_OIDC_ISSUER" in away.advice) == ("missing", True)
    (wrong,) = login_provider(settings_for(scripted.issuer, oidc_access="groups"))
    assert "groups=editors>acme:write" in wrong.found
    assert not list(login_provider(small_settings(Path("unused"))))


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"oidc_issuer": "http://id.example"}, "https://"),
        ({"oidc_issuer": "https://id.example?x=1"}, "query"),
        ({"oidc_client_id": ""}, "PAGEMILL_OIDC_CLIENT_ID"),
        ({"oidc_access": " "}, "PAGEMILL_OIDC_ACCESS"),
        ({"oidc_access": "groups=a>acme:owner"}, "PAGEMILL_OIDC_ACCESS"),
        ({"oidc_access": "groups=a>ACME:read"}, "PAGEMILL_OIDC_ACCESS"),
        ({"oidc_scopes": "email"}, "PAGEMILL_OIDC_SCOPES"),
        ({"oidc_allow": "10.0.0.1/8"}, "PAGEMILL_OIDC_ALLOW"),
        ({"host": "0.0.0.0"}, "PAGEMILL_PUBLIC_URL"),
    ],
)
def test_settings_that_can_not_work_are_refused_by_name(change: dict[str, object], named: str) -> None:
    with pytest.raises(Refused, match=named):
        oidc_config(settings_for("https://id.example", **change))


@pytest.mark.parametrize(
    ("claims", "tenant", "scope"),
    [
        ({"groups": ["x", "admins"]}, "acme", Scope.ADMIN),
        ({"groups": "cn=editors,dc=acme"}, "acme", Scope.WRITE),
        ({"email": "a@acme.example", "email_verified": True}, "acme", Scope.READ),
        ({"groups": ["admins"], "email": "a@acme.example", "email_verified": True}, "acme", Scope.ADMIN),
    ],
)
def test_the_first_rule_that_fits_gives_tenant_and_scope(
    claims: dict[str, object], tenant: str, scope: Scope
) -> None:
    grant = grant_login({"sub": "1"} | claims, parse_rules(RULES))
    assert (grant.tenant, grant.scope, grant.subject) == (tenant, scope, "1")


@pytest.mark.parametrize(
    "claims",
    [
        {},
        {"groups": []},
        {"groups": ["Admins"]},
        {"groups": {"admins": 1}},
        {"email": "a@acme.example"},
        {"email": "a@acme.example", "email_verified": "true"},
        {"email": "a@acme.example.evil", "email_verified": True},
    ],
)
def test_who_fits_no_rule_is_refused(claims: dict[str, object]) -> None:
    with pytest.raises(LoginNotAllowed, match="PAGEMILL_OIDC_ACCESS"):
        grant_login({"sub": "1"} | claims, parse_rules(RULES))


def test_a_claim_names_the_tenant_but_not_the_operators() -> None:
    rules = parse_rules("realm.org=*>{value}:write")
    assert grant_login({"sub": "1", "realm": {"org": "acme"}}, rules).tenant == "acme"
    for name in ("default", "ACME", "../x", ""):
        with pytest.raises(LoginNotAllowed):
            grant_login({"sub": "1", "realm": {"org": name}}, rules)


def test_a_log_in_belongs_to_its_browser_and_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    states = LoginStates(b"secret", "pagemill")
    login, cookie = states.begin("/jobs?status=failed")
    assert states.find(cookie, login.state) == login
    assert login.path == "/jobs?status=failed"
    for value, state in ((cookie, "other"), (None, login.state), ("", ""), (f"9{cookie[1:]}x", login.state)):
        assert states.find(value, state) is None
    assert LoginStates(b"another", "pagemill").find(cookie, login.state) is None
    later = time.time() + 601
    monkeypatch.setattr(time, "time", lambda: later)
    assert states.find(cookie, login.state) is None


@pytest.mark.parametrize(
    "path", ["//evil.example", "/\\evil.example", "https://evil.example", "", "/a\r\nb: c", "/" + "x" * 600]
)
def test_a_log_in_ends_on_a_page_of_this_installation(path: str) -> None:
    assert own_path(path) == "/"
