"""Files put into folders and buckets of others: whole under their name, or not there at all."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from pagemill.errors import PushFailed, Refused
from pagemill.model.push_targets import PushTarget

PIECE_BYTES = 1 << 20
OpenFile = Callable[[], BinaryIO]


def put_file(target: PushTarget, name: str, open_file: OpenFile, timeout_seconds: float) -> None:
    """Put a file into a place under a name, in place of one that is there; PushFailed if it does not take it."""
    if target.is_folder:
        put_into_folder(Path(target.path), name, open_file)
    else:
        put_into_bucket(target, name, open_file, timeout_seconds)


def put_into_folder(root: Path, name: str, open_file: OpenFile) -> None:
    """Write a file beside its name and move it there when it is durable."""
    path = root / name
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_name(f".{path.name}.part")
        with open_file() as source, unfinished.open("wb") as written:
            while piece := source.read(PIECE_BYTES):
                written.write(piece)
            written.flush()
            os.fsync(written.fileno())
        unfinished.replace(path)
    except OSError as error:
        raise PushFailed(f"The folder does not take the result: {error.strerror or 'error'}.") from error


def put_into_bucket(target: PushTarget, name: str, open_file: OpenFile, timeout_seconds: float) -> None:
    """Put an object into a bucket, with the keys that this process finds in its environment."""
    import obstore
    from obstore.exceptions import BaseError, PermissionDeniedError, UnauthenticatedError

    from pagemill.adapters.blobs.references import bucket_at

    key = f"{target.path}/{name}".lstrip("/")
    try:
        with open_file() as source:
            obstore.put(bucket_at(target.bucket, timeout_seconds), key, source)
    except (PermissionDeniedError, UnauthenticatedError) as error:
        raise PushFailed("The bucket refuses our keys.") from error
    except (BaseError, OSError, Refused) as error:
        raise PushFailed("The bucket does not take the result.") from error
