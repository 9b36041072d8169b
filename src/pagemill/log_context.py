"""What the present turn is about: words that every log line carries by itself."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType

# In the order in which a line shows them.
WORDS = ("step", "job", "chunk", "tenant", "worker")

_present: ContextVar[Mapping[str, str]] = ContextVar("pagemill_present", default=MappingProxyType({}))
_always: dict[str, str] = {}


@contextmanager
def log_words(**words: str) -> Iterator[None]:
    """Have all lines of this thread carry these words, beside those that they carry already."""
    token = _present.set({**_present.get(), **words})
    try:
        yield
    finally:
        _present.reset(token)


@contextmanager
def log_words_always(**words: str) -> Iterator[None]:
    """Have all lines of this process carry these words."""
    _always.update(words)
    try:
        yield
    finally:
        for word in words:
            _always.pop(word, None)


def present_words() -> dict[str, str]:
    """The words that a line written here and now carries."""
    return {**_always, **_present.get()}
