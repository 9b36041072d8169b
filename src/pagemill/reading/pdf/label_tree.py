"""Trees of page labels that lead back into themselves: PDFium follows them until its stack is used up.

What reads such a document gets a copy of it that has no page labels.
"""

import re
from pathlib import Path

LABELS = b"/PageLabels"
# A name of the same length that means nothing, so that all offsets of the file stay right.
NO_LABELS = b"/NoPgLabels"
# A leaf has dozens of labels; far more nodes than a real document has are a trap as well.
MOST_NODES = 10_000
# Each update of a file may bring a tree of its own.
MOST_ROOTS = 32

_ROOT = re.compile(rb"/PageLabels\s*(?:(<<)|(\d+)\s+\d+\s+R)")
_KIDS = re.compile(rb"/Kids\s*\[([^\]]*)\]")
_REFERENCE = re.compile(rb"(\d+)\s+\d+\s+R")
_OBJECT = re.compile(rb"(?<!\d)(\d+)\s+\d+\s+obj")
_NODE_BYTES = 1 << 16


def labels_circle(outline: bytes) -> bool:
    """Whether a node of a tree of page labels is met twice, as far as the nodes are not packed in object streams."""
    roots = list(_ROOT.finditer(outline))
    places = {found[1]: found.end() for found in _OBJECT.finditer(outline)} if roots else {}
    return any(_leads_back(root, outline, places) for root in roots[:MOST_ROOTS])


def _leads_back(root: re.Match[bytes], outline: bytes, places: dict[bytes, int]) -> bool:
    if root[1]:
        stack = _kids(outline[root.end() : root.end() + _NODE_BYTES].partition(b"endobj")[0])
    else:
        stack = [root[2]]
    seen: set[bytes] = set()
    while stack:
        number = stack.pop()
        if number in seen or len(seen) > MOST_NODES:
            return True
        seen.add(number)
        if (start := places.get(number)) is not None:
            stack += _kids(outline[start : start + _NODE_BYTES].partition(b"endobj")[0])
    return False


def _kids(node: bytes) -> list[bytes]:
    """The numbers of the objects below a node."""
    found = _KIDS.search(node)
    return _REFERENCE.findall(found[1]) if found else []


def copy_without_labels(path: str, copy: str) -> bool:
    """Write a copy of a document without page labels; False if they are packed, and so still there."""
    document = Path(path).read_bytes()
    Path(copy).write_bytes(document.replace(LABELS, NO_LABELS))
    return LABELS in document
