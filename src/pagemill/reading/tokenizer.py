"""The tokenizer of a model, from a file `tokenizer.json` as the package `tokenizers` reads and writes it."""

from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from pagemill.errors import Refused

if TYPE_CHECKING:
    import tokenizers

SETTING = "PAGEMILL_TOKENIZER"
FINGERPRINT_DIGITS = 16


@dataclass(frozen=True, slots=True)
class TokenizerFile:
    """Where the tokenizer is, which differs from visit to visit, and the beginning of the hash of its file."""

    path: str = field(compare=False)
    fingerprint: str


class Tokenizer:
    """Counts tokens as a model does."""

    def __init__(self, encoder: "tokenizers.Tokenizer") -> None:
        # Files often say that texts are cut off or padded to what the model takes, which would be counted.
        encoder.no_truncation()
        encoder.no_padding()
        self._encoder = encoder

    def count(self, text: str) -> int:
        """The tokens of a whole text, with those that the tokenizer adds at its beginning and its end."""
        return len(self._encoder.encode(text))

    def count_part(self, text: str) -> int:
        """The tokens of a part of a text."""
        return len(self._encoder.encode(text, add_special_tokens=False))


def find_tokenizer(path: str) -> TokenizerFile | None:
    """The tokenizer at a path of the settings, None if that is empty; Refused if it can't be used."""
    if not path:
        return None
    place = Path(path).resolve()
    raw = _read(place)
    parse_tokenizer(raw)
    return TokenizerFile(str(place), _fingerprint(raw))


@lru_cache(1)
def load_tokenizer(file: TokenizerFile) -> Tokenizer:
    """The tokenizer of a file; Refused if that is not the file that was looked at when the service started."""
    raw = _read(Path(file.path))
    if _fingerprint(raw) != file.fingerprint:
        raise Refused(f"The file of {SETTING} has changed. Start pagemill again.")
    return parse_tokenizer(raw)


def parse_tokenizer(raw: bytes) -> Tokenizer:
    """The tokenizer that a file describes."""
    try:
        import tokenizers
    except ImportError as error:
        raise Refused(f"{SETTING} needs a package: pip install 'pagemill[tokenizer]'.") from error
    try:
        return Tokenizer(tokenizers.Tokenizer.from_buffer(raw))
    except Exception as error:  # The package raises nothing more special.
        raise Refused(
            f"The file of {SETTING} is no tokenizer: {error}. Take the tokenizer.json of a model."
        ) from error


def _read(place: Path) -> bytes:
    try:
        return place.read_bytes()
    except OSError as error:
        raise Refused(
            f"{SETTING} names a file that can't be read: {error.strerror}. Set it to the path of a tokenizer.json, "
            "or leave it empty to have tokens estimated."
        ) from error


def _fingerprint(raw: bytes) -> str:
    return sha256(raw).hexdigest()[:FINGERPRINT_DIGITS]
