"""Object stores by their address, and what goes wrong with them in our own words."""

import logging
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import obstore
from obstore.exceptions import BaseError, PermissionDeniedError, UnauthenticatedError
from obstore.store import AzureStore, GCSStore, ObjectStore, S3Store, from_url

from pagemill.adapters.blobs.base import TROUBLES
from pagemill.errors import Refused, StorageUnavailable, storage_trouble

log = logging.getLogger("pagemill.blobs")

# Looked at when the first call is made: one thread moves the bytes of a process, because more of them cost half as
# much CPU again by waking each other.
os.environ.setdefault("TOKIO_WORKER_THREADS", "1")

SCHEMES = ("s3", "gs", "az")
ENDPOINTS = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT")
CONNECT_SECONDS = 2.0
# Long enough for the largest document on a slow line; silence is noticed much sooner.
WHOLE_REQUEST_SECONDS = 900.0
MAX_RETRIES = 5
FIRST_WAIT, LONGEST_WAIT = timedelta(milliseconds=100), timedelta(seconds=1)
# Links may hold signatures, and answers of servers may hold keys.
UNTELLABLE = re.compile(r"\?\S+|: <\?xml.*|\n.*", re.DOTALL)
MOST_CHARACTERS = 300


def store_at(url: str, timeout_seconds: float, endpoint: str = "") -> ObjectStore:
    """The store behind an address; keys and regions come from the environment, as each cloud's tools have it."""
    client: Any = {
        "allow_http": True,
        "connect_timeout": timedelta(seconds=min(CONNECT_SECONDS, timeout_seconds)),
        "read_timeout": timedelta(seconds=timeout_seconds),
        "timeout": timedelta(seconds=max(WHOLE_REQUEST_SECONDS, timeout_seconds)),
    }
    retry: Any = {
        "max_retries": MAX_RETRIES,
        "retry_timeout": timedelta(seconds=timeout_seconds),
        "backoff": {"init_backoff": FIRST_WAIT, "max_backoff": LONGEST_WAIT, "base": 2},
    }
    if url.partition("://")[0] not in SCHEMES:
        raise Refused("PAGEMILL_BLOBS_URL is not an s3://, gs://, az:// or file:// address.")
    refuse_wrong_endpoints(endpoint)
    config: Any = {"endpoint": endpoint} if endpoint else None
    try:
        return from_url(url, config=config, client_options=client, retry_config=retry)
    except (BaseError, ValueError) as error:
        raise Refused("PAGEMILL_BLOBS_URL can't be used. Look at it and at the keys around it.") from error


def refuse_wrong_endpoints(public: str) -> None:
    """Refused if a server is named without http:// before it: the library would crash at the first call."""
    named = {name: os.environ.get(name, "") for name in ENDPOINTS} | {"PAGEMILL_BLOBS_PUBLIC_URL": public}
    for name, address in named.items():
        if address and not address.startswith(("http://", "https://")):
            raise Refused(f"{name} has to start with http:// or https://.")


@contextmanager
def troubles() -> Iterator[None]:
    """Trouble of a store in our own words, without addresses, keys or paths."""
    try:
        yield
    except (BaseError, FileNotFoundError) as error:
        raise trouble(error) from error
    except OSError as error:
        raise storage_trouble(error) from error


def trouble(error: Exception) -> StorageUnavailable:
    """What an error of a store means for a caller; the log has more of it."""
    TROUBLES[type(error).__name__] += 1
    log.warning("blob store error: %s", UNTELLABLE.sub("", str(error))[:MOST_CHARACTERS])
    if isinstance(error, PermissionDeniedError | UnauthenticatedError):
        return StorageUnavailable("The blob store refuses our keys.")
    if isinstance(error, FileNotFoundError):
        return StorageUnavailable("A stored file is not there.")
    return StorageUnavailable("The blob store does not answer as it should.")


def sign_url(store: ObjectStore, method: str, key: str, seconds: float) -> str | None:
    """A link that works for a while; None from stores that make none."""
    if not isinstance(store, S3Store | GCSStore | AzureStore):
        return None
    with troubles():
        return obstore.sign(store, method, key, timedelta(seconds=seconds))  # type: ignore[call-overload,no-any-return]


def refuse_wrong_keys(error: Exception) -> None:
    """Refused if an error of the very first put says that the settings are wrong."""
    if isinstance(error, PermissionDeniedError | UnauthenticatedError):
        raise Refused(
            "The bucket of PAGEMILL_BLOBS_URL refuses our keys. Look at its access keys and what they may do, and "
            "whether the clock of this machine is right: a request that seems minutes old or new is refused, too."
        ) from error
    if isinstance(error, FileNotFoundError):
        raise Refused(
            "The bucket of PAGEMILL_BLOBS_URL is not there. Make it, or change the setting."
        ) from error
