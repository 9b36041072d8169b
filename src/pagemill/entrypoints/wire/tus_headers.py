"""What the tus protocol (1.0.0) has every answer about uploads say."""

from pagemill.settings import Settings

UPLOADS = "/v1/uploads"
RESUMABLE, VERSION = "tus-resumable", "1.0.0"
ALGORITHMS = ("sha1", "sha256", "md5")
EXPOSED_NAMES = (
    "Tus-Resumable, Tus-Version, Tus-Extension, Tus-Max-Size, Tus-Checksum-Algorithm, Upload-Offset, Upload-Length, "
    "Upload-Expires, Upload-Metadata, Upload-Defer-Length"
)


def capabilities(path: str, settings: Settings) -> dict[str, str]:
    """The headers that say what can be done, in an answer to OPTIONS; none for addresses that are not about uploads."""
    if path != UPLOADS and not path.startswith(f"{UPLOADS}/"):
        return {}
    return {
        RESUMABLE: VERSION,
        "tus-version": VERSION,
        "tus-extension": "creation,creation-with-upload,creation-defer-length,expiration,checksum,termination",
        "tus-max-size": str(settings.max_file_bytes),
        "tus-checksum-algorithm": ",".join(ALGORITHMS),
    }
