"""Which script a picture is written in."""

from pathlib import Path
from typing import Any

from pagemill.reading.ocr.recogniser import Pixels
from pagemill.reading.ocr.tessdata import SCRIPT_DETECTION, SUFFIX, folders

# Below this, the answer is a guess.
LEAST_SURENESS = 1.0
# Shapes that are no characters are as likely upright as upside down, however sure the script is.
LEAST_UPRIGHT = 1.5


def script_of(pixels: Pixels) -> str | None:
    """The script's name, as "Latin" or "Cyrillic"; None if it can't be found out or Tesseract is not installed."""
    folder = _folder()
    if folder is None:
        return None
    try:
        import tesserocr
    except ImportError:
        return None
    with tesserocr.PyTessBaseAPI(
        path=str(folder), lang=SCRIPT_DETECTION, psm=tesserocr.PSM.OSD_ONLY
    ) as engine:
        show_picture(engine, pixels)
        answer = engine.DetectOrientationScript()
    if not answer or answer["script_conf"] < LEAST_SURENESS or answer["orient_conf"] < LEAST_UPRIGHT:
        return None
    return str(answer["script_name"])


def show_picture(engine: Any, pixels: Pixels) -> None:
    """Give the picture to the engine."""
    height, width = pixels.shape[:2]
    engine.SetImageBytes(pixels.tobytes(), width, height, 3, 3 * width)


def _folder() -> Path | None:
    return next((folder for folder in folders() if (folder / f"{SCRIPT_DETECTION}{SUFFIX}").is_file()), None)
