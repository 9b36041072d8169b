"""Documents in buckets of others: read by reference, with the keys that this process finds in its environment."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache

import obstore
from obstore.exceptions import BaseError, PermissionDeniedError, UnauthenticatedError
from obstore.store import ObjectStore

from pagemill.adapters.blobs.object_stores import store_at
from pagemill.errors import FetchFailed, FetchTimeout, FileTooLarge, Refused
from pagemill.model.references import ObjectReference

PIECE_BYTES = 1 << 20
MOST_BUCKETS = 32
NOT_FOUND, FORBIDDEN, UNAVAILABLE = 404, 403, 503


@lru_cache(maxsize=MOST_BUCKETS)
def bucket_at(url: str, timeout_seconds: float) -> ObjectStore:
    """The bucket behind an address."""
    return store_at(url, timeout_seconds)


def list_objects(wanted: ObjectReference, most: int, *, timeout_seconds: float) -> list[str]:
    """The keys of the objects below a prefix, in order, up to so many; FetchFailed if there are none."""
    found: list[str] = []
    with failures():
        for some in obstore.list(bucket_at(wanted.bucket, timeout_seconds), wanted.key):
            found += [one["path"] for one in some if one["size"] and not one["path"].endswith("/")]
            if len(found) >= most:
                break
    if not found:
        raise FetchFailed("There is no object below this prefix in the bucket.", status=NOT_FOUND)
    return sorted(found[:most])


@contextmanager
def failures() -> Iterator[None]:
    """What goes wrong with a bucket, in our own words."""
    try:
        yield
    except FileNotFoundError as error:
        raise FetchFailed("There is no such object in the bucket.", status=NOT_FOUND) from error
    except (PermissionDeniedError, UnauthenticatedError) as error:
        raise FetchFailed("The bucket refuses our keys.", status=FORBIDDEN) from error
    except Refused as error:
        raise FetchFailed("The bucket can't be reached with these settings.", status=FORBIDDEN) from error
    except (BaseError, OSError) as error:
        raise FetchFailed("The bucket does not answer as it should.", status=UNAVAILABLE) from error


def fetch_object(
    wanted: ObjectReference,
    *,
    silence_seconds: float,
    timeout_seconds: float,
    max_bytes: int,
    write: Callable[[bytes], object],
    stop: threading.Event,
) -> int | None:
    """Hand an object to `write`, piece by piece; its size, or None if `stop` was set before the end."""
    ends_at = time.monotonic() + timeout_seconds
    with failures():
        found = obstore.get(bucket_at(wanted.bucket, silence_seconds), wanted.key)
        if found.meta["size"] > max_bytes:
            raise FileTooLarge(max_bytes=max_bytes)
        for piece in found.stream(min_chunk_size=PIECE_BYTES):
            if stop.is_set():
                return None
            if time.monotonic() > ends_at:
                raise FetchTimeout()
            write(bytes(piece))
        return int(found.meta["size"])
