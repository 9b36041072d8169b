"""What headings are called everywhere, and how they are written."""

import re

_WORDS = re.compile(r"[^\W\d_]{4,}")
_TITLES = re.compile(
    r"(?:abstract|summary|introduction|background|conclusions?|references|bibliography|acknowledge?ments?|appendix|"
    r"contents|table of contents|preface|foreword|discussion|methods|results|zusammenfassung|einleitung|literatur|"
    r"inhalt|inhaltsverzeichnis|résumé|sommaire|resumen|índice|introducción)\W*",
    re.IGNORECASE,
)


def is_known_title(text: str) -> bool:
    """Whether a text is one of the words that sections are called by everywhere."""
    return _TITLES.fullmatch(text) is not None


def is_capitalised(text: str) -> bool:
    """Whether most longer words start with a capital; scripts without capitals never do."""
    words = _WORDS.findall(text)
    return bool(words) and sum(word[0].isupper() for word in words) >= 0.65 * len(words)
