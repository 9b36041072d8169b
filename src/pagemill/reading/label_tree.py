"""Trees of page labels that lead back into themselves: PDFium follows them until its stack is used up.

What reads such a document gets a copy of it that has no page labels.
"""

import re
import shutil

LABELS = b"/PageLabels"
# A name of the same length that means nothing, so that all offsets of the file stay right.
NO_LABELS = b"/NoPgLabels"
# A leaf has dozens of labels; far more nodes than a real document has are a trap as well.
MOST_NODES = 10_000

_ROOT = re.compile(rb"/PageLabels\s*(?:(<<)|(\d+)\s+\d+\s+R)")
_KIDS = re.compile(rb"/Kids\s*\[([^\]]*)\]")
_REFERENCE = re.compile(rb"(\d+)\s+\d+\s+R")
_OBJECT = re.compile(rb"(?<!\d)(\d+)\s+\d+\s+obj")
_NODE_BYTES = 1 << 16


def labels_circle(outline: bytes) -> bool:
    """Whether a node of the tree of page labels is met twice; told from the objects of a document that are not packed."""
    root = _ROOT.search(outline)
    if root is None:
        return False
    if root[1]:
        waiting = _kids(outline[root.end() : root.end() + _NODE_BYTES].partition(b"endobj")[0])
    else:
        waiting = [root[2]]
    places = {found[1]: found.end() for found in _OBJECT.finditer(outline)} if waiting else {}
    seen: set[bytes] = set()
    while waiting:
        number = waiting.pop()
        if number in seen or len(seen) > MOST_NODES:
            return True
        seen.add(number)
        if (start := places.get(number)) is not None:
            waiting += _kids(outline[start : start + _NODE_BYTES].partition(b"endobj")[0])
    return False


def _kids(node: bytes) -> list[bytes]:
    """The numbers of the objects below a node."""
    found = _KIDS.search(node)
    return _REFERENCE.findall(found[1]) if found else []


def copy_without_labels(path: str, copy: str) -> bool:
    """Write a copy of a document without page labels."""
    shutil.copyfile(path, copy)
    with open(copy, "r+b") as file:
        document = file.read()
        file.seek(0)
        file.write(document.replace(LABELS, NO_LABELS))
    return True
