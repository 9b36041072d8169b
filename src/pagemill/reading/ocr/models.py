"""The networks that read text in pictures, loaded once per process from files of this package."""

import hashlib
import importlib.util
import os
from functools import cache
from pathlib import Path
from typing import Any

from pagemill.reading.ocr.recogniser import Floats
from pagemill.reading.provider import Refusal

FOLDER = Path(__file__).with_name("weights")
FAMILY = "PP-OCRv6"
DETECTOR = "detector.onnx"
READER = "reader.onnx"
READER_CHARACTERS = "reader.txt"
WIDE_READER = "wide_reader.onnx"
WIDE_READER_CHARACTERS = "wide_reader.txt"
ORIENTATION = "orientation.onnx"
# Each file with its SHA-256: a damaged network may read nonsense, or read beyond its memory.
DIGESTS = {
    DETECTOR: "193bab7a04fca699a6c82e6abb5b81bdb28177f0abd4062552b04908dafb19f8",
    READER: "9ef676d6ed3c88256a2d92c640c44f25b0c40947e111b14b8be8f594091563e6",
    READER_CHARACTERS: "2af150bab777d86fa1ce821f6a37eabea90f1bb99ab9c41f031262e892a747bc",
    WIDE_READER: "23c3542733f0e2a9cc5fb42157a869f5ecfda392d28bb88d4ec1db4f9863999b",
    WIDE_READER_CHARACTERS: "769e7fa79bb297b5f18d8dbd149e364a45bc61f2b3f574e5ea836f0b261c23a6",
    ORIENTATION: "24a6fd2b831fdab55635c04641815d356ea80f658b98764953bf408ef028615c",
}
# onnxruntime counts its uses in a database in the home folder unless that is switched off before it is loaded.
TELEMETRY_SWITCH = "ORT_DISABLE_TELEMETRY"


def missing() -> str | None:
    """Why the networks can't be used here; None if they can."""
    if importlib.util.find_spec("onnxruntime") is None:
        return "the package onnxruntime is not installed"
    absent = [name for name in DIGESTS if not (FOLDER / name).is_file()]
    return f"{', '.join(absent)} is missing from {FOLDER}: install pagemill again" if absent else None


def present() -> list[str]:
    """The networks that are here."""
    return [name for name in DIGESTS if name.endswith(".onnx") and (FOLDER / name).is_file()]


def fingerprint() -> str:
    """A short text that changes with any of the weights."""
    return hashlib.sha256("".join(DIGESTS.values()).encode()).hexdigest()[:8]


def weights(name: str) -> bytes:
    """A file of weights; raises Refusal if it is not what was packed."""
    content = (FOLDER / name).read_bytes()
    if hashlib.sha256(content).hexdigest() != DIGESTS[name]:
        raise Refusal(f"{name} of {FAMILY} is damaged: install pagemill again")
    return content


@cache
def session(name: str) -> Any:
    """A network that is ready to run on one core: the slots of the press are processes of their own."""
    os.environ[TELEMETRY_SWITCH] = "1"
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    # Every picture has another size: a memory plan would be made for each.
    options.enable_mem_pattern = False
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(weights(name), options, providers=["CPUExecutionProvider"])


def run(name: str, tensor: Floats) -> Floats:
    """The only output of a network for its only input."""
    network = session(name)
    answer: Floats = network.run(None, {network.get_inputs()[0].name: tensor})[0]
    return answer


@cache
def characters(name: str) -> tuple[str, ...]:
    """What each output of a reader stands for; the first is nothing, the last is a space."""
    lines = weights(name).decode("utf-8").split("\n")
    return ("", *[line.strip("\r") for line in lines if line], " ")
