"""Text that can be written: no control characters, no lone surrogates."""

import re

# Marks that turn the direction of what follows would show other words than are there, also in texts beside ours.
# A soft hyphen at the very end is kept: it says that the word goes on in the next block.
_UNWRITABLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u2060\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff\ud800-\udfff]|\u00ad(?=.)"
)
_GARBAGE = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\ufffd\ue000-\uf8ff\ufffe\uffff\ud800-\udfff]")

# Also fillers that are letters by name, the empty Braille cell, and marks, of which no text has more than letters.
_UNSEEN = re.compile(
    "[\u00ad\u0300-\u036f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]"
)

# A page is garbage if more than this share of its characters says nothing.
GARBAGE_SHARE = 0.1
# Khmer parts its words by characters that are not seen, some fifth of a text; no script has as many as letters.
UNSEEN_SHARE = 0.5


def clean(text: str) -> str:
    """The text without characters that can't be written or seen."""
    return text if text.isprintable() else _UNWRITABLE.sub("", text)


def garbage_in(text: str) -> int:
    """How many characters of the text say nothing: controls, private use, replacements."""
    if text.isprintable() and "\ufffd" not in text:
        return 0
    return len(_GARBAGE.findall(text))


def unseen_in(text: str) -> int:
    """How many characters of the text have no shape of their own: soft hyphens, joiners, fillers, marks of all kinds."""
    return 0 if text.isascii() else len(_UNSEEN.findall(text))


def solid_length(text: str) -> int:
    """The number of characters that are not spaces or line breaks."""
    return len(text) - text.count(" ") - text.count("\n")
