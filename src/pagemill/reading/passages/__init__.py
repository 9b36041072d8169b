"""Passages for retrieval: the blocks of a document become units that stay whole, and units are packed to a budget."""

from pagemill.reading.passages.exact_packing import ExactPacker
from pagemill.reading.passages.packing import Packer

__all__ = ["ExactPacker", "Packer"]
