"""Vectors as they are stored: numbers of two bytes, of a vector of length 1."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
STORED = np.dtype("<f2")


def pack_rows(rows: Sequence[Sequence[float]] | Floats) -> list[bytes]:
    """Each row with length 1, as bytes; ValueError if one has no direction."""
    values = np.asarray(rows, np.float32)
    lengths = np.linalg.norm(values, axis=-1, keepdims=True)
    if values.ndim != 2 or not values.shape[1] or not np.isfinite(lengths).all() or not lengths.all():
        raise ValueError("a vector must be finite and not all zeros")
    return [row.tobytes() for row in (values / lengths).astype(STORED)]


def unpack_rows(packed: Sequence[bytes], dimension: int) -> Floats:
    """The vectors of these bytes as rows."""
    return np.frombuffer(b"".join(packed), STORED).reshape(len(packed), dimension).astype(np.float32)


def dimension_of(packed: bytes) -> int:
    """How many numbers a vector has."""
    return len(packed) // STORED.itemsize


def shown_vector(packed: bytes) -> str:
    """A vector in the form that pgvector reads."""
    # Two bytes hold no more than five digits.
    return f"[{','.join(f'{number:.6g}' for number in np.frombuffer(packed, STORED).tolist())}]"
