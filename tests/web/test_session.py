"""Sessions: the key is asked for once, kept where no script can read it, and of no use to other sites."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from pagemill.entrypoints.access.sessions import Sessions
from tests.api.test_http import problem
from tests.mills import small_settings
from tests.samples import letter, report
from tests.servers import Served, served, served_idle
from tests.web.browsers import serious_issues
from tests.web.conftest import Open

KEY = "a-key-for-tests"
WEB = {"x-pagemill-web": "1"}


@pytest.fixture(scope="module")
def locked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server that asks for a key."""
    settings = small_settings(tmp_path_factory.mktemp("locked"), api_key=KEY, max_pages=3)
    with served(settings) as server:
        yield server


@pytest.fixture
def cookie(locked: Served) -> str:
    """The cookie of a browser that has logged in, as it is sent back."""
    answer = locked.http.post("/session", headers={"x-api-key": KEY})
    locked.http.cookies.clear()
    return str(answer.headers["set-cookie"]).partition(";")[0]


def test_a_key_is_not_needed_where_none_is_set(mill_server: Served) -> None:
    assert mill_server.http.get("/session").json() == {"key_needed": False, "open": True, "operator": True}
    assert "set-cookie" not in mill_server.http.post("/session").headers


def test_the_cookie_can_be_read_by_no_script_and_sent_by_no_other_site(locked: Served) -> None:
    cookie = locked.http.post("/session", headers={"x-api-key": KEY}).headers["set-cookie"]
    assert {"HttpOnly", "SameSite=strict", "Path=/"} <= set(cookie.split("; "))
    assert "Secure" not in cookie
    assert KEY not in cookie
    locked.http.cookies.clear()


def test_the_cookie_of_a_page_behind_https_never_leaves_it(locked: Served) -> None:
    origin = f"https://127.0.0.1:{locked.port}"
    cookie = locked.http.post("/session", headers={"x-api-key": KEY, "origin": origin}).headers["set-cookie"]
    assert "Secure" in cookie
    locked.http.cookies.clear()


def test_a_session_opens_what_the_key_does(locked: Served, cookie: str) -> None:
    assert locked.http.get("/session").json() == {"key_needed": True, "open": False, "operator": False}
    told = locked.http.get("/session", headers={"cookie": cookie}).json()
    assert told == {"key_needed": True, "open": True, "operator": True}
    assert locked.http.get("/v1/jobs", headers={"cookie": f"other=1; {cookie}"}).status_code == 200


def test_changes_with_a_session_need_the_header_of_the_pages(locked: Served, cookie: str) -> None:
    refused = locked.http.post("/v1/jobs", content=letter(), headers={"cookie": cookie})
    assert "X-Pagemill-Web" in str(problem(refused, 403, "session_header_missing")["detail"])
    taken = locked.http.post("/v1/jobs", content=letter(), headers={"cookie": cookie, **WEB})
    assert taken.status_code == 202
    assert locked.http.delete("/session", headers={"cookie": cookie}).status_code == 403


def test_a_session_is_of_no_use_to_a_page_of_another_site(locked: Served, cookie: str) -> None:
    headers = {"cookie": cookie, "origin": "https://elsewhere.example", **WEB}
    problem(locked.http.get("/v1/jobs", headers=headers), 400, "bad_host")


def test_a_session_is_of_no_use_to_a_page_that_may_call_with_the_key(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    allowed = {"api_key": KEY, "allowed_origins": "https://app.example", "slots": 1, "kept_slots": 0}
    with served_idle(small_settings(tmp_path_factory.mktemp("shared"), **allowed)) as server:
        cookie = server.http.post("/session", headers={"x-api-key": KEY}).headers["set-cookie"]
        headers = {"cookie": cookie.partition(";")[0], "origin": "https://app.example", **WEB}
        server.http.cookies.clear()
        problem(server.http.get("/v1/jobs", headers=headers), 401, "unauthorized")


@pytest.mark.parametrize("change", ["", "x", "." * 3])
def test_a_cookie_that_was_changed_is_worth_nothing(locked: Served, cookie: str, change: str) -> None:
    name, _, value = cookie.partition("=")
    forged = f"{name}=9{value[1:-1]}{change}"
    problem(locked.http.get("/v1/jobs", headers={"cookie": forged}), 401, "unauthorized")


def test_a_session_runs_out_and_ends_with_the_key() -> None:
    sessions, name = Sessions(b"secret"), Sessions(b"secret").cookie
    cookie = f"{name}={sessions.issue('key')}".encode()
    begun = sessions.session_of([cookie])
    assert begun is not None
    assert begun.key_id == "key"
    assert sessions.session_of([f"{name}={sessions.issue('key', lifetime_seconds=-1)}".encode()]) is None
    assert Sessions(b"secret").session_of([cookie]) == begun
    assert Sessions(b"another").session_of([cookie]) is None


def test_guessing_keys_at_the_log_in_is_slowed_down(tmp_path_factory: pytest.TempPathFactory) -> None:
    settings = small_settings(tmp_path_factory.mktemp("guessed"), api_key=KEY)
    with served_idle(settings) as server:
        # Twice as many as a minute allows, because a minute may end among them.
        guesses = [server.http.post("/session", headers={"x-api-key": str(one)}) for one in range(210)]
        assert {answer.status_code for answer in guesses} == {401, 429}


def test_pages_are_empty_without_the_key_and_nothing_else_is_shown(locked: Served) -> None:
    assert locked.http.get("/jobs", headers={"accept": "text/html"}).status_code == 200
    problem(locked.http.get("/jobs"), 401, "unauthorized")
    for path in ("/openapi.json", "/metrics", "/v1/jobs", "/v1/events", "/v1/operations", "/nothing"):
        assert locked.http.get(path).status_code == 401, path
    assert locked.http.post("/jobs").status_code == 401


def test_the_key_is_asked_for_once_and_forgotten_at_the_log_out(locked: Served, open_page: Open) -> None:
    page = open_page(f"{locked.url}/jobs")
    field = page.get_by_label("API key")
    expect(field).to_be_focused()
    assert not serious_issues(page)
    field.fill("wrong")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("not valid")
    field.fill(KEY)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Jobs", exact=True)).to_be_visible()
    assert page.evaluate("document.cookie") == ""
    page.reload()
    expect(page.get_by_role("heading", name="Jobs", exact=True)).to_be_visible()
    page.get_by_role("button", name="Log out").click()
    expect(page.get_by_label("API key")).to_be_visible()
    page.reload()
    expect(page.get_by_label("API key")).to_be_visible()


def test_documents_are_handed_in_and_watched_with_a_session(locked: Served, open_page: Open) -> None:
    page = open_page(locked.url)
    page.get_by_label("API key").fill(KEY)
    page.get_by_role("button", name="Log in").click()
    page.get_by_role("button", name="Try the sample").click()
    page.wait_for_url("**/jobs/*")
    page.goto(f"{locked.url}/jobs")
    expect(page.locator(".job").first).to_contain_text("completed")


def test_only_an_operator_reads_which_setting_can_be_raised(locked: Served, open_page: Open) -> None:
    operator = {"x-api-key": KEY}
    made = locked.http.post(
        "/v1/keys", json={"name": "office", "scopes": ["read", "write"]}, headers=operator
    )
    headers = {"x-api-key": made.json()["key"], "prefer": "wait=30"}
    job = locked.http.post("/v1/jobs", content=report(4), headers=headers).json()
    assert "Ask for a part of it with `pages`, or raise PAGEMILL_MAX_PAGES." in job["error"]["message"]
    for key, message in (
        (made.json()["key"], "Ask for a part of it with pages."),
        (KEY, "Ask for a part of it with pages, or raise PAGEMILL_MAX_PAGES."),
    ):
        page = open_page(f"{locked.url}/jobs")
        page.get_by_label("API key").fill(key)
        page.keyboard.press("Enter")
        expect(page.locator(".job .error-text").first).to_contain_text(message)
        page.get_by_role("button", name="Log out").click()
        expect(page.get_by_label("API key")).to_be_visible()
