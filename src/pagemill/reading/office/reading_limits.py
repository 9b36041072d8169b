"""How much is read of one file before it is refused.

Limits are in bytes and counts, never in ratios: real files reach a compression of 667 to 1.
"""

from pagemill.errors import ArchiveBomb, DocumentTooLarge

MEBIBYTE = 1 << 20

# One part of a package that is parsed as a whole. A tree of it takes about eight times as much memory.
MAX_PART_BYTES = 64 * MEBIBYTE
# All parts that are read of one package.
MAX_PACKAGE_BYTES = 512 * MEBIBYTE
# A sheet is streamed, never held as a tree.
MAX_SHEET_BYTES = 512 * MEBIBYTE
MAX_ENTRIES = 20_000
# Cells between the first and the last used one, which are held in memory while a sheet is read.
MAX_CELLS = 10_000_000
MAX_BLOCKS = 200_000
MAX_TEXT_BYTES = 64 * MEBIBYTE


def check_bytes(count: int, most: int, what: str) -> None:
    """Raise ArchiveBomb if more bytes were unpacked than are allowed."""
    if count > most:
        raise ArchiveBomb.because(f"{what} unpacks to more than {most // MEBIBYTE} MiB.", max_bytes=most)


def check_count(count: int, most: int, what: str) -> None:
    """Raise DocumentTooLarge if there are more of something than are allowed."""
    if count > most:
        raise DocumentTooLarge.because(f"The document has more than {most:,} {what}.", limit=most)
