"""The pages as they come over the wire: one shell, files that may be kept for ever, and nothing from elsewhere."""

import gzip
import re
from pathlib import Path

import httpx
import pytest

from pagemill.entrypoints.web.static_files import FOLDER, MEDIA_TYPES, edition, every_file
from tests.servers import Served

BROWSER = {"accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
PAGES = [
    "/",
    "/jobs",
    "/jobs/0199a3c4-7d52-7c31-9a42-6f0f5b1c2d3e",
    "/batches",
    "/webhooks",
    "/operations",
    "/api",
    "/docs",
]
IMPORT = re.compile(r'(?:import|from)\s*"(\.[^"]+)"')
HOME = ("js/main.js", "js/home.js")
LONGEST_SCRIPT = 300


@pytest.mark.parametrize("path", PAGES)
def test_a_browser_gets_the_shell_with_a_strict_policy(mill_server: Served, path: str) -> None:
    answer = mill_server.http.get(path, headers=BROWSER)
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert answer.headers["cache-control"] == "no-cache"


def test_programs_still_get_json_at_the_root(mill_server: Served) -> None:
    for accept in ("*/*", "application/json"):
        assert mill_server.http.get("/", headers={"accept": accept}).json()["name"] == "pagemill"


@pytest.mark.parametrize("path", ["/nowhere", "/jobs/one/two", "/favicon.ico/x"])
def test_a_browser_at_an_unknown_address_gets_a_page_and_programs_a_problem(
    mill_server: Served, path: str
) -> None:
    page = mill_server.http.get(path, headers=BROWSER)
    assert (page.status_code, page.headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert (page.headers["cache-control"], page.headers["vary"]) == ("no-store", "Accept")
    assert mill_server.http.head(path, headers=BROWSER).headers["content-type"] == "text/html; charset=utf-8"
    for accept in ("*/*", "application/json", "application/json, text/html"):
        assert mill_server.http.get(path, headers={"accept": accept}).json()["code"] == "not_found"


def test_the_api_answers_browsers_with_problems_too(mill_server: Served) -> None:
    assert mill_server.http.get("/v1/nowhere", headers=BROWSER).json()["code"] == "not_found"
    assert mill_server.http.post("/nowhere", headers=BROWSER).json()["code"] == "not_found"
    assert mill_server.http.get("/v1/jobs/x/cancel", headers=BROWSER).json()["code"] == "method_not_allowed"


def test_a_browser_that_has_the_shell_is_told_so(mill_server: Served) -> None:
    tag = mill_server.http.get("/jobs", headers=BROWSER).headers["etag"]
    assert mill_server.http.get("/jobs", headers=BROWSER | {"if-none-match": tag}).status_code == 304


def test_files_are_packed_and_may_be_kept_for_ever(mill_server: Served) -> None:
    answer = mill_server.http.get(f"/static/{edition()}/js/main.js")
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert answer.headers["content-encoding"] == "gzip"
    assert answer.content == (FOLDER / "js/main.js").read_bytes()
    plain = mill_server.http.get(f"/static/{edition()}/js/main.js", headers={"accept-encoding": "identity"})
    assert plain.content == answer.content


@pytest.mark.parametrize("path", ["js/none.js", "../pages.py", "%2e%2e/pages.py", "js/types.d.ts", "index"])
def test_nothing_but_the_files_is_served(mill_server: Served, path: str) -> None:
    assert raw(mill_server, f"/static/{edition()}/{path}").status_code == 404


def test_files_of_another_edition_are_gone(mill_server: Served) -> None:
    assert raw(mill_server, "/static/0123456789abcdef/js/main.js").status_code == 404


def raw(server: Served, path: str) -> httpx.Response:
    """The answer to an address that is sent as it is written."""
    return server.http.send(server.http.build_request("GET", httpx.URL(server.url, raw_path=path.encode())))


def texts() -> dict[str, str]:
    """Our own scripts, styles and pages."""
    own = (name for name in every_file() if Path(name).suffix in (".js", ".css", ".html"))
    return {name: every_file()[name].body.decode() for name in own}


def test_no_page_asks_anybody_else_for_anything() -> None:
    elsewhere = re.compile(r"""(?:src|href|url|import|from|fetch)\s*[=(]?\s*["'(`]?(?:https?:)?//""")
    assert not [name for name, text in texts().items() if elsewhere.search(text)]


def test_nothing_is_written_inline_that_the_policy_would_refuse() -> None:
    shell = texts()["index.html"]
    assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=", shell)
    assert not [name for name, text in texts().items() if re.search(r'\sstyle="', text)]


def test_scripts_of_the_start_page_are_asked_for_at_once() -> None:
    preloaded = set(re.findall(r'modulepreload" href="/static/{edition}/([^"]+)"', texts()["index.html"]))
    needed = {name for start in HOME for name in reached(start)} - {"js/main.js"}
    assert preloaded == needed


def reached(name: str, seen: frozenset[str] = frozenset()) -> frozenset[str]:
    """A script and all scripts that it imports."""
    seen |= {name}
    for path in IMPORT.findall(every_file()[name].body.decode()):
        target = (FOLDER / name).parent.joinpath(path).resolve().relative_to(FOLDER).as_posix()
        if target not in seen:
            seen |= reached(target, seen)
    return seen


def test_the_sample_is_the_one_in_the_documentation() -> None:
    documented = Path(__file__).parents[2] / "docs" / "sample.pdf"
    assert every_file()["sample.pdf"].body == documented.read_bytes()


def test_every_library_has_its_licence_beside_it() -> None:
    for library in FOLDER.joinpath("vendor").glob("*.mjs"):
        named = re.search(r"see (LICENSE-\w+)", library.read_text(encoding="utf-8")[:200])
        assert named
        assert library.with_name(named[1]).is_file()


def test_files_are_known_by_what_they_hold() -> None:
    assert re.fullmatch(r"[0-9a-f]{16}", edition())
    assert {Path(name).suffix for name in every_file()} <= set(MEDIA_TYPES)
    for name, file in every_file().items():
        assert file.packed is None or gzip.decompress(file.packed) == file.body, name


def test_no_script_is_longer_than_a_reader_likes() -> None:
    lengths = {name: len(text.splitlines()) for name, text in texts().items() if name.endswith(".js")}
    assert not {name: length for name, length in lengths.items() if length > LONGEST_SCRIPT}
