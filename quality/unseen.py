"""Which models have not seen a document: those of a fold that was trained without it, or without its whole source."""

from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from pagemill.reading.layout.models import JOIN_WEIGHTS, ROLE_WEIGHTS, weights_from
from quality.corpus import Document
from train.data_sets import BENCHMARK, collection_of
from train.material import MADE_DOCUMENTS, SEED, all_examples, make
from train.validation import document_fold, source_fold, train_folds

LABELLED = "layout_truth"
# Categories that the models of the layout are trained on.
TRAINED_ON = (LABELLED, "pdf_md_truth")
DOCUMENTS, SOURCES = "documents", "sources"


@dataclass(frozen=True, slots=True)
class Unseen:
    """The folder of folds, and what is left out of the training: documents, or whole sources."""

    folder: Path
    left_out: str = DOCUMENTS

    def fold(self, document: Document) -> str | None:
        """The fold whose models have not seen a document; None if none of its category was trained on."""
        category = document.pages_of or document.category
        if category not in TRAINED_ON:
            return None
        labelled = category == LABELLED
        if self.left_out == SOURCES:
            return source_fold(collection_of(document.group) if labelled else BENCHMARK)
        return document_fold(document.name if labelled else document.group)

    def weights(self, document: Document) -> AbstractContextManager[None]:
        """The models to read a document with: the usual ones where they have been trained on none of its category."""
        fold = self.fold(document)
        return weights_from(self.folder / fold) if fold else nullcontext()

    def lacking(self, documents: Iterable[Document]) -> list[str]:
        """The folds of documents whose models are not there yet."""
        folds = {fold for document in documents if (fold := self.fold(document))}
        names = f"{ROLE_WEIGHTS}.npz", f"{JOIN_WEIGHTS}.npz"
        return sorted(f for f in folds if not all((self.folder / f / name).exists() for name in names))


def train_missing(unseen: Unseen, corpus: Path, work: Path) -> None:
    """Train the models of all folds that are not there yet; pages are made before that if there are none."""
    make(corpus, work, MADE_DOCUMENTS, SEED)
    train_folds(all_examples(corpus, work), unseen.folder, SEED)
