"""E-mail: the head, the body, and a list of what is attached."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from email import policy
from email.errors import MessageError
from email.message import EmailMessage
from email.parser import BytesParser
from itertools import islice

from oxmsg import Message

from pagemill.errors import DocumentCorrupt
from pagemill.model.pages import Block, Kind
from pagemill.reading.office.calendars import calendar_events
from pagemill.reading.office.charset import decode
from pagemill.reading.office.flow import Flow
from pagemill.reading.office.plain_text import paragraphs
from pagemill.reading.office.web_pages import read_html
from pagemill.reading.office.writing import heading, paragraph

EMBEDDED = "embedded_files"
HEADERS = ("From", "To", "Cc", "Date")
ENCLOSED, CALENDAR = "message/rfc822", "text/calendar"
MOST_PARTS, MOST_FORWARDED, LONGEST_NAME = 1_000, 8, 100
# What the library raises over the headers of a damaged message, depending on where it stumbles.
MALFORMED = (AttributeError, LookupError, MessageError, TypeError, ValueError)


@dataclass(frozen=True, slots=True)
class MailAttachment:
    """A file that came with an e-mail."""

    name: str
    media_type: str
    raw: bytes


@dataclass(frozen=True, slots=True)
class Mail:
    """An e-mail, whatever its format."""

    headers: tuple[tuple[str, str], ...]
    subject: str
    html: str | None
    text: str | None
    attachments: tuple[MailAttachment, ...]
    events: tuple[str, ...] = ()
    forwarded: tuple["Mail", ...] = ()


def mail_flow(mail: Mail, warnings: dict[str, None], level: int = 1) -> Flow:
    """The blocks of an e-mail, then those of the e-mails that were sent with it."""
    flow = Flow()
    if mail.subject.strip():
        flow.add(heading(mail.subject, level))
    for name, value in mail.headers:
        flow.add(Block("", Kind.PARAGRAPH, text=f"{name}: {' '.join(value.split())}", role="email_header"))
    flow.add(*_body(mail, warnings))
    for event in mail.events:
        flow.add(Block("", Kind.PARAGRAPH, text=event, role="calendar_event"))
    if mail.attachments:
        warnings[EMBEDDED] = None
        flow.add(paragraph("Attachments:"), *_attachments(mail.attachments))
    for one in mail.forwarded:
        flow.add(*mail_flow(one, warnings, level + 1).blocks)
    return flow


def _body(mail: Mail, warnings: dict[str, None]) -> list[Block]:
    if mail.html and mail.html.strip():
        found = read_html(mail.html, warnings).blocks
        if found:
            return found
    return paragraphs(mail.text or "").blocks


def _attachments(attachments: Iterable[MailAttachment]) -> Iterator[Block]:
    for one in attachments:
        words = f"{one.name} ({one.media_type}, {len(one.raw):,} bytes)"
        yield Block("", Kind.LIST_ITEM, text=words, level=0, role="attachment")


def read_eml(raw: bytes) -> Mail:
    """An e-mail as it is sent (RFC 5322)."""
    return _mail(BytesParser(policy=policy.default).parsebytes(raw))


def _mail(message: EmailMessage, depth: int = 0) -> Mail:
    html, text, attachments = _parts(message)
    headers = tuple((name, _header(message, name)) for name in HEADERS if _header(message, name))
    calendars = (one.raw for one in attachments if one.media_type == CALENDAR)
    inner = _inner_mails(message) if depth < MOST_FORWARDED else iter(())
    return Mail(
        headers=headers,
        subject=_header(message, "Subject"),
        html=html,
        text=text,
        attachments=tuple(attachments),
        events=tuple(event for raw in calendars for event in calendar_events(raw)),
        forwarded=tuple(_mail(one, depth + 1) for one in inner),
    )


def _inner_mails(message: EmailMessage) -> Iterator[EmailMessage]:
    """The e-mails that were sent with an e-mail."""
    for part in _own_parts(message):
        if part.get_content_type() == ENCLOSED:
            yield from (one for one in part.get_payload() if isinstance(one, EmailMessage))


def _own_parts(message: EmailMessage) -> Iterator[EmailMessage]:
    """The parts of an e-mail, without those of the e-mails that were sent with it."""
    yield message
    if message.get_content_type() != ENCLOSED and message.is_multipart():
        for part in message.get_payload():
            if isinstance(part, EmailMessage):
                yield from _own_parts(part)


def _header(message: EmailMessage, name: str) -> str:
    try:
        return str(message.get(name) or "")
    except MALFORMED:
        return ""


def _parts(message: EmailMessage) -> tuple[str | None, str | None, list[MailAttachment]]:
    html: str | None = None
    text: str | None = None
    attachments: list[MailAttachment] = []
    for count, part in enumerate(islice(_own_parts(message), MOST_PARTS)):
        kind = part.get_content_type()
        if kind == ENCLOSED:
            attachments += filter(None, (_enclosed_file(part, one) for one in _inner_mails(part)))
        if part.is_multipart():
            continue
        raw, name = _payload(part), part.get_filename()
        if name or part.get_content_disposition() == "attachment":
            attachments.append(MailAttachment(name or f"attachment-{count}", kind, raw))
        elif kind == "text/html" and html is None:
            html = decode(raw, part.get_content_charset())
        elif kind == "text/plain" or kind.startswith("multipart/"):
            # Parts without a boundary between them are text.
            text = "\n\n".join(filter(None, (text, decode(raw, part.get_content_charset()))))
        elif kind.startswith("text/"):
            attachments.append(MailAttachment(f"part-{count}", kind, raw))
    return html, text, attachments


def _enclosed_file(part: EmailMessage, message: EmailMessage) -> MailAttachment | None:
    """An e-mail that was sent with another, as a file named by its subject; None if it can't be written."""
    raw = _message_bytes(message)
    if raw is None:
        return None
    subject = " ".join(_header(message, "Subject").split())[:LONGEST_NAME]
    return MailAttachment(part.get_filename() or f"{subject or 'message'}.eml", ENCLOSED, raw)


def _message_bytes(message: EmailMessage) -> bytes | None:
    """A message as it is sent; the older policy writes malformed headers as they came."""
    for written_by in (None, policy.compat32):
        with suppress(*MALFORMED):
            return message.as_bytes(policy=written_by)
    return None


def _payload(part: EmailMessage) -> bytes:
    found = part.get_payload(decode=True)
    return found if isinstance(found, bytes) else b""


def read_msg(path: str) -> Mail:
    """An e-mail that Outlook stored."""
    try:
        message = Message.load(path)
        sender, sent = message.sender, message.sent_date
        to = ", ".join(one.name or one.email_address for one in message.recipients)
        headers = (("From", sender or ""), ("To", to), ("Date", sent.isoformat(" ") if sent else ""))
        attachments = tuple(
            MailAttachment(
                one.file_name or "attachment",
                one.mime_type or "application/octet-stream",
                one.file_bytes or b"",
            )
            for one in message.attachments
        )
        known = tuple((name, value) for name, value in headers if value)
        return Mail(known, message.subject or "", message.html_body, message.body, attachments)
    except FileNotFoundError:
        raise
    except Exception as error:
        # The library checks little: a damaged file may raise anything.
        raise DocumentCorrupt("The message can't be read.") from error


def read_mhtml(raw: bytes, warnings: dict[str, None]) -> Flow:
    """A web page that was stored with everything that it shows."""
    html, text, _ = _parts(BytesParser(policy=policy.default).parsebytes(raw))
    return read_html(html, warnings) if html else paragraphs(text or "")
