"""Whether the characters of a text layer make words: what a broken font map leaves behind reads like no language."""

import re
from collections.abc import Iterable

from pagemill.reading.clean import GARBAGE_SHARE, UNSEEN_SHARE, garbage_in, solid_length, unseen_in
from pagemill.reading.routing.absences import has_lost_letters

# What is looked at first, in the middle of the page; only if it looks odd, more is.
GLANCE_CHARACTERS = 1000
SAMPLE_CHARACTERS = 4000
# Fewer words than this prove nothing: a drawing's labels and a form's abbreviations look like nonsense.
FEWEST_WORDS = 12
# In any language written in Latin letters nearly every word has a vowel; of a shifted alphabet half have none.
MOST_STRANGE_SHARE = 0.25
# A ligature that is lost leaves its hole in a few words of every hundred.
MOST_BROKEN_SHARE = 0.03
# Words without a single fi, ff or fl are plain chance on a page with less text than this.
LIGATURES_EXPECTED_IN = 1500
FEWEST_LOST_LIGATURES = 3
# A text that has so many for its length has lost none.
USUAL_LIGATURES = 0.003
# Figures are some of the words of most pages; so many that are nothing but symbols are figures in disguise, if there are so
# many of the symbols. The quotes and signs of a program are words of fewer.
FEWEST_SYMBOLS, SYMBOLS_SHARE, FEWEST_FIGURES = 5, 0.01, 5
# What a recogniser made of a clean page has nearly only neat words; where a sixth are not, ours may do better.
LEAST_NEAT_SHARE = 0.85

# About how many of the neat words that a recogniser writes are right, and of the others: Tesseract on scans in German,
# French and Spanish, read as English, had .81 to .91 and .36 to .68, and on clean English scans no errors.
NEAT_CERTAINTY, ODD_CERTAINTY = 0.95, 0.4

_WORD = re.compile(r"[^\W\d_]{3,}")
_VOWELLESS = re.compile(r"(?<!\w)[B-DF-HJ-NP-TVXZb-df-hj-np-tvxz][b-df-hj-np-tvxz]{2,}(?!\w)")
# Cyrillic or Greek bytes read as Western letters; UTF-8 read byte by byte.
_MISREAD = re.compile(r"(?<!\w)[\u00b9À-ÿ]{3,}(?!\w)|[ÃÂâ][\u00a1-\u00bf€™œ“”š‚„…†‡ˆ‰‹ž]")
_BROKEN = re.compile("[a-z][\ufffd\ue000-\uf8ff\x00-\x08\x0e-\x1f][a-z]{2}")
_LOST_LIGATURE = re.compile(
    r"\b(?:dieren|dicult|eect|eort|ecien|specic|signican|dened|denit|conrm|classicat|identied|conict|inuen|oces?\b|"
    r"ocial|sucien|benet|scientic|congur|reect|aect|eld\b|rst\b|nancial|prots?\b)"
)
_NEAT = re.compile(
    r"[\"'“‘«(\[]*(?:[^\W\d_]+(?:['’\-–][^\W\d_]+)*|[$€£]?[\d.,:/%\-–]+)[\"'”’»)\].,;:!?%…—-]*"
)
_SYMBOLS = re.compile(r"(?=.*[!\"#$&'])[!\"#$%&'()*+,./:-]{2,}")
# What a shifted font map makes of 0 to 9.
_SHIFTED_FIGURES = frozenset("!\"#$%&'()*")
_VOWEL = re.compile("[aeiouyAEIOUY]")
_LETTER_WORDS = frozenset("aAIiOoyYeEàÀ")
_LIGATURES = ("fi", "ff", "fl", "ﬁ", "ﬀ", "ﬂ")

# The scripts by their ranges; those that are written together share a name.
_SCRIPTS = (
    ("latin", "A-Za-zªºÀ-ÖØ-öø-ɏḀ-ỿ\uff21-\uff3a\uff41-\uff5aﬀ-ﬆ"),
    ("greek", "\u0370-\u03ff\u1f00-\u1fff"),
    ("cyrillic", "\u0400-\u052f"),
    ("hebrew", "\u0590-\u05ff\ufb1d-\ufb4f"),
    ("arabic", "\u0600-\u06ff\u0750-\u077f\u08a0-\u08ff\ufb50-\ufdff\ufe70-\ufefc"),
    (
        "east",
        "\u2e80-\u2fdf\u3005-\u30ff\u3130-\u318f\u31f0-\u31ff\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f",
    ),
    ("old_han", "\u3400-\u4dbf"),
)
_SCRIPT_OF = tuple((name, re.compile(f"[{ranges}]")) for name, ranges in _SCRIPTS)
_TOKEN = re.compile(r"[^\W\d_]{2,}")


def is_garbled(text: str) -> bool:
    """Whether the text is not what the page shows: controls, private-use characters, shifted or misread alphabets."""
    solid = solid_length(text)
    if garbage_in(text) > solid * GARBAGE_SHARE or unseen_in(text) > solid * UNSEEN_SHARE:
        return True
    middle = max(0, (len(text) - GLANCE_CHARACTERS) // 2)
    glance = is_strange(text[middle : middle + GLANCE_CHARACTERS], MOST_STRANGE_SHARE / 2)
    if glance and is_strange(text[:SAMPLE_CHARACTERS], MOST_STRANGE_SHARE):
        return True
    return has_holes(text) or has_symbols_for_figures(text) or has_lost_letters(text)


def is_strange(text: str, most: float) -> bool:
    """Whether more than that share of the words can't be words."""
    words = len(set(_WORD.findall(text)))
    if words < FEWEST_WORDS:
        return False
    strange = len(set(_VOWELLESS.findall(text)))
    if not text.isascii():
        strange += len(_MISREAD.findall(text)) + count_mixed_scripts(set(_TOKEN.findall(text)))
    return strange > words * most


def reads_well(text: str) -> bool:
    """Whether nearly all words are neat: letters of one kind or figures, with punctuation at their ends only."""
    words = text[:SAMPLE_CHARACTERS].split()
    return sum(map(is_neat, words)) >= LEAST_NEAT_SHARE * len(words)


def words_certainty(text: str) -> float:
    """How sure the text is that somebody else has recognised: more so in words that look as printers set them."""
    words = text.split()
    sure = sum(len(word) * (NEAT_CERTAINTY if is_neat(word) else ODD_CERTAINTY) for word in words)
    return sure / max(sum(map(len, words)), 1)


def is_neat(word: str) -> bool:
    """Whether a word looks as printers set it, and not as a bad recogniser guesses it; other scripts have other rules."""
    if sum(map(str.isascii, word)) * 2 < len(word):
        return True
    if not _NEAT.fullmatch(word):
        return False
    letters = "".join(filter(str.isalpha, word))
    if not letters or not letters.isascii():
        return True
    if len(letters) < 3:
        return len(letters) > 1 or letters in _LETTER_WORDS
    return bool(_VOWEL.search(letters)) and (letters.isupper() or letters[1:].islower())


def has_holes(text: str) -> bool:
    """Whether words lack letters: a ligature that the font map has lost."""
    if garbage_in(text) and len(_BROKEN.findall(text)) > len(_WORD.findall(text)) * MOST_BROKEN_SHARE:
        return True
    if len(text) < LIGATURES_EXPECTED_IN:
        return False
    # A font of headings may have kept some.
    kept = sum(map(text.count, _LIGATURES))
    if kept > USUAL_LIGATURES * len(text):
        return False
    lost = len(_LOST_LIGATURE.findall(text))
    return lost >= FEWEST_LOST_LIGATURES and lost > kept


def has_symbols_for_figures(text: str) -> bool:
    """Whether a text has no digits, but words of the symbols that a shifted font map makes of them."""
    if any(map(str.isdecimal, text)):
        return False
    words = text.split()
    symbols = [word for word in words if _SYMBOLS.fullmatch(word)]
    if len(symbols) < max(FEWEST_SYMBOLS, SYMBOLS_SHARE * len(words)):
        return False
    return len(_SHIFTED_FIGURES.intersection("".join(symbols))) >= FEWEST_FIGURES


def count_mixed_scripts(words: Iterable[str]) -> int:
    """How many words are written in several scripts, as no word is."""
    return sum(1 for word in words if not word.isascii() and len(scripts_of(word)) > 1)


def scripts_of(word: str) -> set[str]:
    """The scripts of a word's letters; Latin next to one other is how foreign names are written."""
    found = {name for name, letters in _SCRIPT_OF if letters.search(word)}
    if any(not any(letters.match(letter) for _, letters in _SCRIPT_OF) for letter in word):
        found.add("other")
    return found - {"latin"} if len(found) == 2 else found
