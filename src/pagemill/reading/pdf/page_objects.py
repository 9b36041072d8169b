"""What is drawn on a page, object by object, and where it is."""

import ctypes
from collections.abc import Iterator

import pypdfium2
import pypdfium2.raw as pdfium

from pagemill.model.pages import Box

# PDFium gives whole device units; these are hundredths of a point.
UNITS_PER_POINT = 100
# Beyond so many, the rest of a page's objects would say nothing new.
MOST_OBJECTS = 20_000
# Forms inside of forms are followed only so far.
DEEPEST_FORM = 4
Matrix = tuple[float, float, float, float, float, float]
WHOLE: Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)


def page_objects(page: pypdfium2.PdfPage) -> Iterator[tuple[object, Matrix]]:
    """The objects of a page, those inside of forms too, each with the matrix of its form."""
    left = MOST_OBJECTS
    stack = [(page.raw, WHOLE, 0)]
    while stack:
        parent, matrix, depth = stack.pop()
        count, child_of = (
            (pdfium.FPDFFormObj_CountObjects, pdfium.FPDFFormObj_GetObject)
            if depth
            else (pdfium.FPDFPage_CountObjects, pdfium.FPDFPage_GetObject)
        )
        for at in range(min(count(parent), left)):
            left -= 1
            found = child_of(parent, at)
            if pdfium.FPDFPageObj_GetType(found) == pdfium.FPDF_PAGEOBJ_FORM and depth < DEEPEST_FORM:
                stack.append((found, _times(_matrix(found), matrix), depth + 1))
            else:
                yield found, matrix


def _matrix(found: object) -> Matrix:
    raw = pdfium.FS_MATRIX()
    pdfium.FPDFPageObj_GetMatrix(found, raw)
    return raw.a, raw.b, raw.c, raw.d, raw.e, raw.f


def _times(m: Matrix, n: Matrix) -> Matrix:
    """First the one, then the other."""
    return (
        m[0] * n[0] + m[1] * n[2],
        m[0] * n[1] + m[1] * n[3],
        m[2] * n[0] + m[3] * n[2],
        m[2] * n[1] + m[3] * n[3],
        m[4] * n[0] + m[5] * n[2] + n[4],
        m[4] * n[1] + m[5] * n[3] + n[5],
    )


def object_bounds(found: object) -> tuple[float, float, float, float]:
    """The left, lower, right and upper edge of an object, in the units of its form."""
    left, bottom, right, top = ctypes.c_float(), ctypes.c_float(), ctypes.c_float(), ctypes.c_float()
    pdfium.FPDFPageObj_GetBounds(found, left, bottom, right, top)
    return left.value, bottom.value, right.value, top.value


def box_on_page(page: pypdfium2.PdfPage, found: object, matrix: Matrix) -> Box | None:
    """Where an object is on the upright page, as far as it is on the page."""
    left, bottom, right, top = object_bounds(found)
    a, b, c, d, e, f = matrix
    corners = [
        _on_page(page, a * x + c * y + e, b * x + d * y + f) for x in (left, right) for y in (bottom, top)
    ]
    width, height = page.get_size()
    xs = [min(max(x, 0.0), width) for x, _ in corners]
    ys = [min(max(y, 0.0), height) for _, y in corners]
    box = Box(min(xs), min(ys), round(max(xs) - min(xs), 2), round(max(ys) - min(ys), 2))
    return box if box.width > 0 and box.height > 0 else None


def _on_page(page: pypdfium2.PdfPage, x: float, y: float) -> tuple[float, float]:
    width, height = (round(side * UNITS_PER_POINT) for side in page.get_size())
    across, down = ctypes.c_int(), ctypes.c_int()
    pdfium.FPDF_PageToDevice(page.raw, 0, 0, width, height, 0, x, y, across, down)
    return across.value / UNITS_PER_POINT, down.value / UNITS_PER_POINT
