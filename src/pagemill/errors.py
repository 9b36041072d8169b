"""Every error that pagemill reports: what happened, whose fault it is, whether to try again.

PagemillError
├── RequestError      the request is at fault (4xx); the docstring says what to change
├── DocumentError     the document is at fault; the job ends `failed` with this code
├── LimitError        a limit of this installation was met; smaller input or a higher setting helps
└── OutageError       our side is at fault; nothing is counted against the document, try again

The first paragraph of a class's docstring is the advice for the caller; `docs/errors.md` lists them all.
"""

import errno
import os
from collections.abc import Mapping
from inspect import cleandoc
from typing import ClassVar, Self

Detail = str | int | float | bool | None | list[str]


class PagemillError(Exception):
    """Something went wrong inside pagemill. Report it with the job id."""

    code: ClassVar[str] = "internal_error"
    status: ClassVar[int] = 500
    retryable: ClassVar[bool] = False

    def __init__(self, message: str = "", **details: Detail) -> None:
        super().__init__(message or self.advice())
        self.message = message or self.advice()
        self.details: Mapping[str, Detail] = details

    @classmethod
    def advice(cls) -> str:
        """What the caller should do, from the class's docstring."""
        return " ".join(cleandoc(cls.__doc__ or "").split("\n\n")[0].split())

    @classmethod
    def title(cls) -> str:
        """The error's name in words, for headings and problem titles."""
        return cls.code.replace("_", " ").capitalize()


class RequestError(PagemillError):
    """The request can't be taken as it is. Change it as the message says."""

    code = "bad_request"
    status = 400


class DocumentError(PagemillError):
    """The document can't be read. Another copy of it may be better."""

    code = "document_unreadable"
    status = 422


class LimitError(PagemillError):
    """A limit of this installation was met. Hand in less, or raise the setting."""

    code = "limit_exceeded"
    status = 422

    @classmethod
    def because(cls, reason: str, **details: Detail) -> Self:
        """The error with what was found as its first sentence, and what to do as the rest."""
        return cls(f"{reason} {cls.advice().split('. ', 1)[1]}", **details)


class OutageError(PagemillError):
    """A part of the service is not available right now. Try again after the time in Retry-After."""

    code = "unavailable"
    status = 503
    retryable = True


# --- requests -----------------------------------------------------------------------------------


class NotFound(RequestError):
    """There is nothing at this address. Check the path and the id; ids are only visible to their own tenant."""

    code = "not_found"
    status = 404


class Gone(RequestError):
    """This was deleted or has expired. Hand the document in again."""

    code = "gone"
    status = 410


class MethodNotAllowed(RequestError):
    """This address does not take that method. The Allow header lists those that it takes."""

    code = "method_not_allowed"
    status = 405


class NotAcceptable(RequestError):
    """The answer is not available in the requested type. Ask for one of the listed types in Accept."""

    code = "not_acceptable"
    status = 406


class UnsupportedMediaType(RequestError):
    """The Content-Type of the request is not taken here. Send one of the listed types."""

    code = "unsupported_media_type"
    status = 415


class InvalidJson(RequestError):
    """The body is not valid JSON. The message says where it breaks."""

    code = "invalid_json"


class InvalidEncoding(RequestError):
    """The body is JSON in another encoding than UTF-8, or has half of a character. Send UTF-8."""

    code = "invalid_encoding"


class InvalidMultipart(RequestError):
    """The multipart body can't be parsed. Let an HTTP library build it, with its boundary in Content-Type."""

    code = "invalid_multipart"


class ContentTooLarge(RequestError):
    """The body is larger than this address takes. Send less."""

    code = "content_too_large"
    status = 413


class UriTooLong(RequestError):
    """The address is longer than 8 kB. Send options in the body instead."""

    code = "uri_too_long"
    status = 414


class HeadersTooLarge(RequestError):
    """The request has too many or too long headers. Send fewer."""

    code = "headers_too_large"
    status = 431


class BodyIncomplete(RequestError):
    """The body ended before it was complete; nothing was stored. Send it again."""

    code = "body_incomplete"


class UploadTooSlow(RequestError):
    """The body arrived too slowly and the connection was given up; nothing was stored. Send it again."""

    code = "upload_too_slow"
    status = 408
    retryable = True


class ValidationFailed(RequestError):
    """A field is unknown or has a value that is not allowed. `errors` points at it."""

    code = "validation_error"
    status = 422


class FileMissing(RequestError):
    """The request has no document in it. Send a multipart part named `file`, or the document as the raw body."""

    code = "file_missing"
    status = 422


class TooManyFiles(RequestError):
    """The request has more than one file. Send one document per request."""

    code = "too_many_files"
    status = 422


class FileEmpty(RequestError):
    """The file has no bytes in it. Check that it was read before it was sent."""

    code = "file_empty"
    status = 422


class FileTooLarge(RequestError):
    """The file is larger than `max_bytes`. Split it, or raise PAGEMILL_MAX_FILE_BYTES."""

    code = "file_too_large"
    status = 413


class UnsupportedFileType(RequestError):
    """The bytes are not of a type that can be read. `detected` says what they look like; send another format."""

    code = "unsupported_file_type"
    status = 415


class DigestMismatch(RequestError):
    """The bytes that arrived don't match Content-Digest; nothing was stored. Send them again."""

    code = "digest_mismatch"


class IdempotencyKeyInvalid(RequestError):
    """The Idempotency-Key must be 1 to 255 printable ASCII characters."""

    code = "idempotency_key_invalid"


class IdempotencyKeyMissing(RequestError):
    """This address needs an Idempotency-Key. Send a key of your own that is new for every document, such as a UUID."""

    code = "idempotency_key_missing"


class IdempotencyKeyReused(RequestError):
    """This Idempotency-Key was used with another document or other options. Use a new key for a new request."""

    code = "idempotency_key_reused"
    status = 422


class InvalidCursor(RequestError):
    """The cursor is not one that this list gave out. Start again without a cursor."""

    code = "invalid_cursor"


class MetadataTooLarge(RequestError):
    """The metadata is larger than 16 kB or has more than 64 entries. Keep it elsewhere and send a reference."""

    code = "metadata_too_large"
    status = 422


class JobNotFinished(RequestError):
    """The job is still running. Ask again after Retry-After, or watch its events."""

    code = "job_not_finished"
    status = 409
    retryable = True


class JobFailed(RequestError):
    """The job ended without a result. Its `error` says why."""

    code = "job_failed"
    status = 409


class JobTerminal(RequestError):
    """The job has already ended; there is nothing to stop."""

    code = "job_terminal"
    status = 409


class JobActive(RequestError):
    """The job is still running. Cancel it first, or wait for its end."""

    code = "job_active"
    status = 409


class NothingToRetry(RequestError):
    """No page of this job failed. Ask for all pages to read everything again."""

    code = "nothing_to_retry"
    status = 409


class PageNotReady(RequestError):
    """This page has not been read yet. Ask again after Retry-After."""

    code = "page_not_ready"
    status = 409
    retryable = True


class ArtifactNotMade(RequestError):
    """This job was not asked for that format. Hand the document in again with it in `formats`."""

    code = "artifact_not_made"
    status = 404


class NoPageImage(RequestError):
    """This document has no printed pages that could be drawn. Read it as HTML, Markdown or JSON."""

    code = "no_page_image"
    status = 404


class RangeNotSatisfiable(RequestError):
    """The requested range is outside the file. Content-Range says how long it is."""

    code = "range_not_satisfiable"
    status = 416


class ArchiveInvalid(RequestError):
    """The archive is damaged, encrypted or empty. Make it again without a password, as ZIP or TAR."""

    code = "archive_invalid"
    status = 422


class TooManyItems(RequestError):
    """The batch has more documents than one may have. Send several batches."""

    code = "too_many_items"
    status = 422


class UploadNotFound(RequestError):
    """There is no such upload, nothing was put there, or its time is over. Ask for a new one with POST /v1/uploads."""

    code = "upload_not_found"
    status = 404


class UploadOffsetMismatch(RequestError):
    """The upload is at another offset than the request begins at. Ask for the offset with HEAD, and go on from there."""

    code = "upload_offset_mismatch"
    status = 409


class ChecksumMismatch(RequestError):
    """The bytes of the request are not those of its checksum; they were thrown away. Send them again."""

    code = "checksum_mismatch"
    status = 460


class TusVersionUnsupported(RequestError):
    """Resumable uploads speak version 1.0.0 of the tus protocol. Send the header `Tus-Resumable: 1.0.0`."""

    code = "tus_version_unsupported"
    status = 412


class LinksNotOffered(RequestError):
    """Files are stored where presigned upload links can't be made. Send documents with POST /v1/jobs."""

    code = "links_not_offered"
    status = 409


class SearchNotOffered(RequestError):
    """This installation keeps no search index. PAGEMILL_SEARCH=true makes one of what is read from then on."""

    code = "search_not_offered"
    status = 409


class RevisionConflict(RequestError):
    """The document has a newer revision than the one that was corrected. Look at the newest, and correct that."""

    code = "revision_conflict"
    status = 409


class TooManyCorrections(RequestError):
    """The document was corrected as often as it may be. Send more changes in one correction, or hand the document in again."""

    code = "too_many_corrections"
    status = 409


class CorrectionInvalid(RequestError):
    """A correction names what the document does not have, or asks for an impossible change. The message says which."""

    code = "correction_invalid"
    status = 422


class VectorsNotOffered(RequestError):
    """This installation keeps no vectors. Search with mode=text; PAGEMILL_EMBEDDINGS=minilm or server makes vectors."""

    code = "vectors_not_offered"
    status = 409


class LinkInvalid(RequestError):
    """The link has run out, was changed, or is used for something else. Ask for a new one."""

    code = "link_invalid"
    status = 403


class UrlInvalid(RequestError):
    """The URL can't be used. The message says what is wrong with it."""

    code = "url_invalid"
    status = 422


class UrlSchemeNotAllowed(RequestError):
    """Only http:// and https:// URLs are used. Give another one."""

    code = "url_scheme_not_allowed"
    status = 422


class UrlForbiddenAddress(RequestError):
    """The URL leads to a private or reserved address. List its network in PAGEMILL_OUTBOUND_ALLOW if it is meant to."""

    code = "url_forbidden_address"
    status = 422


class SourceNotAllowed(RequestError):
    """Documents are not read from this bucket or folder. Ask the operator to add it to PAGEMILL_SOURCE_PREFIXES."""

    code = "source_not_allowed"
    status = 403


class PushNotAllowed(RequestError):
    """Results are not pushed to this bucket or folder. Ask the operator to add it to PAGEMILL_PUSH_PREFIXES."""

    code = "push_not_allowed"
    status = 403


class PushFailed(RequestError):
    """The bucket or folder did not take the result. It is tried again later; look at its keys, rights and space."""

    code = "push_failed"
    status = 502


class WebhookUrlInvalid(RequestError):
    """The address can't be notified. Use https://, or http:// to a network listed in PAGEMILL_OUTBOUND_ALLOW."""

    code = "webhook_url_invalid"
    status = 422


class WebhookLimit(RequestError):
    """The tenant has as many webhook endpoints as PAGEMILL_WEBHOOK_ENDPOINTS allows. Delete one first."""

    code = "webhook_limit"
    status = 409


class TooManyRules(RequestError):
    """The tenant has as many routing rules as there may be. Remove some, or put conditions together."""

    code = "too_many_rules"
    status = 409


class TooManyExamples(RequestError):
    """There are as many labelled examples as are compared with a document. Remove the least useful ones."""

    code = "too_many_examples"
    status = 409


class DeliveryActive(RequestError):
    """The delivery is being sent just now. Look at it again in a moment."""

    code = "delivery_active"
    status = 409


class FetchFailed(RequestError):
    """The server of the URL did not answer as it should. Check the URL and whether the server runs; it is tried again."""

    code = "fetch_failed"
    status = 422
    retryable = True


class FetchTimeout(RequestError):
    """The server of the URL took too long. Have it answer sooner, or raise the limit: PAGEMILL_FETCH_TIMEOUT_SECONDS for
    documents, PAGEMILL_WEBHOOK_TIMEOUT_SECONDS for webhooks.
    """

    code = "fetch_timeout"
    status = 422
    retryable = True


class TlsError(RequestError):
    """The server's certificate is invalid, expired or for another name. Install a valid one."""

    code = "tls_error"
    status = 422
    retryable = True


class TooManyRedirects(RequestError):
    """The URL redirects too often. Send the final one."""

    code = "too_many_redirects"
    status = 422


class Unauthorized(RequestError):
    """A valid API key is needed. Send it as `Authorization: Bearer KEY` or `X-API-Key: KEY`."""

    code = "unauthorized"
    status = 401


class Forbidden(RequestError):
    """This concerns the whole installation. Ask with the operator's key, the one in PAGEMILL_API_KEY."""

    code = "forbidden"
    status = 403


class SessionHeaderMissing(RequestError):
    """A change with a session needs the header `X-Pagemill-Web`, which no other site can send. Or send the key instead."""

    code = "session_header_missing"
    status = 403


class InsufficientScope(RequestError):
    """The key may not be used for this. Use one with the scope that the message names."""

    code = "insufficient_scope"
    status = 403


class LoginNotAllowed(RequestError):
    """No rule of this installation lets this account in. Ask its operator to add one to PAGEMILL_OIDC_ACCESS."""

    code = "login_not_allowed"
    status = 403


class LoginExpired(RequestError):
    """The log-in took too long, was already used, or was started in another browser. Start it again."""

    code = "login_expired"
    status = 400


class LoginFailed(RequestError):
    """The log-in provider did not confirm the log-in. Start it again; if it fails again, tell the operator."""

    code = "login_failed"
    status = 403


class KeysNotNeeded(RequestError):
    """This installation is open, and its first key would shut you out. Set PAGEMILL_API_KEY, the operator's key, first."""

    code = "keys_not_needed"
    status = 409


class TooManyRequests(RequestError):
    """Too many requests from this address or with this tenant's keys. Wait for the time in Retry-After."""

    code = "too_many_requests"
    status = 429
    retryable = True


class QuotaExceeded(RequestError):
    """A quota of the tenant is used up; `violated-policies` names it. Try again after Retry-After."""

    code = "quota_exceeded"
    status = 429
    retryable = True


class BadHost(RequestError):
    """The Host or Origin header is not one that this service answers to. Add it to PAGEMILL_ALLOWED_HOSTS."""

    code = "bad_host"


# --- documents ----------------------------------------------------------------------------------


class PdfCorrupt(DocumentError):
    """The PDF is damaged beyond repair. Open it in a viewer and save it again, or get another copy."""

    code = "pdf_corrupt"


class ImageCorrupt(DocumentError):
    """The image is damaged or cut off. Open it in a viewer and save it again, or get another copy."""

    code = "image_corrupt"


class DocumentCorrupt(DocumentError):
    """The file is damaged or cut off. Open it in the program that made it and save it again, or get another copy."""

    code = "document_corrupt"


class UnsupportedContent(DocumentError):
    """The file is an archive or a container without a document that can be read. Hand in the document itself."""

    code = "unsupported_content"


class NoPages(DocumentError):
    """The document has no pages."""

    code = "no_pages"


class PasswordRequired(DocumentError):
    """The document is encrypted. Send its password along in `password`, also when it is retried or a page is read again."""

    code = "password_required"


class PasswordIncorrect(DocumentError):
    """The password does not open the document. Hand it in again with the right one."""

    code = "password_incorrect"


class EncryptionUnsupported(DocumentError):
    """The document uses an encryption that can't be opened here. Save it without protection first."""

    code = "encryption_unsupported"


class MalwareDetected(DocumentError):
    """The scanner found malware in the document, so it was not opened. Look at where the file comes from."""

    code = "malware_detected"


class ScanFailed(DocumentError):
    """The scanner could not scan the document, so it was not opened. The message says which limit of it to raise."""

    code = "scan_failed"


class PageOutOfRange(DocumentError):
    """None of the requested pages exist in the document. Ask for pages that it has."""

    code = "page_out_of_range"


class PageUnreadable(DocumentError):
    """No provider could read this page. Look at its image, or have it read with other providers or options."""

    code = "page_unreadable"


class WorkerCrashed(DocumentError):
    """Reading the document made the reading process crash each time it was tried."""

    code = "worker_crashed"


# --- limits -------------------------------------------------------------------------------------


class TooManyPages(LimitError):
    """The document has more pages than are allowed. Ask for a part of it with `pages`, or raise PAGEMILL_MAX_PAGES."""

    code = "too_many_pages"


class ImageTooLarge(LimitError):
    """The image has too many pixels. Hand in a smaller one, or raise PAGEMILL_MAX_IMAGE_PIXELS."""

    code = "image_too_large"


class ArchiveBomb(LimitError):
    """The file unpacks to far more than is allowed. Save it again without what makes it large, or split it."""

    code = "archive_bomb"


class DecompressionLimit(LimitError):
    """A part of the document unpacks to far more than is allowed. Save it again with another program."""

    code = "decompression_limit"


class DocumentTooLarge(LimitError):
    """The document has more cells, blocks or elements than can be read. Split it, or remove what is not needed."""

    code = "document_too_large"


class PageTooLarge(LimitError):
    """The page is too large to be drawn. Ask for a lower resolution."""

    code = "page_too_large"


class PageTimeout(LimitError):
    """Reading this took longer than is allowed. Raise PAGEMILL_PAGE_TIMEOUT_SECONDS if the document is worth it."""

    code = "page_timeout"


class Timeout(LimitError):
    """The document took too long. Raise PAGEMILL_PAGE_TIMEOUT_SECONDS and PAGEMILL_CHUNK_TIMEOUT_SECONDS."""

    code = "timeout"


class MemoryLimit(LimitError):
    """Reading this needed more memory than is allowed. Raise PAGEMILL_PRESS_MEMORY_BYTES if the document is worth it."""

    code = "memory_limit"


class DocumentLimit(LimitError):
    """Too many pages of the document crashed the reader; this one was not tried. Raise PAGEMILL_MAX_DOCUMENT_CRASHES."""

    code = "document_limit"


class ResourceLimit(LimitError):
    """Reading this wrote more to the disk than is allowed. Raise PAGEMILL_PRESS_DISK_BYTES if the document is worth it."""

    code = "resource_limit"


# --- outages ------------------------------------------------------------------------------------


class StorageFull(OutageError):
    """The disk is full; nothing was stored. Free some space, then try again."""

    code = "storage_full"
    status = 507


class StorageUnavailable(OutageError):
    """Files can't be stored or read right now. Try again after Retry-After."""

    code = "storage_unavailable"


class EncryptionKeyUnavailable(StorageUnavailable):
    """Stored files are encrypted with a key that the service does not have. Its operator has to give it in the settings."""

    code = "encryption_key_unavailable"


class DatabaseUnavailable(OutageError):
    """The database does not answer. Try again after Retry-After."""

    code = "database_unavailable"


class Overloaded(OutageError):
    """There is as much to do as the installation takes on. Try again after Retry-After."""

    code = "overloaded"


class UploadCapacity(Overloaded):
    """Too many large documents are being uploaded at once; nothing was stored. Send it again after Retry-After."""

    code = "upload_capacity"


class SearchTimeout(OutageError):
    """The search took longer than PAGEMILL_SEARCH_SECONDS. Ask for rarer words, fewer hits or fewer documents, or try again."""

    code = "search_timeout"


class ShuttingDown(OutageError):
    """The service is stopping. Try again in a moment."""

    code = "shutting_down"


class ProviderUnavailable(PagemillError):
    """The provider that should read the page did not answer. Look at its server, or name another provider, and retry."""

    code = "provider_unavailable"
    status = 503
    retryable = True


class ModelUnavailable(OutageError):
    """The language model is busy or away. Try again after Retry-After, and look at its server if that does not help."""

    code = "model_unavailable"


class ModelFailed(PagemillError):
    """The language model refused the request or gave an unusable answer. The message says which setting to look at."""

    code = "model_failed"
    status = 502


class LoginProviderUnavailable(OutageError):
    """The log-in provider does not answer as it should. Try again later, or log in with an API key."""

    code = "login_provider_unavailable"


class ModelNotConfigured(RequestError):
    """This needs a language model, and the service has none. Set PAGEMILL_LLM_URL and PAGEMILL_LLM_MODEL."""

    code = "model_not_configured"
    status = 409


class ScannerUnavailable(OutageError):
    """The malware scanner does not answer, so the document was not opened. Look at the scanner, then retry the job."""

    code = "scanner_unavailable"


class WorkerLost(OutageError):
    """The workers that took this document vanished too often. Look at the workers, then retry the job."""

    code = "worker_lost"


class StoredFileMissing(PagemillError):
    """A stored file is missing or damaged. Check whether files were removed from the folder or bucket, then upload it again."""

    code = "stored_file_missing"
    status = 410
    retryable = True


class InternalError(PagemillError):
    """Something unexpected happened on our side; it is in the log. Report it with the job id."""


class Refused(PagemillError):
    """The service will not start like this. The message says which setting to change."""

    code = "refused"
    status = 500


def storage_trouble(error: OSError) -> OutageError:
    """Trouble of the file system in our own words, without paths; a full disk has an error of its own."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return StorageFull()
    return StorageUnavailable(f"Files can't be stored or read: {os.strerror(error.errno or 0)}.")


def every_error() -> list[type[PagemillError]]:
    """All error classes that have a code of their own, in the order of the tree."""
    found: list[type[PagemillError]] = []
    queue: list[type[PagemillError]] = [PagemillError]
    while queue:
        kind = queue.pop(0)
        found.append(kind)
        queue.extend(kind.__subclasses__())
    return found


BY_CODE = {kind.code: kind for kind in reversed(every_error())}
