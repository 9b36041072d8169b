"""The features of a document that was read, by which it is compared with labelled examples."""

from pagemill.model.labelled_classes import MOST_WORDS, features_of
from pagemill.model.search_words import words_of
from pagemill.reading.extraction.grounding import passages_of
from pagemill.reading.stored_document import StoredDocument


def document_features(document: StoredDocument) -> list[tuple[int, int]]:
    """The features of a document that was read."""
    words: list[str] = []
    for passage in passages_of(document.pages()):
        words += words_of(passage.text)
        if len(words) >= MOST_WORDS:
            break
    return features_of(words)
