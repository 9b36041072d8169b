"""Push targets: folders and places in buckets that results are copied to when a job ends, and which are allowed."""

from dataclasses import dataclass

from pagemill.errors import PushNotAllowed, Refused, RequestError, UrlInvalid
from pagemill.model.references import BUCKET_SCHEMES, TENANT, parse_reference

FOLDER_SCHEME = "file"
FOLDER_START = "file:///"
PUSH_EVENTS = ("job.completed", "job.failed")


@dataclass(frozen=True, slots=True)
class PushTarget:
    """A place that files are put in: a bucket as an address and a path in it, or a folder if the bucket is empty."""

    bucket: str
    path: str

    @property
    def is_folder(self) -> bool:
        """Whether it is a folder of this machine."""
        return not self.bucket


def is_push_target(url: str) -> bool:
    """Whether an address is a folder or a place in a bucket, and not that of a web server."""
    return url.partition("://")[0].lower() in (*BUCKET_SCHEMES, FOLDER_SCHEME)


def parse_push_target(url: str) -> PushTarget:
    """The place that an address names; UrlInvalid if it is none."""
    if not is_push_target(url):
        raise UrlInvalid(
            "Results are pushed to s3://, gs://, az:// or file:///, such as s3://results/march/."
        )
    if url.lower().startswith(FOLDER_START):
        path = "/" + url[len(FOLDER_START) :].strip("/")
        if not url.isprintable() or any(step in ("", ".", "..") for step in path[1:].split("/")):
            raise UrlInvalid("The path must not contain empty, '.' or '..' segments.")
        return PushTarget("", path)
    # The place is that of any object below it.
    whole = parse_reference(url.rstrip("/") + "/x")
    return PushTarget(whole.bucket, whole.key.rpartition("/")[0])


def check_push_target(url: str, listed: str, tenant: str) -> PushTarget:
    """The place that an address names, if results may be pushed there; PushNotAllowed if not."""
    target = parse_push_target(url)
    whole = (
        "/".join(part for part in (target.bucket or FOLDER_START[:-1], target.path.strip("/")) if part) + "/"
    )
    prefixes = (prefix.replace(TENANT, tenant) for prefix in push_prefixes(listed))
    if not any(whole.startswith(prefix) for prefix in prefixes):
        raise PushNotAllowed()
    return target


def check_usual_target(url: str, listed: str) -> None:
    """Refused if results of all jobs are to be pushed to a place that is not allowed."""
    try:
        if url:
            check_push_target(url, listed, TENANT)
    except RequestError as error:
        raise Refused(f"PAGEMILL_PUSH_TO can't be used: {error.message}") from error


def push_prefixes(listed: str) -> tuple[str, ...]:
    """The prefixes in PAGEMILL_PUSH_PREFIXES, each with a final slash; Refused if one is no bucket and no folder."""
    found = [prefix.strip() for prefix in listed.split(",") if prefix.strip()]
    for prefix in found:
        if not is_push_target(prefix) or not prefix.partition("://")[2].strip("/"):
            raise Refused(
                "PAGEMILL_PUSH_PREFIXES takes addresses such as s3://results/ or file:///srv/results/."
            )
    return tuple(prefix.rstrip("/") + "/" for prefix in found)
