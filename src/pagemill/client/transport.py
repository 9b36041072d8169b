"""Requests that are tried again when it is safe, and answers that are errors raised as such."""

import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import BinaryIO, NoReturn

import httpx

from pagemill.client.errors import ApiError
from pagemill.client.shapes import UploadLink

FIRST_WAIT_SECONDS = 0.2
LONGEST_WAIT_SECONDS = 30.0
UPLOAD_SILENCE_SECONDS = 120.0
BUSY = (429, 503)


class Transport:
    """Sends requests to one server; connection trouble and busy answers are waited out a few times."""

    def __init__(self, base_url: str, api_key: str | None, *, timeout_seconds: float, retries: int) -> None:
        headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        self.base_url = base_url.rstrip("/")
        self.retries = retries
        self.timeout_seconds = timeout_seconds
        self._http = httpx.Client(base_url=self.base_url, headers=headers, timeout=timeout_seconds)

    def close(self) -> None:
        """Close all connections."""
        self._http.close()

    def call(
        self, make: Callable[[httpx.Client], httpx.Request], *, repeatable: bool = True
    ) -> httpx.Response:
        """Send what `make` makes and return the whole answer, 4xx and 5xx raised as ApiError."""
        return self._persist(lambda: self.call_once(make), repeatable)

    def send_elsewhere(self, link: UploadLink, file: BinaryIO) -> None:
        """Send a file to another server by a link of ours; that server does not get our key."""
        start = file.tell() if file.seekable() else None
        host = httpx.URL(link.url).host

        def attempt() -> httpx.Response:
            if start is not None:
                file.seek(start)
            try:
                answer = httpx.request(
                    link.method,
                    link.url,
                    content=file,
                    headers=dict(link.headers),
                    timeout=UPLOAD_SILENCE_SECONDS,
                )
            except httpx.TransportError as error:
                raise ApiError.unreachable(host, error) from error
            if answer.is_error:
                raise ApiError.from_answer(answer)
            return answer

        self._persist(attempt, repeatable=start is not None)

    @contextmanager
    def stream(self, make: Callable[[httpx.Client], httpx.Request]) -> Iterator[httpx.Response]:
        """The answer with its body still to be read; trouble on the way is raised as ApiError."""
        answer = self._persist(lambda: self._open(make), repeatable=True)
        try:
            yield answer
        except httpx.TransportError as error:
            raise ApiError.unreachable(self.base_url, error) from error
        finally:
            answer.close()

    def _persist(self, attempt: Callable[[], httpx.Response], repeatable: bool) -> httpx.Response:
        for tried in range(self.retries + 1):
            try:
                return attempt()
            except ApiError as error:
                if tried == self.retries or not may_repeat(error, repeatable):
                    raise
                time.sleep(wait_seconds(tried, error.retry_after_seconds))
        raise AssertionError("the last attempt returns or raises")

    def call_once(self, make: Callable[[httpx.Client], httpx.Request]) -> httpx.Response:
        """As `call`, but the outcome is reported at once."""
        answer = self._open(make)
        try:
            answer.read()
        except httpx.TransportError as error:
            raise ApiError.unreachable(self.base_url, error) from error
        finally:
            answer.close()
        return answer

    def _open(self, make: Callable[[httpx.Client], httpx.Request]) -> httpx.Response:
        try:
            answer = self._http.send(make(self._http), stream=True)
            if answer.is_error:
                self._refuse(answer)
        except httpx.TransportError as error:
            raise ApiError.unreachable(self.base_url, error) from error
        return answer

    def _refuse(self, answer: httpx.Response) -> NoReturn:
        try:
            answer.read()
        finally:
            answer.close()
        raise ApiError.from_answer(answer)


def may_repeat(error: ApiError, repeatable: bool) -> bool:
    """Whether the same request may be sent again: always when the server was never reached or said so itself."""
    if error.status is not None:
        return error.status in BUSY
    return repeatable or isinstance(error.__cause__, httpx.ConnectError | httpx.ConnectTimeout)


def wait_seconds(tried: int, asked_seconds: float | None) -> float:
    """How long to wait before the next attempt: as asked, otherwise doubling, with some chance in it."""
    if asked_seconds is not None:
        return min(asked_seconds, LONGEST_WAIT_SECONDS)
    longest = min(FIRST_WAIT_SECONDS * 2**tried, LONGEST_WAIT_SECONDS)
    return float(longest * random.uniform(0.5, 1.0))
