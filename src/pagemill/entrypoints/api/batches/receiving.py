"""What a request for a batch brings, in whichever form it comes, as documents with their options."""

import tempfile
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import IO

import orjson
from pydantic import TypeAdapter, ValidationError
from starlette.requests import Request

from pagemill.desk import webhooks
from pagemill.entrypoints.access.caller import tenant_of
from pagemill.entrypoints.api.batches.forms import BatchForm
from pagemill.entrypoints.api.batches.intake import BatchIntake, ReceivedEntry
from pagemill.entrypoints.api.batches.request_docs import NOT_FOR_BATCHES
from pagemill.entrypoints.api.batches.shapes import BatchRequest, BatchUrl
from pagemill.entrypoints.api.batches.unzip import unpack
from pagemill.entrypoints.api.state import ApiState
from pagemill.entrypoints.api.upload.by_url import display_name, source_of
from pagemill.entrypoints.api.upload.json_options import RequestedOptions
from pagemill.entrypoints.api.upload.multipart import boundary_of
from pagemill.entrypoints.api.upload.options import FORM_NAMES, UploadOptions, parse_options
from pagemill.entrypoints.api.upload.submit import (
    Fields,
    encrypted_webhook,
    query_fields,
    store_pieces,
    submission_of,
)
from pagemill.entrypoints.thread_pools import run_in_thread
from pagemill.entrypoints.wire.bodies import json_body, load_json, media_type_of
from pagemill.entrypoints.wire.problems import invalid, invalid_below, invalid_model, pointer
from pagemill.errors import (
    FileTooLarge,
    PagemillError,
    SourceNotAllowed,
    TooManyItems,
    UnsupportedMediaType,
    UrlForbiddenAddress,
    UrlInvalid,
    UrlSchemeNotAllowed,
    ValidationFailed,
)
from pagemill.model.batches import EntryError
from pagemill.model.file_types import ARCHIVE_CONTENT_TYPES
from pagemill.model.filenames import sanitise_filename
from pagemill.model.labels import LabelChange
from pagemill.model.references import check_prefix, check_reference, is_reference
from pagemill.model.validation_messages import name_advice
from pagemill.model.webhooks import DEFAULT_BATCH_EVENTS
from pagemill.steps.accept import BatchSubmission, NewBatchEntry, in_batch, unfetched_upload

JSON_TYPE, MULTIPART = "application/json", "multipart/form-data"
MAX_LIST_BYTES = 8_000_000
MAX_NAME = 200
# Fields that are about the batch; those about its documents are as at `POST /v1/jobs`.
OWN_FIELDS = frozenset({"name", "items"})
# Given for all, they are about the batch as a whole.
WEBHOOK_FIELDS = frozenset({"webhook_url", "webhook_events", "webhook_secret"})
ALLOWED = (FORM_NAMES - NOT_FOR_BATCHES) | OWN_FIELDS
EACH = TypeAdapter(dict[str, RequestedOptions])
URL_FAULTS = (UrlInvalid, UrlSchemeNotAllowed, UrlForbiddenAddress, SourceNotAllowed)


@dataclass(frozen=True, slots=True)
class BatchOptions:
    """What was asked for all documents, for each by its name or number, and of the batch itself.

    `pointers` says where in the request the options of each are.
    """

    common: Fields
    each: Mapping[str, RequestedOptions]
    pointers: Mapping[str, str]
    name: str

    def for_all(self, state: ApiState) -> UploadOptions:
        """What was asked for all documents, and for the batch."""
        return parse_options(self.common, state.default_providers, state.providers)

    def for_entries(self, state: ApiState, names: Sequence[str]) -> list[UploadOptions]:
        """The options of each document: its own, and those for all where it has none."""
        own = keys_by_place(self.each, names)
        # The address that came with the batch is its own: it is notified once, not for every document.
        for_all = replace(self.for_all(state), webhook=None)
        return [
            self._with_own(state, own[place]) if place in own else for_all for place, _ in enumerate(names)
        ]

    def _with_own(self, state: ApiState, key: str) -> UploadOptions:
        own = self.each[key].fields()
        names = {field for field, _ in own} | WEBHOOK_FIELDS
        rest = [field for field in self.common if field[0] not in names]
        try:
            return parse_options([*rest, *own], state.default_providers, state.providers)
        except ValidationFailed as error:
            raise invalid_below(self.pointers[key], error) from error


def keys_by_place(each: Collection[str], names: Sequence[str]) -> dict[int, str]:
    """Which options belong to the document at each place, if any; ValidationFailed for those of no document."""
    numbers = {str(number): [number - 1] for number, _ in enumerate(names, 1)}
    named: defaultdict[str, list[int]] = defaultdict(list)
    for place, name in enumerate(names):
        named[name].append(place)
    found: dict[int, str] = {}
    unused: list[str] = []
    keys = {key: sanitise_filename(key) for key in each}
    # A document that has options by its name does not look for others by its number.
    for key in sorted(each, key=lambda key: keys[key] not in named):
        places = [place for place in named.get(keys[key], numbers.get(key, [])) if place not in found]
        found |= dict.fromkeys(places, key)
        unused += [] if places else [key]
    if unused:
        reason = "no document without options has this name, or this number, counted from 1"
        raise invalid(*((pointer(("items", key)), f"{reason}: {key[:MAX_NAME]!r}") for key in unused))
    return found


async def receive_batch(
    request: Request, state: ApiState, intake: BatchIntake, key: str | None
) -> BatchSubmission:
    """The batch that a request asks for; what it brings is stored by the intake."""
    match media_type_of(request):
        case "application/json":
            return await receive_urls(request, state, key)
        case "multipart/form-data":
            fields = await receive_files(request, state, intake)
        case media_type if media_type in ARCHIVE_CONTENT_TYPES:
            fields = await receive_archive(request, state, intake)
        case _:
            raise UnsupportedMediaType(accepted=[MULTIPART, JSON_TYPE, *ARCHIVE_CONTENT_TYPES])
    options = batch_options([*query_fields(request), *fields])
    wanted = options.for_entries(state, [received.name for received in intake.items])
    await check_webhooks(state, [options.for_all(state), *wanted])
    items = [entry_of(request, state, *one) for one in zip(intake.items, wanted, strict=True)]
    return batch_of(request, state, items, options, key)


def entry_of(
    request: Request, state: ApiState, received: ReceivedEntry, wanted: UploadOptions
) -> NewBatchEntry:
    """An item of a batch whose bytes were stored, or refused."""
    if received.upload is None:
        return NewBatchEntry(received.name, None, received.error)
    submission = submission_of(request, state, wanted, received.upload, None)
    return NewBatchEntry(received.name, in_batch(submission))


def batch_of(
    request: Request, state: ApiState, items: Sequence[NewBatchEntry], options: BatchOptions, key: str | None
) -> BatchSubmission:
    """A batch of these items."""
    wanted, tenant = options.for_all(state), tenant_of(request)
    webhook = (
        encrypted_webhook(state.mill, tenant, wanted.webhook, DEFAULT_BATCH_EVENTS)
        if wanted.webhook
        else None
    )
    return BatchSubmission(
        tenant=tenant,
        items=items,
        name=options.name,
        metadata=wanted.metadata,
        keep_seconds=state.mill.limits.of(tenant).keep_seconds(wanted.expires_in_seconds),
        idempotency_key=key,
        receivers=(webhook,) if webhook else (),
    )


async def check_webhooks(state: ApiState, wanted: Sequence[UploadOptions]) -> None:
    """Raises WebhookUrlInvalid or UrlForbiddenAddress for an address that may not be notified."""
    urls = {one.webhook.url for one in wanted if one.webhook is not None}
    if urls:
        await run_in_thread(webhooks.check_urls, state.mill, urls)


def batch_options(fields: Fields) -> BatchOptions:
    """The options in the fields of a form or a query; ValidationFailed points at what is at fault."""
    own = {name: value for name, value in fields if name in OWN_FIELDS}
    common = [field for field in fields if field[0] not in OWN_FIELDS]
    if unknown := [name for name, _ in common if name not in ALLOWED]:
        name = unknown[0][:MAX_NAME]
        reason = f"there is no option {name!r} for a batch; {name_advice(name, ALLOWED)}"
        raise invalid((pointer([name]), reason))
    if len(own.get("name", "")) > MAX_NAME:
        raise invalid(("/name", f"a name has at most {MAX_NAME} characters"))
    each = options_of_each(own.get("items", ""))
    return BatchOptions(common, each, {key: pointer(("items", key)) for key in each}, own.get("name", ""))


def options_of_each(text: str) -> dict[str, RequestedOptions]:
    """Options by the name or the number of a document."""
    if not text:
        return {}
    try:
        return EACH.validate_python(load_json(text))
    except orjson.JSONDecodeError as error:
        raise invalid(("/items", f"items is not valid JSON at byte {error.pos}: {error.msg}")) from error
    except ValidationError as error:
        raise invalid_below("/items", invalid_model(error)) from error


async def receive_files(request: Request, state: ApiState, intake: BatchIntake) -> Fields:
    """Take a form with files; the fields beside them are returned."""
    with spool(state) as archive:
        form = BatchForm(boundary_of(request.headers["content-type"]), ALLOWED, intake, archive)
        await store_pieces(request, state, form.parse_piece, direct_bytes=0)
        await state.making.run(form.finish)
    await run_in_thread(intake.settle)
    return form.fields


async def receive_archive(request: Request, state: ApiState, intake: BatchIntake) -> Fields:
    """Take a body that is an archive of documents."""
    most, taken = state.mill.settings.max_batch_bytes, 0

    def store(piece: bytes) -> None:
        nonlocal taken
        taken += archive.write(piece)
        if taken > most:
            raise FileTooLarge(max_bytes=most)

    with spool(state) as archive:
        await store_pieces(request, state, store, direct_bytes=0)
        await state.making.run(unpack, archive, intake)
    await run_in_thread(intake.settle)
    return []


def spool(state: ApiState) -> IO[bytes]:
    """A file without a name for an archive that is unpacked at once; it is gone when it is closed, or the process ends."""
    return tempfile.TemporaryFile(dir=state.mill.settings.data_dir, prefix="batch-")


async def receive_urls(request: Request, state: ApiState, key: str | None) -> BatchSubmission:
    """Take a list of URLs; one that may not be fetched is refused alone."""
    settings = state.mill.settings
    body = await json_body(request, BatchRequest, settings, MAX_LIST_BYTES)
    if bool(body.items) == bool(body.prefix):
        raise invalid(("/items", "a batch has either items or a prefix"))
    wanted = body.items if not body.prefix else await listed_objects(request, state, body.prefix)
    if len(wanted) > settings.max_batch_items:
        raise TooManyItems(max_items=settings.max_batch_items)
    named = batch_options(query_fields(request))
    common = [*named.common, *body.options.fields()]
    labels = LabelChange().apply(body.metadata)
    by_number = {str(number): one for number, one in enumerate(wanted, 1)}
    pointers = {number: f"/items/{place}" for place, number in enumerate(by_number)}
    options = BatchOptions(common, by_number, pointers, body.name or named.name)
    each = options.for_entries(state, [""] * len(wanted))
    await check_webhooks(state, [options.for_all(state), *each])
    items = [url_entry(request, state, *one) for one in zip(wanted, each, strict=True)]
    return replace(batch_of(request, state, items, options, key), metadata=labels)


async def listed_objects(request: Request, state: ApiState, prefix: str) -> list[BatchUrl]:
    """The objects below a prefix, as far as a batch may have them and one more; FetchFailed if there are none."""
    settings = state.mill.settings
    wanted = check_prefix(prefix, settings.source_prefixes, tenant_of(request))
    from pagemill.adapters.blobs.references import list_objects

    most, seconds = settings.max_batch_items + 1, settings.blobs_timeout_seconds
    keys = await state.making.run(list_objects, wanted, most, timeout_seconds=seconds)
    return [BatchUrl(url=f"{wanted.bucket}/{key}") for key in keys]


def url_entry(request: Request, state: ApiState, document: BatchUrl, wanted: UploadOptions) -> NewBatchEntry:
    """An item of a batch that is fetched from its URL."""
    name = display_name(wanted.filename, document.url)
    try:
        if is_reference(document.url):
            check_reference(document.url, state.mill.settings.source_prefixes, tenant_of(request))
        source = source_of(state, document.url, document.headers, wanted)
    except URL_FAULTS as error:
        return NewBatchEntry(name, None, error_of(error))
    submission = submission_of(request, state, wanted, unfetched_upload(name), None, source)
    return NewBatchEntry(name, in_batch(submission))


def error_of(error: PagemillError) -> EntryError:
    """An error as an item shows it."""
    return {"code": error.code, "message": error.message}
