"""What strangers' answers may hold that must not be kept: secrets are taken out, and little is left of the rest."""

import re

MOST_CHARACTERS = 1_000
MARK = "[redacted]"
SECRETS = re.compile(
    r"whsec_[A-Za-z0-9+/=_-]+|v1,[A-Za-z0-9+/=]{20,}|pm_[A-Za-z0-9_-]{20,}"
    r"|(?:bearer|basic)\s+[A-Za-z0-9._~+/=-]{8,}"
    r"|eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9._-]+"
    r"|(?<=://)[^/\s@]{1,200}@"
    r"|[A-Fa-f0-9]{32,}|[A-Za-z0-9+/_-]{40,}={0,2}",
    re.IGNORECASE,
)
NAMED = re.compile(
    r"""(?P<name>["']?(?:pass(?:word|wd)?|secret|token|api[_-]?key|authorization|cookie|session)\w*["']?\s*[:=]\s*)"""
    r"""(?:"[^"]*"|'[^']*'|[^\s,;&"']+)""",
    re.IGNORECASE,
)


def excerpt(body: bytes) -> str:
    """The beginning of an answer as text, without what looks like a secret or a control character."""
    text = body[: 4 * MOST_CHARACTERS].decode("utf-8", "replace")
    plain = "".join(one if one.isprintable() or one in "\n\t" else " " for one in text)
    hidden = SECRETS.sub(MARK, NAMED.sub(rf"\g<name>{MARK}", plain))
    return hidden[:MOST_CHARACTERS]
