"""References to objects in buckets, such as s3://inbox/letter.pdf, and which of them documents may be read from."""

from dataclasses import dataclass

from pagemill.errors import Refused, SourceNotAllowed, UrlInvalid

BUCKET_SCHEMES = ("s3", "gs", "az")
# The placeholder for the name of the tenant in a prefix.
TENANT = "{tenant}"
LONGEST_KEY = 1_024


@dataclass(frozen=True, slots=True)
class ObjectReference:
    """An object by its bucket, as an address without a path, and its key there."""

    bucket: str
    key: str


def is_reference(url: str) -> bool:
    """Whether an address is that of an object in a bucket."""
    return url.partition("://")[0].lower() in BUCKET_SCHEMES


def parse_reference(url: str) -> ObjectReference:
    """The object that an address names; UrlInvalid if that is none. Keys are taken as they are written."""
    scheme, _, rest = url.partition("://")
    bucket, _, key = rest.partition("/")
    steps = key.split("/")
    if not bucket or "@" in bucket or not key or len(key) > LONGEST_KEY or not url.isprintable():
        raise UrlInvalid("A reference names a bucket and an object in it, such as s3://inbox/letter.pdf.")
    if any(step in ("", ".", "..") for step in steps):
        raise UrlInvalid("The path must not contain empty, '.' or '..' segments.")
    return ObjectReference(f"{scheme.lower()}://{bucket}", key)


def check_reference(url: str, listed: str, tenant: str) -> ObjectReference:
    """The object that an address names, if documents may be read from there; SourceNotAllowed if not."""
    found = parse_reference(url)
    whole = f"{found.bucket}/{found.key}"
    prefixes = (prefix.replace(TENANT, tenant) for prefix in source_prefixes(listed))
    if not any(whole.startswith(prefix) for prefix in prefixes):
        raise SourceNotAllowed()
    return found


def check_prefix(url: str, listed: str, tenant: str) -> ObjectReference:
    """The prefix that an address names, if documents may be read from there; SourceNotAllowed if not."""
    found = check_reference(url.rstrip("/") + "/x", listed, tenant)
    return ObjectReference(found.bucket, found.key.removesuffix("x"))


def source_prefixes(listed: str) -> tuple[str, ...]:
    """The prefixes in PAGEMILL_SOURCE_PREFIXES, each with a final slash; Refused if one is no bucket."""
    found = [prefix.strip() for prefix in listed.split(",") if prefix.strip()]
    for prefix in found:
        if not is_reference(prefix) or not prefix.partition("://")[2].strip("/"):
            raise Refused(
                "PAGEMILL_SOURCE_PREFIXES takes addresses such as s3://inbox/scans/, gs:// or az://."
            )
    return tuple(prefix.rstrip("/") + "/" for prefix in found)
