"""Google Cloud Storage as its client sees it: the S3 server of the tests behind a relay that translates the headers.

Google's XML interface is that of S3 but for the names of some headers and the way in which callers say who they are. No
emulator in a package speaks it: those that there are have the JSON interface, which the client uses for nothing but
signing and deleting many objects at once.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import httpx
import obstore

from tests.cluster.s3 import OPEN_BUCKET, PATIENCE_SECONDS, PROBE, S3, bucket
from tests.http_receivers import Answered, Received, receiving_http

# Those of one connection, and the token, for which a key would be needed that Google has signed.
NOT_PASSED_ON = ("host", "connection", "content-length", "transfer-encoding", "authorization")
TOLD = ("etag", "last-modified", "content-type", "content-length", "content-range")


@dataclass(frozen=True)
class Gcs:
    """A relay in front of an S3 server; the bucket is OPEN_BUCKET."""

    url: str

    def variables(self) -> dict[str, str]:
        """The environment that leads a program to the bucket."""
        account = {"gcs_base_url": self.url, "disable_oauth": True}
        nobody = {"client_email": "", "private_key": "", "private_key_id": ""}
        return {"GOOGLE_SERVICE_ACCOUNT_KEY": json.dumps(account | nobody)}


@contextmanager
def running(server: S3) -> Iterator[Gcs]:
    """A relay until the context ends."""
    obstore.put(bucket(server.url, PATIENCE_SECONDS, OPEN_BUCKET), PROBE, b"1")
    with (
        httpx.Client(timeout=PATIENCE_SECONDS) as client,
        receiving_http(lambda request: passed_on(client, server.url, request)) as relay,
    ):
        yield Gcs(relay.url)


def passed_on(client: httpx.Client, url: str, request: Received) -> Answered:
    """What the S3 server answers."""
    headers = {
        name.replace("x-goog-", "x-amz-"): value
        for name, value in request.headers.items()
        if name not in NOT_PASSED_ON
    }
    answer = client.request(request.method, f"{url}{request.path}", headers=headers, content=request.body)
    told = {name: answer.headers[name] for name in TOLD if name in answer.headers}
    if request.method != "HEAD":
        told.pop("content-length", None)
    return Answered(answer.status_code, told, answer.content)
