"""Log-ins with a real OpenID Connect provider, over HTTP and in a browser."""

import html
import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from playwright.sync_api import expect

from tests.api.test_http import problem
from tests.login_providers import CLIENT_ID, LOCAL_NETWORKS, real_provider
from tests.mills import shared_settings
from tests.servers import Served, served_idle
from tests.web.browsers import serious_issues
from tests.web.conftest import Open

WEB = {"x-pagemill-web": "1"}


@pytest.fixture(scope="module")
def issuer() -> Iterator[str]:
    """A provider with three accounts."""
    with real_provider() as url:
        accounts = {"anna": ["admins"], "ben": ["readers"], "mallory": ["others"]}
        for name, groups in accounts.items():
            claims = {"email": f"{name}@acme.example", "groups": groups}
            assert httpx.put(f"{url}/users/{name}", json=claims).is_success
        yield url


@pytest.fixture(scope="module")
def mill(issuer: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server without any key, where people log in."""
    settings = shared_settings(
        tmp_path_factory.mktemp("oidc"),
        oidc_issuer=issuer,
        oidc_client_id=CLIENT_ID,
        oidc_client_secret="secret of tests",
        oidc_access="groups=admins>acme:admin,groups=readers>acme:read",
        oidc_name="Example ID",
        oidc_allow=LOCAL_NETWORKS,
    )
    with served_idle(settings) as server:
        yield server


def go_to_provider(mill: Served, path: str = "/") -> httpx.Response:
    """The answer that sends a browser to the provider."""
    mill.http.cookies.clear()
    answer = mill.http.get("/session/oidc", params={"next": path})
    assert answer.status_code == 303
    return answer


def come_back(mill: Served, account: str, path: str = "/") -> tuple[str, str]:
    """The address that the provider sends a browser back to after a log-in, and the browser's cookie."""
    there = go_to_provider(mill, path)
    back = httpx.post(there.headers["location"], data={"sub": account})
    mill.http.cookies.clear()
    return back.headers["location"], there.headers["set-cookie"].partition(";")[0]


def log_in(mill: Served, account: str, path: str = "/") -> httpx.Response:
    """The answer to somebody who has logged in with the provider."""
    address, cookie = come_back(mill, account, path)
    answer = mill.http.get(address, headers={"cookie": cookie})
    mill.http.cookies.clear()
    return answer


def session_of(answer: httpx.Response) -> dict[str, str]:
    """The header of a browser with the session of an answer."""
    cookies = [value for value in answer.headers.get_list("set-cookie") if "SameSite=strict" in value]
    assert len(cookies) == 1
    assert "HttpOnly" in cookies[0]
    return {"cookie": cookies[0].partition(";")[0]}


def problem_on(answer: httpx.Response, status: int, code: str) -> dict[str, Any]:
    """The problem that a page shows."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"].startswith("text/html")
    assert answer.headers["cache-control"] == "no-store"
    found = re.search(r'<meta name="login-problem" content="([^"]*)">', answer.text)
    assert found
    members: dict[str, Any] = json.loads(html.unescape(found[1]))
    assert members["code"] == code
    return members


def test_nobody_is_let_in_without_a_log_in_where_there_is_a_provider(mill: Served) -> None:
    known = mill.http.get("/session").json()
    assert known == {"key_needed": True, "open": False, "operator": False, "provider": "Example ID"}
    problem(mill.http.get("/v1/jobs"), 401, "unauthorized")


def test_the_provider_is_asked_with_state_nonce_and_challenge(mill: Served, issuer: str) -> None:
    first, second = (go_to_provider(mill) for _ in range(2))
    asked = [parse_qs(urlsplit(answer.headers["location"]).query) for answer in (first, second)]
    assert first.headers["location"].startswith(issuer)
    assert asked[0]["code_challenge_method"] == ["S256"]
    assert asked[0]["redirect_uri"] == [f"{mill.url}/session/oidc/callback"]
    for name in ("state", "nonce", "code_challenge"):
        assert asked[0][name] != asked[1][name]
    assert {"HttpOnly", "SameSite=lax", "Path=/session/oidc"} <= set(first.headers["set-cookie"].split("; "))
    assert asked[0]["nonce"][0] not in first.headers["set-cookie"]


def test_somebody_logs_in_for_what_the_rules_say(mill: Served) -> None:
    answer = log_in(mill, "ben", "/jobs?status=failed")
    assert (answer.status_code, answer.headers["location"]) == (303, "/jobs?status=failed")
    ben = session_of(answer)
    assert mill.http.get("/session", headers=ben).json()["open"] is True
    assert mill.http.get("/v1/jobs", headers=ben).status_code == 200
    problem(mill.http.post("/v1/jobs", headers=ben | WEB), 403, "insufficient_scope")
    problem(mill.http.get("/v1/keys", headers=ben), 403, "insufficient_scope")


def test_log_ins_are_listed_audited_and_revoked_like_keys(mill: Served) -> None:
    anna, ben = session_of(log_in(mill, "anna")), session_of(log_in(mill, "ben"))
    listed = mill.http.get("/v1/keys", headers=anna).json()["keys"]
    own = [key for key in listed if key["name"] == "log-in of ben@acme.example" and not key["revoked_at"]][-1]
    assert (own["tenant"], own["scopes"], own["hint"]) == ("acme", ["read"], "")
    assert own["expires_at"]
    line = mill.http.get("/v1/audit", headers=anna).json()["lines"][0]
    assert (line["action"], line["subject"]) == ("login.started", own["id"])
    assert line["facts"]["subject"] == "ben"
    assert mill.http.delete(f"/v1/keys/{own['id']}", headers=anna | WEB).status_code == 204
    problem(mill.http.get("/v1/jobs", headers=ben), 401, "unauthorized")


def test_a_log_out_ends_the_log_in_and_names_the_providers_own(mill: Served, issuer: str) -> None:
    anna = session_of(log_in(mill, "anna"))
    left = mill.http.delete("/session", headers=anna | WEB)
    url = left.json()["provider_url"]
    assert url.startswith(issuer)
    assert parse_qs(urlsplit(url).query)["post_logout_redirect_uri"] == [f"{mill.url}/"]
    problem(mill.http.get("/v1/jobs", headers=anna), 401, "unauthorized")
    again = session_of(log_in(mill, "anna"))
    actions = [line["action"] for line in mill.http.get("/v1/audit", headers=again).json()["lines"]]
    assert actions[:3] == ["login.started", "login.ended", "login.started"]


def test_an_account_that_no_rule_lets_in_sees_why(mill: Served) -> None:
    refused = problem_on(log_in(mill, "mallory"), 403, "login_not_allowed")
    assert "mallory@acme.example" in refused["detail"]
    with mill.mill.db.engine.connect() as conn:
        lines = conn.exec_driver_sql("SELECT action, subject FROM audit_log WHERE tenant = 'default'").all()
    assert ("login.refused", "mallory") in [tuple(line) for line in lines]


def test_a_code_is_of_use_once_and_to_the_browser_that_asked_for_it(mill: Served) -> None:
    address, cookie = come_back(mill, "anna")
    problem_on(mill.http.get(address), 400, "login_expired")
    other = go_to_provider(mill).headers["set-cookie"].partition(";")[0]
    mill.http.cookies.clear()
    problem_on(mill.http.get(address, headers={"cookie": other}), 400, "login_expired")
    assert mill.http.get(address, headers={"cookie": cookie}).status_code == 303
    mill.http.cookies.clear()
    problem_on(mill.http.get(address, headers={"cookie": cookie}), 403, "login_failed")


def test_a_code_of_another_log_in_does_not_fit_its_verifier(mill: Served) -> None:
    stolen, _ = come_back(mill, "anna")
    there = go_to_provider(mill)
    state = parse_qs(urlsplit(there.headers["location"]).query)["state"][0]
    query = {"code": parse_qs(urlsplit(stolen).query)["code"][0], "state": state}
    cookie = there.headers["set-cookie"].partition(";")[0]
    mill.http.cookies.clear()
    answer = mill.http.get("/session/oidc/callback", params=query, headers={"cookie": cookie})
    problem_on(answer, 403, "login_failed")


@pytest.mark.parametrize("query", [{"error": "access_denied"}, {"code": "x", "iss": "https://other"}, {}])
def test_what_the_provider_does_not_grant_is_no_log_in(mill: Served, query: dict[str, str]) -> None:
    there = go_to_provider(mill)
    state = parse_qs(urlsplit(there.headers["location"]).query)["state"][0]
    cookie = there.headers["set-cookie"].partition(";")[0]
    mill.http.cookies.clear()
    answer = mill.http.get(
        "/session/oidc/callback", params=query | {"state": state}, headers={"cookie": cookie}
    )
    problem_on(answer, 403, "login_failed")


def test_there_is_no_such_log_in_without_a_provider(mill_server: Served) -> None:
    for path in ("/session/oidc", "/session/oidc/callback"):
        problem(mill_server.http.get(path), 404, "not_found")


def test_people_log_in_and_out_in_a_browser(mill: Served, open_page: Open) -> None:
    page = open_page(f"{mill.url}/jobs", scheme="dark")
    expect(page.get_by_label("API key")).to_be_visible()
    assert not serious_issues(page)
    page.get_by_role("link", name="Log in with Example ID").click()
    page.get_by_role("textbox").first.fill("mallory")
    page.get_by_role("button", name="Authorize").click()
    expect(page.get_by_role("alert")).to_contain_text("mallory@acme.example")
    assert urlsplit(page.url).path == "/"
    assert not serious_issues(page)
    page.goto(f"{mill.url}/jobs")
    page.get_by_role("link", name="Log in with Example ID").click()
    page.get_by_role("textbox").first.fill("anna")
    page.get_by_role("button", name="Authorize").click()
    expect(page.get_by_role("heading", name="Jobs", exact=True)).to_be_visible()
    assert urlsplit(page.url).path == "/jobs"
    assert page.evaluate("document.cookie") == ""
    page.get_by_role("button", name="Log out").click()
    expect(page.get_by_role("link", name="Log out there, too")).to_be_visible()
    page.reload()
    expect(page.get_by_label("API key")).to_be_visible()
