"""OpenID Connect providers for tests: a real one, and one that answers whatever a test wants."""

import base64
import hashlib
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import orjson
from joserfc import jwt
from joserfc.jwk import ECKey
from werkzeug.serving import make_server

LOCAL_NETWORKS = "127.0.0.0/8,::1/128"
CLIENT_ID = "pagemill-tests"
ROOT = Path(__file__).resolve().parents[1]
StartResponse = Callable[..., Any]


class PkceCheck:
    """Around a provider that does not look at PKCE by itself: a code is redeemed with its verifier alone."""

    def __init__(self, app: Any) -> None:
        self._app = app
        self._challenges: dict[str, str] = {}

    def __call__(self, environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
        """Answer one request."""
        query = parse_qs(environ["QUERY_STRING"])
        if environ["PATH_INFO"] == "/oauth2/token" and not self._is_proven(environ):
            start_response("400 Bad Request", [("Content-Type", "application/json")])
            return [b'{"error": "invalid_grant"}']

        def noted(status: str, headers: list[tuple[str, str]], *rest: Any) -> Any:
            for code in parse_qs(urlsplit(dict(headers).get("Location", "")).query).get("code", []):
                assert query["code_challenge_method"] == ["S256"]
                self._challenges[code] = query["code_challenge"][0]
            return start_response(status, headers, *rest)

        answer: Iterable[bytes] = self._app(environ, noted)
        return answer

    def _is_proven(self, environ: dict[str, Any]) -> bool:
        body = environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"] or 0))
        environ["wsgi.input"] = BytesIO(body)
        form = {name: values[0] for name, values in parse_qs(body.decode()).items()}
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        return self._challenges.pop(form.get("code", ""), None) == challenge


@contextmanager
def serve_wsgi(app: Any) -> Iterator[str]:
    """A WSGI application on a free port of this machine; its address."""
    server = make_server("localhost", 0, app, threaded=True)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield f"http://localhost:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def real_provider() -> Iterator[str]:
    """A provider with a log-in form, of a package that others test with; its issuer.

    In a process of its own, because it uses what its libraries warn of, and warnings are errors here.
    """
    command = [sys.executable, "-W", "ignore", "-m", "tests.login_providers"]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdin
        assert process.stdout
        yield process.stdout.readline().strip()
        # It stops when nobody can write to it any more.
        process.stdin.close()


def main() -> None:
    """Serve the real provider until standard input ends."""
    import oidc_provider_mock

    app = oidc_provider_mock.app(require_nonce=True)
    app.wsgi_app = PkceCheck(app.wsgi_app)
    with serve_wsgi(app) as issuer:
        print(issuer, flush=True)
        sys.stdin.read()


def new_key(name: str) -> ECKey:
    """A key pair to sign tokens with."""
    return ECKey.generate_key("P-256", {"kid": name})


@dataclass
class ScriptedProvider:
    """A provider whose every answer can be changed."""

    issuer: str = ""
    key: ECKey = field(default_factory=lambda: new_key("one"))
    published: list[ECKey] = field(default_factory=list)
    claims: dict[str, Any] = field(default_factory=dict)
    token: str | None = None
    description: dict[str, Any] = field(default_factory=dict)
    status: str = "200 OK"
    asked: list[str] = field(default_factory=list)

    def __call__(self, environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
        """Answer one request."""
        path = environ["PATH_INFO"]
        self.asked.append(path)
        start_response(
            self.status, [("Content-Type", "application/json"), ("Location", "http://127.0.0.1:9/")]
        )
        if path.endswith("/openid-configuration"):
            return [orjson.dumps(self.about_itself() | self.description)]
        if path == "/jwks":
            keys = [key.as_dict(private=False) for key in self.published or [self.key]]
            return [orjson.dumps({"keys": keys})]
        return [orjson.dumps({"id_token": self.token or self.signed()})]

    def about_itself(self) -> dict[str, Any]:
        """Its discovery document."""
        endpoints = ("authorization_endpoint", "token_endpoint", "jwks_uri")
        paths = dict(zip(endpoints, ("/authorize", "/token", "/jwks"), strict=True))
        return {"issuer": self.issuer} | {name: self.issuer + path for name, path in paths.items()}

    def signed(self, **header: str) -> str:
        """The claims as a token, signed with its key."""
        return jwt.encode({"alg": "ES256", "kid": self.key.kid} | header, self.claims, self.key)


@contextmanager
def scripted_provider() -> Iterator[ScriptedProvider]:
    """A provider that answers whatever a test wants."""
    provider = ScriptedProvider()
    with serve_wsgi(provider) as provider.issuer:
        yield provider


if __name__ == "__main__":
    main()
