"""Tokenizers that tests make: small vocabularies, trained on a few sentences, of the kinds that models have."""

from collections.abc import Iterator
from pathlib import Path

from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

SENTENCES = (
    "One sentence of some words about mills that grind grain.",
    "It costs 3.50 euros, and the water turns the wheel.",
    "Name, kind and sum of every row of the table.",
)


def byte_pairs(*, in_words: bool = True) -> Tokenizer:
    """As those of GPT: from bytes, with no token for what is unknown; or, as those of Llama, across words."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=in_words)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=400, initial_alphabet=alphabet, show_progress=False)
    made.train_from_iterator(SENTENCES, trainer)
    return made


def word_pieces() -> Tokenizer:
    """As those of BERT: with a token at the beginning and the end, cut off and padded as sentence transformers do it."""
    made = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer()
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
    made.train_from_iterator(
        SENTENCES, trainers.WordPieceTrainer(vocab_size=200, special_tokens=special, show_progress=False)
    )
    made.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    made.enable_truncation(16)
    made.enable_padding(length=16)
    return made


def every_kind() -> Iterator[Tokenizer]:
    """One of each kind."""
    yield byte_pairs()
    yield byte_pairs(in_words=False)
    yield word_pieces()


def save_tokenizer(made: Tokenizer, folder: Path) -> Path:
    """The tokenizer.json of a tokenizer."""
    file = folder / "tokenizer.json"
    made.save(str(file))
    return file
